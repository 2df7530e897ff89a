"""Which words decided on an answer, behind a server."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

from foretext.data.rows.inputs import Input
from foretext.serving.ability import Ability
from foretext.tasks.explanation import MOST, Method
from foretext.tasks.predictor import Predictor

__all__ = ["Explain", "ExplainOptions"]


class ExplainOptions(NamedTuple):
    """What a request wants explained."""

    label: str | None = None  # None: of each input the most probable one
    method: Method = "auto"


class Explain(Ability):
    """The texts of the model's `fields` become an explanation, as `Explanation.record` has it."""

    name: ClassVar[str] = "explain"
    model: Predictor

    def cost(self, item: Input) -> int:
        """Return the tokens of all inputs that the model has to answer for one explanation."""
        tokens = super().cost(item)
        return tokens * min(tokens, MOST)  # an input for each word

    def run(self, items: Sequence[Input], options: Hashable) -> list[dict[str, Any]]:
        """Return the record of each input; see `Ability.run`."""
        assert isinstance(options, ExplainOptions)
        found = self.model.explain(list(items), options.label, method=options.method)
        return [each.record() for each in found]
