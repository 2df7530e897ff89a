"""What tasks about whole texts have in common: answers, and language modelling beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.backbones.base import States
from foretext.base.config import Config
from foretext.data.batch import Batch
from foretext.heads.answers import Answers
from foretext.heads.base import Head
from foretext.heads.next_tokens import NextTokens
from foretext.heads.task_base import TaskBase
from foretext.heads.text_pooler import TextPooler
from foretext.nn.pooling import Pooling
from foretext.nn.vocabulary_head import Score
from foretext.objectives.base import TaskHeads

__all__ = ["TextHead"]


class TextHead(Head):
    """One answer an example and, by option, the next tokens of its rows."""

    answers: Answers
    head: TextPooler
    next_tokens: NextTokens | None
    repeats_inputs = True

    def __init__(self, config: Config, base: TaskBase, **found: Any) -> None:
        super().__init__(config, base, **found)
        self.next_tokens = None  # a class attribute would hide the module that replaces it

    @property
    def pooling(self) -> Pooling:  # type: ignore[override]
        """How the states of a row become one vector."""
        return self.head.pool.pooling

    @property
    def for_tasks(self) -> TaskHeads:
        """What stands between the states and the last layer."""
        pooler = self.head.pooler
        return TaskHeads(
            pooler=None if pooler is None else pooler.state_dict(), transform=self.head.transform
        )

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of examples and, with the auxiliary loss, of tokens."""
        counts = {self.name: len(batch)}
        if self.next_tokens is not None:
            counts["language_model"] = self.next_tokens.count(batch.inputs)
        return counts

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the answers and, with the auxiliary loss, the next tokens of all rows."""
        outputs = self.outputs(states, batch.inputs)
        own = self.answers.score(outputs, batch.targets[self.answers.target])
        return {self.name: own, **self.beside(states, batch)}

    def beside(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score what is learned beside the answers: with the auxiliary loss, the next tokens."""
        if self.next_tokens is None:
            return {}
        return {"language_model": self.next_tokens.score(states, batch.inputs)}
