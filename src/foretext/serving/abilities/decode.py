"""Ids of tokens as text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from foretext.base.errors import SettingError
from foretext.serving.ability import Ability

if TYPE_CHECKING:
    from foretext.tokenizers.base import Tokenizer

__all__ = ["Decode", "DecodeOptions", "decoded"]


class DecodeOptions(NamedTuple):
    """How a request wants its texts."""

    skip_special: bool = True  # leaves out tokens such as [CLS]


class Decode(Ability):
    """Ids become the text that they stand for."""

    name: ClassVar[str] = "decode"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.tokenizer: Tokenizer = model.tokenizer

    def cost(self, item: Sequence[int]) -> int:
        """Return the number of ids."""
        return len(item)

    def run(self, items: Sequence[Sequence[int]], options: Hashable) -> list[str]:
        """Return the text of each row of ids; see `Ability.run`."""
        assert isinstance(options, DecodeOptions)
        return [decoded(self.tokenizer, ids, skip_special=options.skip_special) for ids in items]


def decoded(tokenizer: Tokenizer, ids: Sequence[int], *, skip_special: bool) -> str:
    """Return the text of some ids.

    Raises:
        SettingError: there is no token of an id.
    """
    most = tokenizer.vocab_size
    for index in ids:
        if not 0 <= index < most:
            raise SettingError(
                f"id {index}: the tokens of this model have ids from 0 to {most - 1}."
            )
    special = {*tokenizer.special[:-1], *tokenizer.special.sentinels} if skip_special else ()
    return tokenizer.decode([index for index in ids if index not in special])
