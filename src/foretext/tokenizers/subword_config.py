"""The settings of special tokens, which every kind of sub-word tokenizer has."""

from __future__ import annotations

from pydantic import Field

from foretext.base.config import Config
from foretext.tokenizers.special_tokens import UNKNOWN_NAMES, sentinel_name

__all__ = ["DEFAULT_SPECIAL_TOKENS", "UNKNOWN", "SubwordConfig"]

UNKNOWN = UNKNOWN_NAMES[0]
DEFAULT_SPECIAL_TOKENS = ["[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]"]


class SubwordConfig(Config):
    """Which tokens a tokenizer has that are no text."""

    special_tokens: list[str] = DEFAULT_SPECIAL_TOKENS
    """Tokens that get the first ids."""
    num_sentinels: int = Field(default=0, ge=0, le=10_000)
    """Sentinels, which get the next ids: `<extra_id_0>`, `<extra_id_1>`, ..., for hidden spans."""

    @property
    def reserved(self) -> list[str]:
        """The special tokens and the sentinels, in the order of their ids."""
        return [*self.special_tokens, *map(sentinel_name, range(self.num_sentinels))]

    @property
    def unknown(self) -> str | None:
        """The special token for text that has no token; None: there is none."""
        return next((name for name in UNKNOWN_NAMES if name in self.special_tokens), None)
