"""Classification that learns from answers beside the labels: a teacher's, or its own.

Hinton et al. 2015, "Distilling the Knowledge in a Neural Network", section 2: the loss is a mean of
the cross-entropy with the labels and of that with the teacher's probabilities at a temperature,
which is multiplied by the square of the temperature so that its gradients stay as large. A row
without a label has the second part alone.

A classification that learns to answer alike where some tokens of a text are replaced. Xie et al.
2020, "Unsupervised Data Augmentation for Consistency Training", sections 2.2 and 3.3: rows
without a label are answered as they are, without a gradient. Answers that are sure enough are
sharpened, and the network learns them as the answers to the changed rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from foretext.backbones.base import Backbone, States
from foretext.data.batch import Batch
from foretext.data.replaced_examples import REPLACED
from foretext.heads.classification import ClassificationHead
from foretext.nn.vocabulary_head import Score
from foretext.objectives.criterion import Criterion

__all__ = ["CONSISTENCY", "IS_LABELLED", "TEACHER", "Consistent", "PartlyLabelled", "Taught"]

TEACHER = "teacher"  # target: a teacher's probabilities, (B, C) float32; also the part of the loss

CONSISTENCY = "consistency"  # part of the loss; as a target: the answers that are learned, (B, C)

IS_LABELLED = "is_labelled"  # target: which rows have a label of their own, (B,) bool


class PartlyLabelled(Criterion):
    """The loss of a task, and another part of the loss that needs no labels.

    Args:
        head: that is learned; it answers alone afterwards.
    """

    def __init__(self, head: ClassificationHead) -> None:
        super().__init__()
        self.head = head
        self.visibility = head.visibility

    @property
    def needs_layers(self) -> bool:
        """Whether the head reads the states of every layer."""
        return self.head.needs_layers

    def check(self, backbone: Backbone) -> None:
        """Refuse a backbone that the head does not fit."""
        self.head.check(backbone)


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


class Consistent(PartlyLabelled):
    """The loss of a task, and that of its own answers; batches without `REPLACED` have the first.

    Args:
        head: that is learned; it answers alone afterwards.
        weight: of its own answers in the loss; the labels have 1.
        temperature: that sharpens these answers, at most 1.
        confidence: probability from which an answer is learned.
    """

    def __init__(
        self, head: ClassificationHead, weight: float, temperature: float, confidence: float
    ) -> None:
        super().__init__(head)
        self.weight = weight
        self.temperature = temperature
        self.confidence = confidence

    def prepare(self, batch: Batch, backbone: Backbone) -> Batch:
        """Answer the rows as they are, and return them with replaced tokens."""
        targets = batch.targets
        if REPLACED not in targets:  # rows to measure
            return batch
        with torch.no_grad():
            states = backbone(batch.inputs, keep_layers=self.needs_layers)
            answers = self.head.outputs(states, batch.inputs)  # (B, C)
        inputs = replace(batch.inputs, ids=targets[REPLACED])
        return replace(batch, inputs=inputs, targets={**targets, CONSISTENCY: answers})

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of rows with a label, and of those without."""
        counts = self.head.counts(batch)
        if REPLACED not in batch.targets:
            return counts
        num_labelled = int(batch.targets[IS_LABELLED].sum())
        return {**counts, self.head.name: num_labelled, CONSISTENCY: len(batch) - num_labelled}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score rows with a label against it, and the others against the answers to them."""
        targets = batch.targets
        if REPLACED not in targets:
            return self.head.scores(states, batch)
        answers, labelled = self.head.answers, targets[IS_LABELLED]
        outputs = self.head.outputs(states, batch.inputs)  # (B, C)
        own = answers.score(outputs[labelled], targets[answers.target][labelled])
        return {
            self.head.name: own,
            CONSISTENCY: self._agreement(outputs[~labelled], targets[CONSISTENCY][~labelled]),
            **self.head.beside(states, batch),
        }

    def _agreement(self, outputs: Tensor, wanted: Tensor) -> Score:
        """Score logits (U, C) of replaced rows against those of the rows as they are, (U, C)."""
        answers = self.head.answers
        sure = answers.confidences(wanted) >= self.confidence
        learned = answers.sharpened(wanted[sure], self.temperature)
        return answers.soft_score(outputs[sure], learned, 1.0)._replace(weight=self.weight)
