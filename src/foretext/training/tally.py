"""Sums of losses and right answers over batches, without waiting for the device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from foretext.nn.vocabulary_head import Score
from foretext.training.processes import Processes

__all__ = ["Tally"]


class Tally:
    """Sums of scores by part; `figures` makes means of them."""

    def __init__(self) -> None:
        self._losses: dict[str, Tensor | float] = defaultdict(float)
        self._correct: dict[str, Tensor | float] = {}
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, scores: Mapping[str, Score]) -> None:
        """Add what was computed."""
        for part, score in scores.items():
            self._losses[part] = self._losses[part] + score.loss.detach().double()
            if score.num_correct is not None:
                self._correct[part] = self._correct.get(part, 0.0) + score.num_correct.double()

    def count(self, counts: Mapping[str, int]) -> None:
        """Add the numbers of predictions."""
        for part, count in counts.items():
            self._counts[part] += count

    def figures(self, prefix: str = "") -> dict[str, float]:
        """Return ``loss``, the sum over the parts, and the loss and accuracy of each part.

        Args:
            prefix: of the names.
        """
        counted = {part: count for part, count in self._counts.items() if count}
        losses = {part: float(self._losses[part]) / count for part, count in counted.items()}
        figures = {f"{prefix}loss": sum(losses.values())}
        if len(losses) > 1:
            figures |= {f"{prefix}{part}_loss": loss for part, loss in losses.items()}
        for part, correct in self._correct.items():
            if part in counted:
                figures[f"{prefix}{part}_accuracy"] = float(correct) / counted[part]
        return figures

    def total(self, processes: Processes) -> Tally:
        """Return the sums over processes that each have a share of the losses.

        Counts are of the whole already; a part that a process never met is zero there.
        """
        total = Tally()
        total.count(self._counts)
        for part in sorted(self._counts):
            sums = torch.zeros(2, dtype=torch.float64, device=processes.device)
            sums[0] = self._losses[part]
            sums[1] = self._correct.get(part, 0.0)
            processes.sum([sums])
            total._losses[part] = sums[0]
            if part in self._correct:
                total._correct[part] = sums[1]
        return total

    def state(self) -> dict[str, dict[str, float]]:
        """Return the sums as plain numbers, for a checkpoint."""
        return {
            "losses": {part: float(loss) for part, loss in self._losses.items()},
            "correct": {part: float(correct) for part, correct in self._correct.items()},
            "counts": dict(self._counts),
        }

    def load_state(self, state: Mapping[str, Mapping[str, Any]], *, share: bool) -> None:
        """Continue from `state`; only the first process takes the losses, all take the counts."""
        self._counts.update({part: int(n) for part, n in state.get("counts", {}).items()})
        if share:
            self._losses.update(state.get("losses", {}))
            self._correct.update(state.get("correct", {}))
