"""How well a tokenizer fits a text, to be read before training on its tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np

from foretext.base.errors import CorpusError
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.token_names import shown_token

__all__ = ["Segmentation", "SubwordReport", "subword_report"]

WORD = re.compile(r"\w+")
BATCH = 1000  # texts encoded at a time
LONGEST_EXAMPLE = 120  # characters


@dataclass(frozen=True)
class Segmentation:
    """A text and its tokens."""

    text: str
    tokens: list[str]


@dataclass(frozen=True)
class SubwordReport:
    """Figures of a tokenizer on held-out text; a word is a run of letters, digits and marks."""

    vocab_size: int
    num_words: int
    num_tokens: int
    fertility: float  # tokens per word, at least 1
    whole_word_rate: float  # share of words that are one token
    unknown_rate: float  # share of tokens that are unknown
    bytes_per_token: float
    characters_per_token: float
    longest_tokens: list[str]  # of the vocabulary
    examples: list[Segmentation]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


def subword_report(
    tokenizer: SubwordTokenizer,
    texts: Iterable[str],
    *,
    num_examples: int = 5,
    num_longest: int = 20,
) -> SubwordReport:
    """Encode texts and measure; the tokenizer should not have learned from them.

    The report shows the tokens of the first `num_examples` texts.

    Raises:
        CorpusError: the texts give no token.
    """
    sums = _Sums()
    examples: list[str] = []
    remaining = iter(texts)
    while batch := list(islice(remaining, BATCH)):
        examples += [text[:LONGEST_EXAMPLE] for text in batch[: num_examples - len(examples)]]
        sums.add(tokenizer, batch)
    if not sums.tokens:
        raise CorpusError("The text to report on has no tokens; give a file with text.")
    return SubwordReport(
        vocab_size=tokenizer.vocab_size,
        num_words=sums.words,
        num_tokens=sums.tokens,
        fertility=sums.word_tokens / max(1, sums.words),
        whole_word_rate=sums.whole_words / max(1, sums.words),
        unknown_rate=sums.unknown / sums.tokens,
        bytes_per_token=sums.bytes / sums.tokens,
        characters_per_token=sums.characters / sums.tokens,
        longest_tokens=_longest_tokens(tokenizer, num_longest),
        examples=[Segmentation(text, _cut(tokenizer, text)) for text in examples],
    )


class _Sums:
    """Counts over all texts."""

    def __init__(self) -> None:
        self.words = self.tokens = self.word_tokens = self.whole_words = 0
        self.unknown = self.bytes = self.characters = 0

    def add(self, tokenizer: SubwordTokenizer, texts: list[str]) -> None:
        found = tokenizer.special.unknown
        unknown = -1 if found is None else found  # -1 is no token's id
        encodings = tokenizer.library.encode_batch(texts, add_special_tokens=False)
        for text, encoding in zip(texts, encodings, strict=True):
            ids = np.array(encoding.ids, np.int64)
            first, per_word = _tokens_of_words(text, encoding.offsets)
            whole = first[per_word == 1]
            self.words += per_word.size
            self.word_tokens += int(per_word.sum())
            self.whole_words += int((ids[whole] != unknown).sum())
            self.tokens += ids.size
            self.unknown += int((ids == unknown).sum())
            self.bytes += len(text.encode("utf-8", "replace"))
            self.characters += len(text)


def _tokens_of_words(text: str, offsets: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """The first token of each word of `text`, and their number; both (words,) int64."""
    words = np.array([match.span() for match in WORD.finditer(text)], np.int64).reshape(-1, 2)
    spans = np.array(offsets, np.int64).reshape(-1, 2)
    begun = np.searchsorted(spans[:, 0], words[:, 1], side="left")
    ended = np.searchsorted(spans[:, 1], words[:, 0], side="right")
    return ended, begun - ended


def _longest_tokens(tokenizer: SubwordTokenizer, count: int) -> list[str]:
    special = {token.content for token in tokenizer.library.get_added_tokens_decoder().values()}
    shown = [shown_token(tokenizer, token) for token in tokenizer.tokens if token not in special]
    return sorted(shown, key=lambda token: (-len(token.removeprefix("##")), token))[:count]


def _cut(tokenizer: SubwordTokenizer, text: str) -> list[str]:
    tokens = tokenizer.library.encode(text, add_special_tokens=False).tokens
    return [shown_token(tokenizer, token) for token in tokens]
