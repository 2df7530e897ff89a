"""A classification that learns to answer alike where some tokens of a text are replaced.

Xie et al. 2020, "Unsupervised Data Augmentation for Consistency Training", sections 2.2 and 3.3:
rows without a label are answered as they are, without a gradient. Answers that are sure enough are
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
from foretext.heads.partly_labelled import IS_LABELLED, PartlyLabelled
from foretext.nn.vocabulary_head import Score

__all__ = ["CONSISTENCY", "Consistent"]

CONSISTENCY = "consistency"  # part of the loss; as a target: the answers that are learned, (B, C)


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
