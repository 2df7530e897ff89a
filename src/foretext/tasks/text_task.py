"""What tasks about whole texts have in common: answers, and language modelling beside them."""

from __future__ import annotations

from collections.abc import Mapping

from foretext.backbones.base import States
from foretext.data.batch import Batch
from foretext.nn.vocabulary_head import Score
from foretext.tasks.answers import Classes, LabelSets, RealNumber
from foretext.tasks.base import Task
from foretext.tasks.next_tokens import NextTokens

__all__ = ["TextTask"]


class TextTask(Task):
    """One answer an example and, by option, the next tokens of its rows."""

    answers: Classes | LabelSets | RealNumber
    next_tokens: NextTokens | None

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of examples and, with the auxiliary loss, of tokens."""
        counts = {self.name: len(batch)}
        if self.next_tokens is not None:
            counts["language_model"] = self.next_tokens.count(batch.inputs)
        return counts

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the answers and, with the auxiliary loss, the next tokens of all rows."""
        outputs = self.outputs(states, batch.inputs)
        scores = {self.name: self.answers.score(outputs, batch.targets[self.answers.target])}
        if self.next_tokens is not None:
            scores["language_model"] = self.next_tokens.score(states, batch.inputs)
        return scores
