"""Language modelling beside a task: what keeps a small GPT from forgetting (Radford et al. 2018).

Equation 5: the task's loss plus λ times the loss of the next tokens of the task's own texts.
"""

from __future__ import annotations

from typing import Self

import torch
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.data.batch import Inputs
from foretext.errors import SettingError
from foretext.nn.vocabulary_head import Score, VocabularyHead
from foretext.tasks.task_base import TaskBase

__all__ = ["NextTokens"]


class NextTokens(nn.Module):
    """The body's own vocabulary head on every position but each row's last.

    Args:
        head: of the body's language model.
        weight: λ.
    """

    def __init__(self, head: VocabularyHead, weight: float) -> None:
        super().__init__()
        self.head = head
        self.weight = weight

    @classmethod
    def of(cls, body: TaskBase, weight: float) -> Self | None:
        """Return it where it has a weight.

        Raises:
            SettingError: the body has no head that could predict tokens from the left.
        """
        if not weight:
            return None
        if body.visibility != "causal" or body.vocabulary_head is None:
            raise SettingError(
                "[task] language_model_weight needs a causal language model as the base, such as "
                "a run of gpt; leave it at 0 for others."
            )
        return cls(body.vocabulary_head, weight)

    def count(self, inputs: Inputs) -> int:
        """Return the number of tokens that are predicted."""
        return int(self._asked(inputs).sum())

    def score(self, states: States, inputs: Inputs) -> Score:
        """Score each next token; the loss is weighed, the answers are not."""
        asked = self._asked(inputs)
        score = self.head.score(states.last[:, :-1][asked], inputs.ids[:, 1:][asked])
        return score._replace(loss=self.weight * score.loss)

    def _asked(self, inputs: Inputs) -> Tensor:
        """(B, T - 1), whether the next position is a real one."""
        if inputs.token_mask is None:
            return torch.ones_like(inputs.ids[:, 1:], dtype=torch.bool)
        return inputs.token_mask[:, 1:]
