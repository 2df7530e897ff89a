"""A corpus as ids on disk, memory-mapped: sentences and documents end to end, and their starts."""

from __future__ import annotations

import json
import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from foretext.errors import CorpusError

__all__ = ["TokenFile", "Tokens"]

COUNTED_AT_ONCE = 1 << 22  # ids, widened to eight bytes each while they are counted


@dataclass(frozen=True, eq=False)
class TokenFile:
    """Ids of all documents, with the places where sentences and documents begin."""

    folder: Path
    ids: np.ndarray  # (N,) uint16 or uint32
    sentence_starts: np.ndarray  # (S + 1,) int64, indices into ids; the last one is N
    document_starts: np.ndarray  # (documents + 1,) int64, likewise
    vocab_size: int

    @classmethod
    def open(cls, folder: Path) -> TokenFile:
        """Map the files of a folder into memory.

        Raises:
            CorpusError: a file is missing or not as long as ``meta.json`` says.
        """
        meta = read_meta(folder)
        return cls(
            folder,
            _map(folder / "ids.bin", meta["dtype"], meta["num_tokens"]),
            _map(folder / "sentence_starts.bin", "int64", meta["num_sentences"] + 1),
            _map(folder / "document_starts.bin", "int64", meta["num_documents"] + 1),
            meta["vocab_size"],
        )

    @property
    def num_tokens(self) -> int:
        """Length of `ids`."""
        return len(self.ids)

    @property
    def num_sentences(self) -> int:
        """Sentences, none of them empty."""
        return len(self.sentence_starts) - 1

    @property
    def num_documents(self) -> int:
        """Documents, none of them empty."""
        return len(self.document_starts) - 1

    def counts(self, vocab_size: int | None = None) -> np.ndarray:
        """(V,) int64, how often each id occurs."""
        size = vocab_size or self.vocab_size
        total = np.zeros(size, np.int64)
        for at in range(0, self.num_tokens, COUNTED_AT_ONCE):
            total += np.bincount(self.ids[at : at + COUNTED_AT_ONCE], minlength=size)
        return total

    def release(self) -> None:
        """Let go of the pages that were read; whoever needs them again finds them on disk."""
        pages = self.ids.base
        if isinstance(pages, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            pages.madvise(mmap.MADV_DONTNEED)


class Tokens(NamedTuple):
    """What is trained on, and what is held out, if anything."""

    train: TokenFile
    valid: TokenFile | None

    @classmethod
    def open(cls, folder: Path) -> Tokens:
        """Open the folders ``train`` and, where it is there, ``valid``.

        Raises:
            CorpusError: a file is missing or damaged.
        """
        valid = folder / "valid"
        return cls(
            TokenFile.open(folder / "train"), TokenFile.open(valid) if valid.is_dir() else None
        )


def read_meta(folder: Path) -> dict[str, Any]:
    """Read dtype, lengths, vocabulary size and fingerprint.

    Raises:
        CorpusError: ``meta.json`` is missing or damaged.
    """
    path = folder / "meta.json"
    try:
        meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{folder} is no folder of tokens: {path} cannot be read.") from error
    return meta


def _map(path: Path, dtype: str, length: int) -> np.ndarray:
    wanted = length * np.dtype(dtype).itemsize
    size = path.stat().st_size if path.is_file() else 0
    if size != wanted:
        raise CorpusError(
            f"{path} is damaged: it has {size:,} bytes instead of {wanted:,}; delete the folder "
            "and run again, and it is made anew."
        )
    return np.memmap(path, dtype, mode="r", shape=(length,))
