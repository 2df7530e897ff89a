"""A pass over a corpus: several threads process its blocks; results keep their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from foretext.shards.in_order import map_in_order

__all__ = ["Advance", "Blocks", "cut_blocks", "map_blocks", "map_in_order"]

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
