"""What is counted in one shard of a text that is inspected: all of it can be added up exactly.

Lengths and signs are counts. Words come with their counts in the order in which they occur first,
so that the growth of the vocabulary is that of the whole text. Of documents there are hashes, and
sketches of those that the whole text may sample (`foretext.corpus.sketches`).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.base.parsing import parse_json
from foretext.corpus.blocks import cut_blocks
from foretext.corpus.duplicates import document_digests
from foretext.corpus.pre_tokenizers import PreTokenizer, PreTokenizerKind
from foretext.corpus.sketches import Sketches, Sketching
from foretext.corpus.symptoms import Symptoms
from foretext.corpus.word_table import Lines, WordTable

__all__ = ["ShardTally", "TallySettings", "tallied"]

BLOCK = 1 << 16  # characters of whole documents


class TallySettings(NamedTuple):
    """How a shard is tallied.

    Attributes:
        kind: of the words that are counted.
        lowercase: whether they are lower-cased.
        every: words are counted in one block of so many.
    """

    kind: PreTokenizerKind
    lowercase: bool
    every: int = 1

    def written(self) -> str:
        """Return them as a text."""
        return json.dumps(self)

    @classmethod
    def read(cls, text: str) -> TallySettings:
        """Read what `written` returned."""
        values: tuple[PreTokenizerKind, bool, int] = parse_json(
            text, "the settings", SettingError, tuple[PreTokenizerKind, bool, int]
        )
        return cls(*values)


@dataclass
class ShardTally:
    """The tally of a shard."""

    characters: int = 0  # of documents, without what stands between them
    read_characters: int = 0
    counted_characters: int = 0  # of the blocks in which words were counted
    document_lengths: Counter[int] = field(default_factory=Counter)  # tokens -> documents
    sentence_lengths: Counter[int] = field(default_factory=Counter)  # tokens -> sentences
    sentences: Counter[int] = field(default_factory=Counter)  # sentences -> documents
    longest: tuple[int, int] = (-1, 0)  # words of the longest document, and its number
    symptoms: Symptoms = field(default_factory=Symptoms)
    words: WordTable = field(default_factory=WordTable)
    points: list[tuple[int, int]] = field(default_factory=list)  # see `WordStatistics.add`
    digests: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))  # (D,)
    sketches: Sketches = field(default_factory=lambda: Sketching().found())


def tallied(text: str, start: int, settings: TallySettings) -> ShardTally:
    """Tally a shard.

    Args:
        text: in normal form, of whole documents.
        start: characters of the whole text before it.
        settings: how.
    """
    tallying = _Tallying(settings)
    at = 0
    for block in cut_blocks(text, BLOCK):
        tallying.add(block, at, start + at)
        at += len(block)
    return tallying.tally()


class _Tallying:
    def __init__(self, settings: TallySettings) -> None:
        kind, lowercase, self._every = settings
        self._counted = PreTokenizer(kind, lowercase=lowercase)
        # Where jieba finds the words, which is slow, documents are compared by single characters.
        self._is_slow = kind == "chinese_words"
        self._compared = PreTokenizer("chinese_characters") if self._is_slow else self._counted
        self._compared_words = WordTable() if self._is_slow else None
        self._sketching = Sketching()
        self._digests: list[NDArray[np.uint64]] = []
        self._num_documents = 0
        self._tally = ShardTally()

    def tally(self) -> ShardTally:
        self._tally.digests = np.concatenate(self._digests)
        self._tally.sketches = self._sketching.found()
        return self._tally

    def add(self, text: str, at: int, start: int) -> None:
        """Count the block that stands at a character of the shard, and of the whole text."""
        tally = self._tally
        counted = self._count(text) if self._is_counted(len(text), start) else None
        if self._compared_words is None:
            assert counted is not None, "words that are not slow are all counted"
            lines, words = counted, tally.words
        else:
            words = self._compared_words
            lines = words.count_lines(self._compared.utf8(text), self._compared.letters)
        tally.read_characters += len(text)
        tally.characters += len(text) - 2 * len(lines.document_ends)
        tally.sentences.update(_lengths(lines.document_ends).tolist())
        self._compare(text, words, lines)
        tally.symptoms.add(text, at)

    def _is_counted(self, length: int, start: int) -> bool:
        """Whether one of the places that follow each other at a fixed distance is in a block."""
        distance = self._every * BLOCK
        return self._every == 1 or -start % distance < length

    def _count(self, text: str) -> Lines:
        """Count the words of a block."""
        tally = self._tally
        lines = tally.words.count_lines(self._counted.utf8(text), self._counted.letters)
        tally.sentence_lengths.update(_lengths(lines.line_ends).tolist())
        tally.document_lengths.update(_lengths(_document_ends(lines)).tolist())
        tally.counted_characters += len(text)
        before = tally.points[-1][0] if tally.points else 0
        tally.points.append((before + len(lines.words), len(tally.words)))
        return lines

    def _compare(self, text: str, words: WordTable, lines: Lines) -> None:
        """Note what duplicates are found by, and the longest document."""
        tally, ends = self._tally, _document_ends(lines)
        digests = document_digests(text[:-2].split("\n\n"))
        self._digests.append(digests)
        hashes = words.hashes if len(words) else np.zeros(1, np.uint64)  # words too long are 0
        self._sketching.add(hashes[lines.words], ends, digests)
        lengths = _lengths(ends)
        longest = int(lengths.argmax())
        if lengths[longest] > tally.longest[0]:
            tally.longest = int(lengths[longest]), self._num_documents + longest
        self._num_documents += len(ends)


def _document_ends(lines: Lines) -> NDArray[np.int64]:
    """Return where documents end among the words, (D,)."""
    ends: NDArray[np.int64] = lines.line_ends[lines.document_ends - 1]
    return ends


def _lengths(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lengths of what ends there, each behind the one before it."""
    lengths = ends.copy()
    lengths[1:] -= ends[:-1]
    return lengths
