"""The texts of labelled rows as a corpus, so that tokenizers can be learned from them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["RowTexts"]

BLOCK = 1 << 18  # characters
SAMPLE = 1_000  # texts that are looked at
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
SINGLE_RATE = 0.9  # share of Han tokens of one character, from which all of them are meant so
BLANK_BETWEEN = re.compile(
    r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])|(?<=\d) (?=\d)"
)  # Chinese, digits


class RowTexts:
    """What tokenizers learn from (`foretext.corpus.Blocks`), out of memory.

    Args:
        texts: of the rows.
        are_tokens: whether blanks separate tokens that are given, as in tagged sentences.
        hold_answers: whether spans of them are answers, which words must not be longer than.
    """

    def __init__(
        self, texts: Sequence[str], *, are_tokens: bool = False, hold_answers: bool = False
    ) -> None:
        self.texts = texts
        self.are_tokens = are_tokens
        self.hold_answers = hold_answers
        self.bytes_read = 0

    @property
    def are_characters(self) -> bool:
        """Whether the tokens that are given are single characters, as Chinese is often tagged."""
        if not self.are_tokens:
            return False
        tokens = [token for text in self.texts[:SAMPLE] for token in text.split(" ")]
        han = [token for token in tokens if HAN.match(token)]
        single = sum(len(token) == 1 for token in han)
        return single > len(tokens) / 2 and single > SINGLE_RATE * len(han)

    @property
    def running(self) -> list[str]:
        """The texts as people write them: without blanks between characters that are tagged."""
        if not self.are_characters:
            return [*self.texts]
        return [BLANK_BETWEEN.sub("", text) for text in self.texts]

    @property
    def fingerprint(self) -> str:
        """Digest of the texts."""
        digest = hashlib.sha256()
        for text in self.texts:
            digest.update(text.encode() + b"\n")
        return digest.hexdigest()[:32]

    def blocks(self, size: int = BLOCK) -> Iterator[str]:
        """Yield each text as a document of one sentence, many in a block."""
        self.bytes_read = 0
        block: list[str] = []
        length = 0
        for text in self.texts:
            line = " ".join(text.split("\n"))
            block.append(f"{line}\n\n")
            length += len(line)
            if length >= size:
                yield self._read(block)
                block, length = [], 0
        if block:
            yield self._read(block)

    def word_settings(self) -> dict[str, Any]:
        """Return the settings of a word tokenizer that these texts need."""
        if self.hold_answers:
            return {"pre_tokenizer": "words_and_punctuation"}
        return {"pre_tokenizer": "whitespace"} if self.are_tokens else {}

    def _read(self, block: list[str]) -> str:
        text = "".join(block)
        self.bytes_read += len(text.encode())
        return text
