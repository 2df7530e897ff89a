"""Symbols that are no part of a word, such as €, ©, ™, … and :), which most pre-tokenisers drop.

Emoji are words and are none of them (`foretext.corpus.emoji`); nor are punctuation marks such as
commas, brackets and dashes, nor the signs of tags and tables, which nobody misses.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from foretext.corpus.emoji import EMOJI
from foretext.messages import clauses, message, translated

__all__ = ["DROPPING", "KEEPING", "Symbols", "dropped_sentence", "symbols_in"]

DROPPING = frozenset({"unicode_words", "chinese_characters", "chinese_words", "letters"})
KEEPING = "words_and_punctuation"

_SAMPLE = 4000  # texts that are looked at, at most
_BEGINNING = 2000  # characters of each
_NAMED = 5  # symbols that a sentence names
_SMALL = 0.05  # share of the texts up to which nothing is said
_FEWEST = 5  # texts with a symbol, below which nothing is said

_CLASSES = frozenset({"Sc", "Sm", "So"})  # of currency, of mathematics, others
_MORE = frozenset("%‰§…")  # of Unicode's class "other punctuation"
_MARKUP = frozenset(
    "<>|=~\ufffd"
)  # of damage, and of tags, tables and headings more often than of texts
_ENTITY = re.compile(r"&#?\w{1,8};")
_FACE = r"(?<![^\W_])[:;=]['’-]?[()DPp](?![^\W_])|<3(?!\d)"
_CANDIDATE = re.compile(rf"{_FACE}|[^\w\s{EMOJI}.,'\"!?()&@\-]")


@dataclass
class Symbols:
    """How often each symbol stands in texts.

    Attributes:
        counts: of each symbol; a face of signs such as :) is one.
        texts: that were looked at.
        with_symbols: how many of these have a symbol.
    """

    counts: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    with_symbols: int = 0

    @property
    def rate(self) -> float:
        """The share of the texts that have a symbol."""
        return self.with_symbols / max(self.texts, 1)

    @property
    def named(self) -> str:
        """The commonest ones with their counts."""
        return ", ".join(f"{name} {count:,}" for name, count in self.counts.most_common(_NAMED))

    def sentence(self, unit: str, setting: str) -> str | None:
        """Say that these become no words; None where only a small share of the texts has any.

        Args:
            unit: what the texts are, in the plural.
            setting: that keeps them.
        """
        if self.with_symbols < _FEWEST or self.rate <= _SMALL:
            return None
        known = {"rate": self.rate, "unit": translated(unit), "named": self.named}
        said = message("findings.corpus.symbols", **known)
        return clauses([said, message("findings.corpus.keeps_them", setting=setting)])

    def add(self, text: str) -> None:
        """Look at the beginning of the next text."""
        found = symbols_in(text[:_BEGINNING])
        self.texts += 1
        self.with_symbols += bool(found)
        self.counts.update(found)

    def merge(self, other: Symbols) -> None:
        """Add what was found in other texts."""
        self.counts.update(other.counts)
        self.texts += other.texts
        self.with_symbols += other.with_symbols


def symbols_in(text: str) -> list[str]:
    """Return the symbols of a text, in order."""
    found = _CANDIDATE.findall(_ENTITY.sub(" ", text) if "&" in text else text)
    return [each for each in found if len(each) > 1 or _is_symbol(each)] if found else found


def dropped_sentence(texts: Sequence[str], kind: str, section: str) -> str | None:
    """Say which symbols of texts become no words, and which setting keeps them.

    Args:
        texts: to learn from; some thousands, evenly spread, are looked at.
        kind: of the pre-tokeniser that cuts them.
        section: of the recipe, in which `pre_tokenizer` keeps them.

    Returns:
        None where all are kept, or where no more than a small share of the texts has any.
    """
    if kind not in DROPPING:
        return None
    found = Symbols()
    for text in texts[:: -(-len(texts) // _SAMPLE) or 1]:
        found.add(text)
    return found.sentence("texts", f"--set {section}.pre_tokenizer={KEEPING}")


@cache
def _is_symbol(character: str) -> bool:
    is_sign = unicodedata.category(character) in _CLASSES and character not in _MARKUP
    return is_sign or character in _MORE
