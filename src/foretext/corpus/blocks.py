"""A pass over a corpus: its blocks worked on in several threads, results in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Protocol, TypeVar

from foretext.runtime import Threads

__all__ = ["Advance", "Blocks", "map_blocks", "map_in_order"]

BLOCK = 1 << 18  # characters: fits the processor's cache, and several in flight cost little memory

Block = TypeVar("Block")
Result = TypeVar("Result")


class Blocks(Protocol):
    """What a pass asks of a corpus; `foretext.corpus.Corpus` has it."""

    bytes_read: int

    @property
    def fingerprint(self) -> str:
        """Digest of what the corpus is."""
        ...

    def blocks(self, size: int = ...) -> Iterator[str]:
        """Whole documents: a sentence a line, an empty line after each document."""
        ...


class Advance(Protocol):
    """What is told how many bytes were read; `foretext.progress.Progress` is one."""

    def advance(self, amount: float) -> None:
        """Add to the bytes read."""
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


def map_in_order(
    work: Callable[[Block], Result], blocks: Iterable[Block], workers: int
) -> Iterator[Result]:
    """Yield ``work(block)`` in order; at most two blocks a thread are held, to bound memory."""
    pending: deque[Future[Result]] = deque()
    with Threads(workers, thread_name_prefix="blocks") as pool:
        try:
            for block in blocks:
                pending.append(pool.submit(work, block))
                if len(pending) >= 2 * workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
