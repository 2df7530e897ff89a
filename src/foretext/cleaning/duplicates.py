"""Which documents of all shards repeat an earlier one: exactly, or nearly."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import OutputError
from foretext.base.files import open_file, output_error, temporary_folder
from foretext.base.parsing import map_array, temporary_array
from foretext.cleaning.equal_keys import MOST_SORTED, equal_keys
from foretext.cleaning.near_duplicates import DuplicateIndex
from foretext.cleaning.shard_folder import KeptRow, ShardFolder
from foretext.messages import message
from foretext.progress import Progress

__all__ = [
    "EXACT",
    "NEAR",
    "Documents",
    "Duplicates",
    "ExactIndex",
    "exact_digest",
    "find_duplicates",
]

EXACT, NEAR = "exact_duplicate", "near_duplicate"
AT_ONCE = 1 << 20  # documents whose numbers are in memory together

Check = Callable[[], None]


class Documents:
    """The documents that are kept of all shards, numbered in their order.

    Args:
        folders: of the shards.
        sizes: documents that are kept of each.
    """

    def __init__(self, folders: Sequence[ShardFolder], sizes: Sequence[int]) -> None:
        self.folders, self.sizes = folders, sizes
        self.starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))

    def __len__(self) -> int:
        return int(self.starts[-1])

    def row(self, number: int) -> KeptRow:
        """Return a document.

        Raises:
            OutputError: the files of its shard are damaged.
        """
        shard = int(np.searchsorted(self.starts, number, side="right")) - 1
        return self.folders[shard].kept_row(number - int(self.starts[shard]), self.sizes[shard])

    def text(self, number: int) -> str:
        """Return the text of a document."""
        return self.row(number).text


class Duplicates:
    """Which documents repeat one that is kept; at first none does.

    Args:
        num_documents: N.
        folder: where files take the numbers of each, 13 bytes; they are gone with this object.

    Attributes:
        twins: (N,) the number of the document that is kept in the place of each: of one that
            repeats none, its own.
        similarities: (N,) of both, 1 where the texts are equal.
    """

    def __init__(self, num_documents: int, folder: Path) -> None:
        self.twins: NDArray[np.int64] = temporary_array(folder, "int64", num_documents)
        self.similarities = temporary_array(folder, "float32", num_documents)
        self._is_exact = temporary_array(folder, "bool", num_documents)
        self.similarities[:] = 1
        for part in self._parts():
            self.twins[part] = np.arange(part.start, part.stop)

    def add_equal(self, numbers: NDArray[np.int64], twins: NDArray[np.int64]) -> None:
        """Note that documents repeat other ones exactly."""
        self.twins[numbers], self._is_exact[numbers] = twins, True

    def add_near(self, number: int, twin: int, similarity: float) -> None:
        """Note that a document nearly repeats another one."""
        self.twins[number], self.similarities[number] = twin, similarity

    def settle(self) -> None:
        """Let what repeats a near duplicate name the twin of that, which is kept."""
        for part in self._parts():
            twins = self.twins[part]
            self.similarities[part] = np.minimum(self.similarities[part], self.similarities[twins])
            self.twins[part] = self.twins[twins]

    def _parts(self) -> Iterator[slice]:
        size = len(self.twins)
        return (slice(at, min(at + AT_ONCE, size)) for at in range(0, size, AT_ONCE))

    def is_dropped(self, number: int) -> bool:
        """Whether a document repeats another one."""
        return bool(self.twins[number] != number)

    def reason(self, number: int) -> str:
        """Return why a document is dropped."""
        return EXACT if self._is_exact[number] else NEAR


def find_duplicates(
    documents: Documents, near: float | None, *, check: Check, quiet: bool | None
) -> Duplicates:
    """Return which documents repeat an earlier one.

    Args:
        documents: all that are kept so far.
        near: least similarity of near duplicates; None: only equal texts count.
        check: is called between shards, and may raise.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        OutputError: the disk is full, or files of a shard are damaged.
    """
    work = documents.folders[0].path.parent
    found = Duplicates(len(documents), work)
    _add_equal(found, documents, work)
    if near is not None:
        _add_near(found, documents, near, work, check=check, quiet=quiet)
        found.settle()
    return found


def _add_near(
    found: Duplicates,
    documents: Documents,
    near: float,
    work: Path,
    *,
    check: Check,
    quiet: bool | None,
) -> None:
    with (
        temporary_folder(work) as folder,
        Progress(
            message("progress.finding_duplicates"), len(documents), "documents", quiet=quiet
        ) as bar,
    ):
        index = DuplicateIndex(folder, near)
        for shard, numbers in _shards(documents):
            check()
            is_new = found.twins[numbers] == numbers
            index.add(shard.signatures(len(numbers))[is_new], numbers[is_new])
        for each in index.found(documents.text):
            check()
            found.add_near(*each)
            bar.advance(each.document - bar.done)
        bar.advance(len(documents) - bar.done)


def _add_equal(found: Duplicates, documents: Documents, work: Path) -> None:
    with temporary_folder(work) as folder:
        index = ExactIndex(folder)
        for shard, numbers in _shards(documents):
            index.add(shard.digests(len(numbers)), numbers)
        for repeats, twins in index.repeats():
            found.add_equal(repeats, twins)


def _shards(documents: Documents) -> Iterator[tuple[ShardFolder, NDArray[np.int64]]]:
    """Yield the folder of each shard, and the numbers of its documents."""
    for folder, size, start in zip(
        documents.folders, documents.sizes, documents.starts, strict=False
    ):
        yield folder, np.arange(start, start + size)


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
