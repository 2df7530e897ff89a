"""Language modelling beside a task, so that a small GPT does not forget (Radford et al. 2018).

Equation 5: the loss of the task plus λ times the loss of the next tokens of its texts.
"""

from __future__ import annotations

from typing import Self

import torch
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.heads.base import TaskBase
from foretext.nn.token_head import Score, TokenHead

__all__ = ["NextTokens"]


class NextTokens(nn.Module):
    """The base's own vocabulary head on every position but each row's last.

    Args:
        head: of the base's language model.
        weight: λ.
    """

    def __init__(self, head: TokenHead, weight: float) -> None:
        super().__init__()
        self.head = head
        self.weight = weight

    @classmethod
    def of(cls, base: TaskBase, weight: float) -> Self | None:
        """Return it if its weight is not 0.

        Raises:
            SettingError: the base has no head that predicts next tokens.
        """
        if not weight:
            return None
        if base.visibility != "causal" or base.vocabulary_head is None:
            raise SettingError(
                "[task] language_model_weight needs a causal language model as the base, such as "
                "a run of gpt; leave it at 0 for others."
            )
        return cls(base.vocabulary_head, weight)

    def count(self, inputs: Inputs) -> int:
        """Return the number of tokens that are predicted."""
        return int(self._predicted(inputs).sum())

    def score(self, states: States, inputs: Inputs) -> Score:
        """Score each next token; the loss is weighted, the number of right answers is not."""
        predicted = self._predicted(inputs)
        score = self.head.score(states.last[:, :-1][predicted], inputs.ids[:, 1:][predicted])
        return score._replace(loss=self.weight * score.loss)

    def _predicted(self, inputs: Inputs) -> Tensor:
        """Return whether the next position is a token, (B, T - 1)."""
        if inputs.token_mask is None:
            return torch.ones_like(inputs.ids[:, 1:], dtype=torch.bool)
        return inputs.token_mask[:, 1:]
