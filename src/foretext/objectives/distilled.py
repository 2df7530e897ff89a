"""A language model that learns from a larger one beside the text (Sanh et al. 2019, "DistilBERT").

The loss has three parts (section 3): the cross-entropy with what the teacher says of hidden tokens
at a temperature, the own loss of the objective, and the cosine distance of the last states where
both networks are as wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from foretext.backbones.base import Backbone, States
from foretext.base.errors import SettingError
from foretext.data.batch import Batch
from foretext.nn.token_head import Score, TokenHead
from foretext.objectives.base import Objective
from foretext.objectives.criterion import Criterion

__all__ = ["Distilled", "DistilledWeights"]

TEACHER, STATES = "teacher", "states"  # parts of the loss, beside the objective's


class DistilledWeights(NamedTuple):
    """Weights of the parts of the loss; the defaults are those of the authors' program."""

    teacher: float = 5.0
    own: float = 2.0
    states: float = 1.0
    temperature: float = 2.0


class Distilled(Criterion):
    """The loss of an objective, and that of a teacher's tokens and states.

    Args:
        objective: of the student, whose head and weights are learned.
        backbone: of the student.
        teacher: its backbone; it is only read.
        teacher_objective: whose head says how probable each token is.
        weights: of the parts.

    Raises:
        SettingError: the objective has no distribution over tokens to learn.
    """

    def __init__(
        self,
        objective: Objective,
        backbone: Backbone,
        teacher: Backbone,
        teacher_objective: Objective,
        weights: DistilledWeights,
    ) -> None:
        super().__init__()
        head, own = teacher_objective.token_head, objective.token_head
        if head is None or own is None or not objective.fills:
            raise SettingError(
                f"[objective] {type(objective).__name__} predicts no hidden tokens, and a student "
                "learns the teacher's answers to these; distil a masked language model."
            )
        self.objective = objective
        self.weights = weights
        self.compares_states = backbone.dim == teacher.dim
        # Not modules of this one: they are neither trained nor kept.
        self._teacher: tuple[Backbone, TokenHead] = (teacher.eval(), head.eval())
        self.visibility = objective.visibility

    @property
    def networks(self) -> Mapping[str, Backbone]:
        """The networks of the objective."""
        return self.objective.networks

    def located(self, batch: Batch) -> Batch:
        """Return a batch that names the positions of the objective."""
        return self.objective.located(batch)

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predictions of each part of the objective, and of the teacher."""
        positions = self.objective.predicted_positions(batch)
        assert positions is not None, "the objective fills masks"
        counts = {**self.objective.counts(batch), TEACHER: len(positions)}
        return counts | ({STATES: batch.inputs.num_tokens} if self.compares_states else {})

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score states by the objective, by the teacher's tokens and by its states."""
        backbone, head = self._teacher
        positions = self.objective.predicted_positions(batch)
        own_head = self.objective.token_head
        assert positions is not None
        assert own_head is not None
        with torch.no_grad():
            theirs = backbone(batch.inputs).last  # (B, T, D)
            wanted = head(_at(theirs, positions)).float()  # (M, V)
        given = own_head(_at(states.last, positions)).float()
        weights = self.weights
        scores = {
            name: score._replace(weight=score.weight * weights.own)
            for name, score in self.objective.scores(states, batch).items()
        }
        scores[TEACHER] = _tokens(given, wanted, weights)
        if self.compares_states:
            scores[STATES] = _cosines(states.last, theirs, batch, weights.states)
        return scores


def _at(states: Tensor, positions: Tensor) -> Tensor:
    """Return the states (M, D) at positions that count through all rows of (B, T, D)."""
    return states.flatten(0, 1).index_select(0, positions)


def _tokens(given: Tensor, wanted: Tensor, weights: DistilledWeights) -> Score:
    """Score logits (M, V) by the teacher's: the divergence of both at the temperature."""
    heat = weights.temperature
    logs, theirs = F.log_softmax(given / heat, -1), F.log_softmax(wanted / heat, -1)
    loss = heat**2 * F.kl_div(logs, theirs, reduction="sum", log_target=True)
    alike = (given.argmax(-1) == wanted.argmax(-1)).sum()
    return Score(loss, alike, weight=weights.teacher)


def _cosines(own: Tensor, theirs: Tensor, batch: Batch, weight: float) -> Score:
    """Score states (B, T, D) by how far they point away from the teacher's, at real tokens."""
    away = 1 - F.cosine_similarity(own.float(), theirs.float(), dim=-1)  # (B, T)
    mask = batch.inputs.token_mask
    return Score((away if mask is None else away[mask]).sum(), weight=weight)
