"""The first megabytes of a corpus, and what they say about all of it."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator
from typing import Self

from foretext.corpus import Corpus
from foretext.corpus.blocks import BLOCK

__all__ = ["CorpusSample"]

SAMPLE = 1 << 21  # characters; enough for the bytes of a token, and read in a moment


class CorpusSample:
    """The beginning of a corpus, which can be passed over like the corpus itself.

    Args:
        corpus: where from; a stream is read to its end to find its size.
        limit: characters, about.

    Attributes:
        texts: blocks of whole documents.
        num_bytes: of the sample, in UTF-8.
        corpus_bytes: of all the text, in UTF-8; an estimate unless the sample is `whole`.
        whole: whether the sample is all there is.

    Raises:
        CorpusError: there is no text, or a file is not what it should be.
    """

    bytes_read = 0

    def __init__(self, corpus: Corpus, limit: int = SAMPLE) -> None:
        self.texts: list[str] = []
        self.num_bytes, stored = 0, 0
        self.whole = True
        length = 0
        for text in corpus.blocks(BLOCK):
            if length >= limit:
                self.whole = False
                break
            self.texts.append(text)
            length += len(text)
            self.num_bytes += len(text.encode())
            stored = corpus.bytes_read
        self.corpus_bytes = self._all_bytes(corpus, stored)
        self.fingerprint = hashlib.sha256(f"{corpus.fingerprint} {limit}".encode()).hexdigest()[:32]

    def beginning(self) -> Self:
        """Return only its first block."""
        part = copy.copy(self)
        part.texts = self.texts[:1]
        part.num_bytes = sum(len(text.encode()) for text in part.texts)
        part.fingerprint = f"beginning of {self.fingerprint}"
        return part

    def blocks(self, size: int = BLOCK) -> Iterator[str]:
        """Yield the texts, in blocks of their own size."""
        yield from self.texts

    def _all_bytes(self, corpus: Corpus, stored: int) -> int:
        """Bytes of all the text, by the share of the stored bytes that the sample has read."""
        if self.whole:
            return self.num_bytes
        if corpus.num_bytes is None:
            return sum(len(text.encode()) for text in corpus.blocks(BLOCK))
        return round(self.num_bytes * corpus.num_bytes / max(stored, 1))
