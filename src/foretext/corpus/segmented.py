"""Chinese text with blanks between its words, cut once however often it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from foretext.base.files import output_error
from foretext.corpus.blocks import Blocks, map_in_order
from foretext.corpus.chinese_words import is_jieba_unchanged, separate_words
from foretext.corpus.jieba_processes import JiebaProcesses

__all__ = ["SegmentedCorpus"]

SMALL_BLOCK = 1 << 14  # characters: a twentieth of a second of cutting
FEWEST_BYTES = 3_000_000  # below, processes would take longer to start than they save


class SegmentedCorpus(Blocks):
    """A corpus whose words have blanks between them; the first pass cuts and later ones read that.

    Args:
        corpus: in the normal form.
        path: of the file that keeps what was cut; about a third larger than the text.
        num_bytes: of the corpus, where that is known; of little text one process cuts all.
        workers: processes, at most.
    """

    def __init__(
        self, corpus: Blocks, path: Path, *, num_bytes: int | None = None, workers: int = 1
    ) -> None:
        self.corpus = corpus
        self.path = path
        self.bytes_read = 0
        is_long = num_bytes is None or num_bytes >= FEWEST_BYTES
        # Other processes know nothing of words that somebody has added to this one's jieba.
        self._workers = workers if is_long and is_jieba_unchanged() else 1
        self._sizes: list[tuple[int, int]] = []  # bytes of each block here, and read of the corpus
        self._is_whole = False

    @property
    def fingerprint(self) -> str:
        """That of the corpus: what words it has follows from that."""
        return self.corpus.fingerprint

    def blocks(self, size: int = SMALL_BLOCK) -> Iterator[str]:
        """Yield blocks of whole documents, of their own size.

        Raises:
            OutputError: the file cannot be written.
        """
        if self._is_whole:
            yield from self._kept()
        else:
            yield from self._cut()

    def _cut(self) -> Iterator[str]:
        self._sizes = []
        with self._cutter() as separate, self._opened("wb") as file:
            blocks = self.corpus.blocks(SMALL_BLOCK)
            for text in map_in_order(separate, blocks, self._workers):
                data = text.encode("utf-8", "surrogatepass")
                self._write(file, data)
                self.bytes_read = self.corpus.bytes_read
                self._sizes.append((len(data), self.bytes_read))
                yield text
        self._is_whole = True

    def _kept(self) -> Iterator[str]:
        with self._opened("rb") as file:
            for size, bytes_read in self._sizes:
                self.bytes_read = bytes_read
                yield file.read(size).decode("utf-8", "surrogatepass")

    @contextmanager
    def _cutter(self) -> Iterator[Callable[[str], str]]:
        if self._workers == 1:
            yield separate_words
        else:
            with JiebaProcesses(self._workers) as processes:
                yield processes.cut

    def _opened(self, mode: str) -> BinaryIO:
        try:
            return cast(BinaryIO, self.path.open(mode))
        except OSError as error:
            raise output_error(self.path, error) from error

    def _write(self, file: BinaryIO, data: bytes) -> None:
        try:
            file.write(data)
            file.flush()  # or a full disk would show when the file is closed
        except OSError as error:
            raise output_error(self.path, error) from error
