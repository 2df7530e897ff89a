"""A corpus as memory-mapped ids on disk, with the starts of sentences and documents.

Kernels use ids and starts as indices without checking bounds, so opening a file checks them all:
ids are in the vocabulary, starts increase, documents begin where sentences do, and the checksums
are right. A billion ids take about a second.

What a token begins, as bits of one byte: a word, or an entity of the user's list. Phrases have no
bit. They are n-grams of words that are drawn whenever a row is read, so that each epoch sees
others (`foretext.objectives.corruption`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from foretext.base.counted import number_of
from foretext.base.errors import CorpusError
from foretext.base.parsing import Judge, check_values, map_array, read_json, release
from foretext.messages import message
from foretext.tokenizers.base import EncodedBlock

__all__ = [
    "ENTITY",
    "NAMED",
    "WORD",
    "Encode",
    "MarkedBlock",
    "TokenFile",
    "TokenMeta",
    "Tokens",
    "described",
    "num_entities",
    "unit_bits",
]

COUNTED_AT_ONCE = 1 << 22  # ids, of eight bytes each while they are counted
Count = Annotated[int, Field(ge=0, lt=1 << 60)]

WORD = 1  # the token begins a word
ENTITY = 2  # it begins an entity or, outside of entities, a word: units that cover the text
NAMED = 4  # it is part of an entity
ALL_BITS = WORD | ENTITY | NAMED


class TokenMeta(BaseModel):
    """The content of ``meta.json``, about the other files of its folder."""

    model_config = ConfigDict(frozen=True)

    fingerprint: str = ""  # of corpus, tokenizer, segmenter and split
    segmenter: str = ""  # fingerprint of what marked the units; "": there is no such file
    vocab_size: Annotated[int, Field(ge=1, le=1 << 32)]
    dtype: Literal["uint16", "uint32"]  # of the ids
    num_tokens: Count
    num_sentences: Count
    num_documents: Count
    checksums: dict[str, int] = {}  # CRC-32 by file; none in older folders

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the file of a folder.

        Raises:
            CorpusError: the file is missing or damaged.
        """
        meta: Self = read_json(folder / "meta.json", CorpusError, cls)
        return meta


@dataclass(frozen=True, eq=False)
class TokenFile:
    """Ids of all documents, with the starts of sentences and documents.

    Where a `Segmenter` has marked words and entities, `units` says what each token begins.
    """

    folder: Path
    ids: np.ndarray  # (N,) uint16 or uint32
    sentence_starts: np.ndarray  # (S + 1,) int64, indices into ids; the last one is N
    document_starts: np.ndarray  # (documents + 1,) int64, likewise
    vocab_size: int
    units: np.ndarray | None = None  # (N,) uint8, bits of `foretext.data.token_file`
    segmenter: str = ""  # fingerprint of the one that marked them

    @classmethod
    def open(cls, folder: Path, vocab_size: int | None = None) -> TokenFile:
        """Map the files of a folder into memory, and check every number.

        Args:
            folder: that `write_tokens` made.
            vocab_size: of the tokenizer that the ids must belong to; None: not known.

        Raises:
            CorpusError: a file is missing or damaged, or the ids are of another vocabulary.
        """
        meta = TokenMeta.read(folder)
        if vocab_size not in (None, meta.vocab_size):
            raise CorpusError(
                f"{folder} has ids of a vocabulary of {meta.vocab_size:,}, but the tokenizer has "
                f"{vocab_size:,}; delete the folder and run again."
            )
        units = None
        if meta.segmenter:
            units = map_array(folder / "units.bin", "uint8", meta.num_tokens, CorpusError)
        found = cls(
            folder,
            map_array(folder / "ids.bin", meta.dtype, meta.num_tokens, CorpusError),
            _map_starts(folder / "sentence_starts.bin", meta.num_sentences),
            _map_starts(folder / "document_starts.bin", meta.num_documents),
            meta.vocab_size,
            units,
            meta.segmenter,
        )
        found._check(meta)
        return found

    def _check(self, meta: TokenMeta) -> None:
        judges: dict[str, Judge] = {
            "ids": self._problem_of_ids,
            "sentence_starts": _problem_of_starts,
            "document_starts": self._problem_of_documents,
        }
        if self.units is not None:
            judges["units"] = _problem_of_units
        for name, judge in judges.items():
            array, path = getattr(self, name), self.folder / f"{name}.bin"
            if name.endswith("starts") and (array[0], array[-1]) != (0, self.num_tokens):
                raise CorpusError(
                    f"{path} is damaged: it goes from {array[0]:,} to {array[-1]:,} instead of "
                    f"0 to {self.num_tokens:,}; delete its folder and run again."
                )
            check_values(path, array, judge, CorpusError, meta.checksums.get(name))

    def _problem_of_ids(self, ids: NDArray[Any]) -> str | None:
        largest = int(ids.max())
        if largest < self.vocab_size:
            return None
        return f"the id {largest:,} is not in a vocabulary of {self.vocab_size:,}"

    def _problem_of_documents(self, starts: NDArray[Any]) -> str | None:
        if (problem := _problem_of_starts(starts)) is not None:
            return problem
        places = np.searchsorted(self.sentence_starts, starts)  # none is beyond the last one
        if np.array_equal(self.sentence_starts[places], starts):
            return None
        return "a document begins within a sentence"

    @property
    def num_tokens(self) -> int:
        """Length of `ids`."""
        return len(self.ids)

    @property
    def num_sentences(self) -> int:
        """Number of sentences; none is empty."""
        return len(self.sentence_starts) - 1

    @property
    def num_documents(self) -> int:
        """Number of documents; none is empty."""
        return len(self.document_starts) - 1

    def counts(self, vocab_size: int | None = None) -> np.ndarray:
        """(V,) int64, how often each id occurs."""
        size = vocab_size or self.vocab_size
        total = np.zeros(size, np.int64)
        for at in range(0, self.num_tokens, COUNTED_AT_ONCE):
            total += np.bincount(self.ids[at : at + COUNTED_AT_ONCE], minlength=size)
        return total

    def release(self) -> None:
        """Release the memory of pages that were read; they are read from disk again if needed."""
        release(self.ids)
        if self.units is not None:
            release(self.units)


