"""A classification that learns from a teacher's probabilities beside the labels.

Hinton et al. 2015, "Distilling the Knowledge in a Neural Network", section 2: the loss is a mean of
the cross-entropy with the labels and of that with the teacher's probabilities at a temperature,
which is multiplied by the square of the temperature so that its gradients stay as large. A row
without a label has the second part alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from foretext.backbones.base import States
from foretext.data.batch import Batch
from foretext.heads.classification import ClassificationHead
from foretext.heads.partly_labelled import IS_LABELLED, PartlyLabelled
from foretext.nn.vocabulary_head import Score

__all__ = ["TEACHER", "Taught"]

TEACHER = "teacher"  # target: a teacher's probabilities, (B, C) float32; also the part of the loss


class Taught(PartlyLabelled):
    """The loss of a task, and that of a teacher's answers; batches without these have the first.

    Args:
        head: that is learned; it answers alone afterwards.
        weight: of the teacher, from 0 to 1; the labels have the rest.
        temperature: that the teacher's probabilities were softened with.
    """

    def __init__(self, head: ClassificationHead, weight: float, temperature: float) -> None:
        super().__init__(head)
        self.weight = weight
        self.temperature = temperature
        self.repeats_inputs = head.repeats_inputs

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of rows with a label, and of those that the teacher answered."""
        counts = self.head.counts(batch)
        if TEACHER not in batch.targets:  # rows to measure
            return counts
        num_labelled = int(batch.targets[IS_LABELLED].sum())
        return {**counts, self.head.name: num_labelled, TEACHER: len(batch)}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score rows against their labels and against the teacher's answers."""
        if TEACHER not in batch.targets:
            return self.head.scores(states, batch)
        answers, labelled = self.head.answers, batch.targets[IS_LABELLED]
        outputs = self.head.outputs(states, batch.inputs)  # (B, C)
        own = answers.score(outputs[labelled], batch.targets[answers.target][labelled])
        soft = answers.soft_score(outputs, batch.targets[TEACHER], self.temperature)
        return {
            self.head.name: own._replace(weight=1 - self.weight),
            TEACHER: soft._replace(weight=self.weight),
            **self.head.beside(states, batch),
        }
