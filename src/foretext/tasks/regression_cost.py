"""What a logistic regression takes of time and memory, said before it is learned.

It has a weight for each pair of a feature and a label, and each pass computes all labels for
each feature of each text. With a hundred labels that is seconds, with thousands it is not.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from foretext.base.runtime import refuse_without_memory
from foretext.messages import message
from foretext.progress.bar import seconds_in_words

__all__ = ["RegressionCost"]

# Measured with scikit-learn's sag on 50 to 600 labels, 3,000 to 20,000 features: 2.9 to 3.9.
NANOSECONDS = 3.5
USUAL_PASSES = 22  # until the weights change little
WEIGHT_COPIES, ROW_COPIES = 5, 2  # numbers of four bytes: weights (F, C), gradients (N, C)


class RegressionCost(NamedTuple):
    """What learning takes, about."""

    num_labels: int
    num_features: int
    seconds: float
    num_bytes: int

    @classmethod
    def of(cls, matrix: Any, num_labels: int, max_passes: int) -> Self:
        """Return the cost of a regression of all labels.

        Args:
            matrix: (N, F) sparse, the features of the texts.
            num_labels: C.
            max_passes: over the texts.
        """
        num_texts, num_features = matrix.shape
        steps = (matrix.nnz + 2 * num_texts + num_features) * num_labels
        seconds = steps * min(max_passes, USUAL_PASSES) * NANOSECONDS / 1e9
        numbers = WEIGHT_COPIES * num_features + ROW_COPIES * num_texts
        return cls(num_labels, num_features, seconds, 4 * numbers * num_labels)

    def refuse_without_memory(self) -> None:
        """Refuse to begin what would not end.

        Raises:
            SettingError: it needs more memory than is free.
        """
        refuse_without_memory(
            self.num_bytes,
            message("errors.room.linear", labels=self.num_labels, features=self.num_features),
            message("errors.room.linear_remedy"),
        )

    @property
    def size_in_words(self) -> str:
        """The numbers of labels and features, for a sentence."""
        return message("notes.baseline.size", labels=self.num_labels, features=self.num_features)

    @property
    def time_in_words(self) -> str:
        """The seconds, minutes or hours, for a sentence."""
        return seconds_in_words(self.seconds)
