"""A pass over a corpus: several threads process its blocks; results keep their order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Protocol, TypeVar

from foretext.corpus.corpus import Corpus
from foretext.shards.in_order import map_in_order

__all__ = [
    "Advance",
    "Beginning",
    "Blocks",
    "cut_blocks",
    "first_bytes",
    "map_blocks",
    "map_in_order",
]

BLOCK = 1 << 18  # characters: fits the processor's cache, and several in flight cost little memory

Result = TypeVar("Result")


class Blocks(Protocol):
    """A corpus as a pass needs it, such as `foretext.corpus.Corpus`."""

    bytes_read: int

    @property
    def fingerprint(self) -> str:
        """Digest that changes with the corpus."""
        ...

    def blocks(self, size: int = ...) -> Iterator[str]:
        """Whole documents: one sentence per line, an empty line after each document."""
        ...


class Advance(Protocol):
    """Counts the bytes that were read, such as `foretext.progress.Progress`."""

    def advance(self, amount: float) -> None:
        """Add to the bytes read."""
        ...

    def stage(self, title: str) -> None:
        """Begin a part of the work of which nobody knows how long it takes."""
        ...


def map_blocks(
    work: Callable[[str], Result], corpus: Blocks, workers: int, progress: Advance | None = None
) -> Iterator[Result]:
    """Yield ``work(block)`` for each block of the corpus, in order."""
    read = 0
    for result in map_in_order(work, corpus.blocks(BLOCK), workers):
        if progress is not None:
            progress.advance(corpus.bytes_read - read)
        read = corpus.bytes_read
        yield result


def cut_blocks(text: str, size: int) -> Iterator[str]:
    """Yield a text in normal form in blocks of whole documents, of `size` characters or more."""
    at = 0
    while at < len(text):
        end = text.find("\n\n", at + size)
        end = len(text) if end < 0 else end + 2
        yield text[at:end]
        at = end


class Beginning(Corpus):
    """A corpus that can end early, after the same document in every pass.

    Args:
        corpus: all of it.
        limit: stored bytes, about; None: to its end, unless a pass is stopped.

    Attributes:
        limit: after how many stored bytes it ends; None: at its end.
    """

    def __init__(self, corpus: Corpus, limit: int | None = None) -> None:
        self.config, self.sources = corpus.config, corpus.sources
        self.whole = corpus
        self.limit = limit
        self.bytes_read = 0
        self._readings = corpus._readings
        self._given, self._only = corpus._given, corpus._only
        self._is_over: Callable[[], bool] | None = None

    @contextmanager
    def stopped(self, is_over: Callable[[], bool]) -> Iterator[None]:
        """End the passes within as soon as `is_over`; later passes end where these did."""
        self._is_over = is_over
        try:
            yield
        finally:
            self._is_over = None

    def blocks(self, size: int = 4 << 20) -> Iterator[str]:
        """Yield the blocks of the corpus that are read."""
        for block in super().blocks(size):
            yield block
            if self.limit is None and self._is_over is not None and self._is_over():
                self.limit = self.bytes_read
            if self.limit is not None and self.bytes_read >= self.limit:
                return

    @property
    def num_bytes(self) -> int | None:
        """Number of stored bytes that are read; None if a source is a stream."""
        every = self.whole.num_bytes
        return every if every is None or self.limit is None else min(every, self.limit)

    @property
    def share(self) -> float:
        """How much of the stored bytes is read, from 0 to 1; 1 where that is not known."""
        every, part = self.whole.num_bytes, self.num_bytes
        return part / every if every and part is not None else 1.0

    @cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digest of the corpus and of where it ends."""
        if self.limit is None:
            return self.whole.fingerprint
        parts = f"{self.whole.fingerprint} {self.limit}"
        return hashlib.sha256(parts.encode()).hexdigest()[:32]

    def __str__(self) -> str:
        return str(self.whole)


def first_bytes(corpus: Corpus, num_bytes: int | None) -> Beginning:
    """Return about so many stored bytes of a corpus, or all of it, which has its own digest."""
    every = corpus.num_bytes
    if num_bytes is not None and every is not None and num_bytes >= every:
        num_bytes = None
    return Beginning(corpus, num_bytes)