class Tokens(NamedTuple):
    """The tokens to train on, and those that are held out, if any."""

    train: TokenFile
    valid: TokenFile | None

    @classmethod
    def open(cls, folder: Path, vocab_size: int | None = None) -> Tokens:
        """Open the folders ``train`` and, if it exists, ``valid``.

        Args:
            folder: that `write_tokens` made.
            vocab_size: of the tokenizer that the ids must belong to; None: not known.

        Raises:
            CorpusError: a file is missing or damaged, or the ids are of another vocabulary.
        """
        train, valid = TokenFile.open(folder / "train", vocab_size), folder / "valid"
        return cls(train, TokenFile.open(valid, train.vocab_size) if valid.is_dir() else None)


def _map_starts(path: Path, number: int) -> np.ndarray:
    return map_array(path, "int64", number + 1, CorpusError)


def _problem_of_starts(starts: NDArray[Any]) -> str | None:
    return None if (starts[1:] > starts[:-1]).all() else "its numbers do not increase"


def _problem_of_units(units: NDArray[Any]) -> str | None:
    largest = int(units.max())
    return None if largest <= ALL_BITS else f"{largest} stands for no unit"


class MarkedBlock(NamedTuple):
    """An encoded text, and what each of its tokens begins."""

    block: EncodedBlock
    units: np.ndarray | None  # (N,) uint8; None: not marked


Encode = Callable[[str], MarkedBlock]


def unit_bits(words: np.ndarray, entity_lengths: np.ndarray) -> np.ndarray:
    """Return the bits of each token, (N,) uint8.

    Args:
        words: (N,) bool, the tokens that begin a word.
        entity_lengths: (N,) tokens of the entity that begins at each token; 0: none does.
    """
    begins = np.flatnonzero(entity_lengths)
    ends = begins + entity_lengths[begins]
    edges = np.zeros(len(words) + 1, np.int8)
    edges[begins] += 1
    edges[ends] -= 1
    named = np.cumsum(edges[:-1], dtype=np.int8) > 0
    units = words & ~named
    units[begins] = True
    units[ends[ends < len(words)]] = True  # what is left of a word that begins with an entity
    bits: np.ndarray = (words * WORD + units * ENTITY + named * NAMED).astype(np.uint8)
    return bits


def num_entities(units: np.ndarray) -> int:
    """Return how often an entity begins in (N,) bits."""
    both = ENTITY | NAMED
    return int(np.count_nonzero(units & both == both))


def described(units: np.ndarray) -> str:
    """Say how many words and entities there are, of (N,) bits."""
    words = number_of("word", int(np.count_nonzero(units & WORD)))
    if not (entities := num_entities(units)):
        return words
    share = np.count_nonzero(units & NAMED) / len(units)
    return message("notes.pretrain.entities", words=words, entities=entities, share=share)
