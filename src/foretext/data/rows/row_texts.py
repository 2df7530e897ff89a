"""The texts of labelled rows as a corpus, so that tokenizers can be learned from them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["RowTexts"]

BLOCK = 1 << 18  # characters


class RowTexts:
    """What tokenizers learn from (`foretext.corpus.Blocks`), out of memory.

    Args:
        texts: of the rows.
        are_tokens: whether blanks separate tokens that are given, as in tagged sentences.
    """

    def __init__(self, texts: Sequence[str], *, are_tokens: bool = False) -> None:
        self.texts = texts
        self.are_tokens = are_tokens
        self.bytes_read = 0

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
        return {"pre_tokenizer": "whitespace"} if self.are_tokens else {}

    def _read(self, block: list[str]) -> str:
        text = "".join(block)
        self.bytes_read += len(text.encode())
        return text
