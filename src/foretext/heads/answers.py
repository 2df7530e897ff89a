"""What an example is answered with, and the loss of an answer: one class, several, or a number."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from foretext.base.errors import SettingError
from foretext.metrics import sigmoid, softmax
from foretext.nn.vocabulary_head import Score

__all__ = ["Answers", "Classes", "LabelSets", "RealNumber", "balanced_weights", "class_answers"]

Array = NDArray[np.float64]

_TINY = 1e-12  # a probability


class Answers(nn.Module):
    """What a head's outputs mean.

    Attributes:
        target: name of the targets in a batch.
        num_outputs: numbers of an example.
        labels: C, each with its value; none of numbers.
        are_sets: whether an example may have any number of labels.
    """

    target: str
    num_outputs: int
    labels: tuple[str, ...] = ()
    are_sets: bool = False

    @abstractmethod
    def targets(self, answers: Sequence[Any]) -> NDArray[Any]:
        """Return the answers of N rows as targets, (N,) or (N, C)."""

    @abstractmethod
    def score(self, outputs: Tensor, targets: Tensor) -> Score:
        """Score outputs (B, num_outputs)."""

    @abstractmethod
    def values(self, outputs: Array, temperature: float) -> Array:
        """Return probabilities (N, C), or numbers (N,), of outputs (N, num_outputs)."""

    @abstractmethod
    def explained(self, outputs: Tensor, temperature: float) -> Tensor:
        """Return what words add to, (N, num_outputs), see `foretext.tasks.explanation.Values`.

        Args:
            outputs: (N, W, num_outputs) of N texts with W windows each, whose answers are merged.
            temperature: that logits are divided by.
        """


class Classes(Answers):
    """One of C labels, by softmax.

    Args:
        labels: C names.
        smoothing: share of the target that is spread over all labels.
        weights: (C,) of the labels' losses, or None.
    """

    target = "labels"
    weights: Tensor | None

    def __init__(
        self, labels: Sequence[str], smoothing: float = 0.0, weights: Sequence[float] | None = None
    ) -> None:
        super().__init__()
        self.labels = tuple(labels)
        self.num_outputs = len(self.labels)
        self.smoothing = smoothing
        _keep_weights(self, weights)

    def targets(self, answers: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """Return the class of each text, (N,)."""
        places = {label: place for place, label in enumerate(self.labels)}
        return np.array([places[label] for (label,) in answers], np.int64)

    def score(self, outputs: Tensor, targets: Tensor) -> Score:
        """Score logits (B, C) against classes (B,).

        Args:
            outputs: of the head, one row a text.
            targets: the right answers, as `targets` makes them.
        """
        loss = F.cross_entropy(
            outputs.float(),
            targets,
            weight=self.weights,
            reduction="sum",
            label_smoothing=self.smoothing,
        )
        return Score(loss, (outputs.argmax(-1) == targets).sum())

    def soft_score(self, outputs: Tensor, teacher: Tensor, temperature: float) -> Score:
        """Score logits (B, C) against what `softened` made of a teacher's answers, (B, C).

        Args:
            outputs: of the head, one row a text.
            teacher: what `softened` made of a teacher's answers.
            temperature: at which it did.
        """
        own = F.log_softmax(outputs.float() / temperature, -1)
        loss = -(temperature**2) * (teacher * own).sum()
        return Score(loss, (outputs.argmax(-1) == teacher.argmax(-1)).sum())

    def softened(self, probabilities: Array, temperature: float) -> NDArray[np.float32]:
        """Return probabilities (N, C) as they are at a temperature.

        Args:
            probabilities: (N, C) of a teacher.
            temperature: the higher, the more equal they become.
        """
        return softmax(np.log(np.maximum(probabilities, _TINY)), temperature).astype(np.float32)

    def sharpened(self, outputs: Tensor, temperature: float) -> Tensor:
        """Return the probabilities (B, C) of logits at a temperature.

        Args:
            outputs: of the head, one row a text.
            temperature: that divides logits; 1 changes nothing.
        """
        return F.softmax(outputs.float() / temperature, -1)

    def confidences(self, outputs: Tensor) -> Tensor:
        """Return the probability of the most probable label, (B,)."""
        return F.softmax(outputs.float(), -1).amax(-1)

    def values(self, outputs: Array, temperature: float) -> Array:
        """Return probabilities (N, C); each row sums to 1.

        Args:
            outputs: of the head, one row a text.
            temperature: that divides logits; 1 changes nothing.
        """
        return softmax(outputs / temperature)

    def explained(self, outputs: Tensor, temperature: float) -> Tensor:
        """Return the log of each label's probability less the mean of those of the others.

        Args:
            outputs: of the head, one row a text.
            temperature: that divides logits; 1 changes nothing.
        """
        shares = F.log_softmax(outputs.double() / temperature, -1).logsumexp(1)  # (N, C)
        C = shares.shape[1]
        return (shares - shares.mean(1, keepdim=True)) * (C / max(C - 1, 1))


class LabelSets(Answers):
    """Any of C labels, each by itself; a label is given where it is more probable than not.

    Args:
        labels: C names.
        weights: (C,) of the labels' losses, or None.
    """

    target = "labels"
    are_sets = True
    weights: Tensor | None

    def __init__(self, labels: Sequence[str], weights: Sequence[float] | None = None) -> None:
        super().__init__()
        self.labels = tuple(labels)
        self.num_outputs = len(self.labels)
        _keep_weights(self, weights)

    def targets(self, answers: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """Return 1 where a text has a label, (N, C)."""
        rows = [set(labels) for labels in answers]
        return np.array([[label in row for label in self.labels] for row in rows], np.float32)

    def score(self, outputs: Tensor, targets: Tensor) -> Score:
        """Score logits (B, C); a text is right where all of its labels are.

        Args:
            outputs: of the head, one row a text.
            targets: the right answers, as `targets` makes them.
        """
        losses = F.binary_cross_entropy_with_logits(
            outputs.float(), targets, weight=self.weights, reduction="none"
        )
        right = ((outputs > 0) == (targets > 0.5)).all(-1)
        return Score(losses.mean(-1).sum(), right.sum())

    def soft_score(self, outputs: Tensor, teacher: Tensor, temperature: float) -> Score:
        """Score logits (B, C) against what `softened` made of a teacher's answers, (B, C).

        Args:
            outputs: of the head, one row a text.
            teacher: what `softened` made of a teacher's answers.
            temperature: at which it did.
        """
        losses = F.binary_cross_entropy_with_logits(
            outputs.float() / temperature, teacher, reduction="none"
        )
        alike = ((outputs > 0) == (teacher > 0.5)).all(-1)
        return Score(temperature**2 * losses.mean(-1).sum(), alike.sum())

    def softened(self, probabilities: Array, temperature: float) -> NDArray[np.float32]:
        """Return probabilities (N, C), each label's by itself, as they are at a temperature.

        Args:
            probabilities: (N, C) of a teacher.
            temperature: the higher, the more equal they become.
        """
        inside = np.clip(probabilities, _TINY, 1 - _TINY)
        logits = np.log(inside) - np.log1p(-inside)
        return sigmoid(logits / temperature).astype(np.float32)

    def sharpened(self, outputs: Tensor, temperature: float) -> Tensor:
        """Return the probabilities (B, C) of logits at a temperature, each label's by itself.

        Args:
            outputs: of the head, one row a text.
            temperature: that divides logits; 1 changes nothing.
        """
        return torch.sigmoid(outputs.float() / temperature)

    def confidences(self, outputs: Tensor) -> Tensor:
        """Return how probable the answer about the least sure label is, (B,)."""
        return torch.sigmoid(outputs.float().abs()).amin(-1)

    def values(self, outputs: Array, temperature: float) -> Array:
        """Return probabilities (N, C), each label's by itself.

        Args:
            outputs: of the head, one row a text.
            temperature: that divides logits; 1 changes nothing.
        """
        return sigmoid(outputs / temperature)

    def explained(self, outputs: Tensor, temperature: float) -> Tensor:
        """Return the log of the odds of each label.

        Args:
            outputs: of the head, one row a text.
            temperature: that divides logits; 1 changes nothing.
        """
        logits = outputs.double() / temperature
        return F.logsigmoid(logits).logsumexp(1) - F.logsigmoid(-logits).logsumexp(1)


class RealNumber(Answers):
    """A number, by squared error; outputs of 0 and 1 are the ends of the range in the rows.

    Args:
        lowest: number that 0 stands for.
        highest: number that 1 stands for.
    """

    target = "numbers"
    num_outputs = 1

    def __init__(self, lowest: float = 0.0, highest: float = 1.0) -> None:
        super().__init__()
        self.lowest, self.span = lowest, highest - lowest

    def targets(self, answers: Sequence[float]) -> NDArray[np.float32]:
        """Return the numbers as the network is to give them, (N,)."""
        return ((np.array(answers, np.float64) - self.lowest) / self.span).astype(np.float32)

    def score(self, outputs: Tensor, targets: Tensor) -> Score:
        """Score outputs (B, 1) against numbers (B,).

        Args:
            outputs: of the head, one row a text.
            targets: the right answers, as `targets` makes them.
        """
        return Score((outputs[:, 0].float() - targets).square().sum())

    def values(self, outputs: Array, temperature: float) -> Array:
        """Return the numbers, (N,); no temperature changes them.

        Args:
            outputs: of the head, one row a text.
            temperature: that divides logits; 1 changes nothing.
        """
        return self.lowest + self.span * outputs[:, 0]

    def explained(self, outputs: Tensor, temperature: float) -> Tensor:
        """Return the numbers.

        Args:
            outputs: of the head, one row a text.
            temperature: that divides logits; 1 changes nothing.
        """
        return self.lowest + self.span * outputs.double().mean(1)


def class_answers(
    found: Mapping[str, Any], *, smoothing: float = 0.0, balanced: bool = False
) -> Classes | LabelSets:
    """Return the answers of a classification.

    Args:
        found: in the rows: "labels", C names; "multi_label"; "counts", texts of each label.
        smoothing: of targets.
        balanced: whether all labels weigh the same, however rare.

    Raises:
        SettingError: smoothing is set, and texts have several labels.
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
    """Return weights that give every label the same share, and a text 1 on average."""
    total = sum(counts)
    return [total / (len(counts) * max(count, 1)) for count in counts]


def _keep_weights(answers: nn.Module, weights: Sequence[float] | None) -> None:
    """Let the weights move to a device with the module, and keep them out of its folder."""
    kept = None if weights is None else torch.tensor(weights)
    answers.register_buffer("weights", kept, persistent=False)
