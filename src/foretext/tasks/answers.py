"""What a text can be answered with, and how wrong an answer is: one class, several, or a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from foretext.errors import SettingError
from foretext.nn.vocabulary_head import Score

__all__ = ["Classes", "LabelSets", "RealNumber", "answers_of", "balanced_weights"]

LabelSet = Sequence[str]


class Classes(nn.Module):
    """One of C labels, by softmax.

    Args:
        labels: C names.
        smoothing: share of the target that all labels have in equal parts.
        weights: (C,) of the labels' losses, or None.
    """

    target = "labels"
    weights: Tensor | None

    def __init__(
        self, labels: Sequence[str], smoothing: float = 0.0, weights: Sequence[float] | None = None
    ) -> None:
        super().__init__()
        self.labels = tuple(labels)
        self.smoothing = smoothing
        self.register_buffer(
            "weights", None if weights is None else torch.tensor(weights), persistent=False
        )

    @property
    def num_outputs(self) -> int:
        """C."""
        return len(self.labels)

    def targets(self, label_sets: Sequence[LabelSet]) -> NDArray[np.int64]:
        """Return the class of each text, (N,)."""
        places = {label: place for place, label in enumerate(self.labels)}
        return np.array([places[label] for (label,) in label_sets], np.int64)

    def score(self, logits: Tensor, targets: Tensor) -> Score:
        """Score logits (B, C) against classes (B,)."""
        loss = F.cross_entropy(
            logits.float(),
            targets,
            weight=self.weights,
            reduction="sum",
            label_smoothing=self.smoothing,
        )
        return Score(loss, (logits.argmax(-1) == targets).sum())


class LabelSets(nn.Module):
    """Any of C labels, each by itself; what is more likely than not is answered.

    Args:
        labels: C names.
        weights: (C,) of the labels' losses, or None.
    """

    target = "labels"
    weights: Tensor | None

    def __init__(self, labels: Sequence[str], weights: Sequence[float] | None = None) -> None:
        super().__init__()
        self.labels = tuple(labels)
        self.register_buffer(
            "weights", None if weights is None else torch.tensor(weights), persistent=False
        )

    @property
    def num_outputs(self) -> int:
        """C."""
        return len(self.labels)

    def targets(self, label_sets: Sequence[LabelSet]) -> NDArray[np.float32]:
        """Return 1 where a text has a label, (N, C)."""
        rows = [set(labels) for labels in label_sets]
        return np.array([[label in row for label in self.labels] for row in rows], np.float32)

    def score(self, logits: Tensor, targets: Tensor) -> Score:
        """Score logits (B, C); a text is right where all of its labels are."""
        losses = F.binary_cross_entropy_with_logits(
            logits.float(), targets, weight=self.weights, reduction="none"
        )
        right = ((logits > 0) == (targets > 0.5)).all(-1)
        return Score(losses.mean(-1).sum(), right.sum())


class RealNumber(nn.Module):
    """A number, by squared error; a network's 0 and 1 are the ends of the range learned from.

    Args:
        lowest: number that 0 stands for.
        highest: number that 1 stands for.
    """

    target = "numbers"
    num_outputs = 1

    def __init__(self, lowest: float = 0.0, highest: float = 1.0) -> None:
        super().__init__()
        self.lowest, self.span = lowest, highest - lowest

    def targets(self, numbers: Sequence[float]) -> NDArray[np.float32]:
        """Return the numbers as a network is to give them, (N,)."""
        return ((np.array(numbers, np.float64) - self.lowest) / self.span).astype(np.float32)

    def numbers(self, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what outputs (N, 1) stand for, (N,)."""
        return self.lowest + self.span * outputs[:, 0]

    def score(self, outputs: Tensor, targets: Tensor) -> Score:
        """Score outputs (B, 1) against numbers (B,)."""
        return Score((outputs[:, 0].float() - targets).square().sum())


def answers_of(
    found: Mapping[str, Any], *, smoothing: float = 0.0, balanced: bool = False
) -> Classes | LabelSets:
    """Return the answers of a task, from what its rows told.

    Args:
        found: "labels", C names; "multi_label"; "counts", texts of each label.
        smoothing: of targets.
        balanced: whether all labels weigh the same, however rare.

    Raises:
        SettingError: smoothing is asked for where texts have several labels.
    """
    labels = found["labels"]
    weights = balanced_weights(found["counts"]) if balanced else None
    if found.get("multi_label"):
        if smoothing:
            raise SettingError(
                "[task] label_smoothing would have no effect where texts have several labels; "
                "leave it at 0."
            )
        return LabelSets(labels, weights)
    return Classes(labels, smoothing, weights)


def balanced_weights(counts: Sequence[int]) -> list[float]:
    """Return weights by which every label has the same share, and a text weighs 1 on average."""
    total = sum(counts)
    return [total / (len(counts) * max(count, 1)) for count in counts]
