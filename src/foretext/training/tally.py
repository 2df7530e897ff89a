"""Sums of losses and right answers over batches, without waiting for the device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from foretext.nn.vocabulary_head import Score
from foretext.training.processes import Processes

__all__ = ["Divisors", "Tally", "own_counts"]


Divisors = Callable[[Mapping[str, int]], Mapping[str, int]]


def own_counts(counts: Mapping[str, int]) -> Mapping[str, int]:
    """Divide the loss of each part by the number of its predictions."""
    return counts


class Tally:
    """Sums of scores by part; `figures` makes means of them.

    Args:
        divisors: of the losses of parts; see `Criterion.divisors`.
    """

    def __init__(self, divisors: Divisors = own_counts) -> None:
        self._divisors = divisors
        self._losses: dict[str, Tensor | float] = defaultdict(float)
        self._correct: dict[str, Tensor | float] = {}
        self._majority: dict[str, Tensor | float] = {}
        self._weights: dict[str, float] = {}
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, scores: Mapping[str, Score]) -> None:
        """Add what was computed."""
        for part, score in scores.items():
            self._losses[part] = self._losses[part] + score.loss.detach().double()
            self._weights[part] = score.weight
            if score.num_correct is not None:
                self._correct[part] = self._correct.get(part, 0.0) + score.num_correct.double()
            if score.num_majority is not None:
                self._majority[part] = self._majority.get(part, 0.0) + score.num_majority.double()

    def count(self, counts: Mapping[str, int]) -> None:
        """Add the numbers of predictions."""
        for part, count in counts.items():
            self._counts[part] += count

    def figures(self, prefix: str = "") -> dict[str, float]:
        """Return ``loss``, the weighted sum over the parts, and the loss and accuracy of each part.

        Where a score says how often the majority answer is right, that share stands beside.

        Args:
            prefix: of the names.
        """
        counted = {part: count for part, count in self._counts.items() if count}
        losses = {part: float(self._losses[part]) / count for part, count in counted.items()}
        divisors = self._divisors(counted)
        weighted = (
            self._weights.get(part, 1.0) * (float(self._losses[part]) / divisors[part])
            for part in counted
        )
        figures = {f"{prefix}loss": sum(weighted)}
        if len(losses) > 1:
            figures |= {f"{prefix}{part}_loss": loss for part, loss in losses.items()}
        for part, correct in self._correct.items():
            if part in counted:
                figures[f"{prefix}{part}_accuracy"] = float(correct) / counted[part]
            if part in counted and part in self._majority:
                right = float(self._majority[part])
                figures[f"{prefix}{part}_majority_accuracy"] = right / counted[part]
        return figures

    def total(self, processes: Processes) -> Tally:
        """Return the sums over processes that each have a share of the losses.

        Counts are of the whole already; a part that a process never met is zero there.
        """
        total = Tally(self._divisors)
        total.count(self._counts)
        for part in sorted(self._counts):
            sums = torch.zeros(3, dtype=torch.float64, device=processes.device)
            sums[0] = self._losses[part]
            sums[1] = self._correct.get(part, 0.0)
            sums[2] = self._majority.get(part, 0.0)
            processes.sum([sums])
            total._losses[part] = sums[0]
            if part in self._correct:
                total._correct[part] = sums[1]
            if part in self._majority:
                total._majority[part] = sums[2]
        total._weights.update(self._weights)
        return total

    def state(self) -> dict[str, dict[str, float]]:
        """Return the sums as plain numbers, for a checkpoint."""
        return {
            "losses": {part: float(loss) for part, loss in self._losses.items()},
            "correct": {part: float(correct) for part, correct in self._correct.items()},
            "majority": {part: float(right) for part, right in self._majority.items()},
            "weights": dict(self._weights),
            "counts": dict(self._counts),
        }

    def load_state(self, state: Mapping[str, Mapping[str, Any]], *, share: bool) -> None:
        """Continue from `state`; only the first process takes the losses, all take the counts."""
        self._counts.update({part: int(n) for part, n in state.get("counts", {}).items()})
        self._weights.update(state.get("weights", {}))
        if share:
            self._losses.update(state.get("losses", {}))
            self._correct.update(state.get("correct", {}))
            self._majority.update(state.get("majority", {}))
