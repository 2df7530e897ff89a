"""What a text becomes: its translation, its summary, or another form of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

from foretext.serving.ability import Ability
from foretext.serving.writing import Pause

__all__ = ["Translate", "TranslateOptions"]

LONG = 1024  # tokens of all hypotheses of a text


class TranslateOptions(NamedTuple):
    """How outputs are searched for; None: as the model does it by itself."""

    k: int = 1  # outputs of a text
    num_beams: int | None = None
    max_new_tokens: int | None = None


class Translate(Ability):
    """A text becomes the record of ``foretext predict --json``."""

    name: ClassVar[str] = "translate"

    def is_long(self, options: TranslateOptions) -> bool:
        """Whether an output may take so long that others should have turns meanwhile."""
        decoding = self.model.decoding
        num_beams = max(options.num_beams or decoding.num_beams, options.k)
        return num_beams * (options.max_new_tokens or decoding.max_new_tokens) > LONG

    def sample(self) -> tuple[str, TranslateOptions]:
        """Return a text of one letter, whose translation ends at once."""
        return "a", TranslateOptions(max_new_tokens=1)

    def run(self, items: Sequence[str], options: Hashable) -> list[dict[str, Any]]:
        """Return the record of each text; see `Ability.run`."""
        assert isinstance(options, TranslateOptions)
        return self.records(items, options)

    def records(
        self, items: Sequence[str], options: TranslateOptions, pause: Pause | None = None
    ) -> list[dict[str, Any]]:
        """Return the record of each text; `pause` is called before each token."""
        found = self.model.predict_top(items, options.k, pause=pause, **_decoding(options))
        [field] = self.model.fields
        return [
            {field: text, "outputs": [output.record() for output in outputs]}
            for text, outputs in zip(items, found, strict=True)
        ]


def _decoding(options: TranslateOptions) -> dict[str, Any]:
    """Return the settings that were given; a beam has room for as many outputs as are wanted."""
    given = {} if options.num_beams is None else {"num_beams": max(options.num_beams, options.k)}
    if options.max_new_tokens is not None:
        given["max_new_tokens"] = options.max_new_tokens
    return given
