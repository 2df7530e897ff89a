"""Documents that repeat an earlier one but for white space, case and width, by 128-bit hashes."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import OutputError
from foretext.base.files import open_file, output_error
from foretext.base.parsing import map_array
from foretext.cleaning.equal_keys import MOST_SORTED, equal_keys

__all__ = ["ExactIndex", "exact_digest"]


def exact_digest(text: str) -> bytes:
    """Return a hash of 128 bits, the same for texts that differ in white space, case or width."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class ExactIndex:
    """Finds equal digests among more documents than fit into memory.

    What is found depends on digests and numbers alone, not on the calls by which they were added.

    Args:
        folder: an empty one, where digests and numbers are stored: 24 bytes a document. The caller
            removes it.
        most_sorted: digests that are sorted in memory together.
    """

    def __init__(self, folder: Path, *, most_sorted: int = MOST_SORTED) -> None:
        self._halves = folder / "first-halves.bin", folder / "second-halves.bin"
        self._number_file = folder / "numbers.bin"
        self.folder = folder
        self.most_sorted = most_sorted
        self._length = 0

    def add(self, digests: Sequence[bytes], numbers: Sequence[int] | NDArray[np.int64]) -> None:
        """Add documents by their digests and numbers, no number twice.

        Raises:
            OutputError: the disk is full.
        """
        halves = np.frombuffer(b"".join(digests), "<u8").reshape(-1, 2)  # (N, 2)
        files = (*self._halves, self._number_file)
        try:
            for path, column in zip(files, (*halves.T, np.asarray(numbers, "<i8")), strict=True):
                with open_file(path, "ab") as file:
                    file.write(column.tobytes())
        except OSError as error:
            raise output_error(self.folder, error) from error
        self._length += len(halves)

    def repeats(self) -> Iterator[NDArray[np.int64]]:
        """Yield the duplicates in parts, (2, R): their numbers, and those of their twins."""
        if not self._length:
            return
        numbers = map_array(self._number_file, "<i8", self._length, OutputError)
        seconds = map_array(self._halves[1], "<u8", self._length, OutputError)
        for places, groups, _ in equal_keys(self._halves[0], self._length, self.most_sorted):
            yield _repeated(groups, seconds[places], numbers[places])


def _repeated(
    groups: NDArray[np.int64], seconds: NDArray[np.uint64], numbers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return (2, R), documents and their twins: those equal in group and second half."""
    order = np.lexsort((numbers, seconds, groups))
    groups, seconds, numbers = groups[order], seconds[order], numbers[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (groups[1:] != groups[:-1]) | (seconds[1:] != seconds[:-1])
    twins = numbers[is_first][np.cumsum(is_first) - 1]
    return np.stack((numbers, twins))[:, ~is_first]
