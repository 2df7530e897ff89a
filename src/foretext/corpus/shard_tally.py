"""What is counted in one shard of a text that is inspected: all of it can be added up exactly.

Lengths and signs are counts. Words come with their counts in the order in which they occur first,
so that the growth of the vocabulary is that of the whole text. Of documents there are hashes, and
sketches of those that the whole text may sample (`foretext.corpus.sketches`).
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import OutputError, SettingError
from foretext.base.files import temporary_folder
from foretext.base.parsing import map_array, parse_json, read_json
from foretext.corpus.blocks import cut_blocks
from foretext.corpus.counts import read_table, write_table
from foretext.corpus.duplicates import document_digests
from foretext.corpus.pre_tokenizers import PreTokenizer, PreTokenizerKind
from foretext.corpus.read_shards import ReadShard
from foretext.corpus.sketches import SKETCH, Sketches, Sketching
from foretext.corpus.symbols import Symbols
from foretext.corpus.symptoms import SIGNS, Sign, Symptoms
from foretext.corpus.word_table import Lines, WordTable
from foretext.shards import Shard, ShardEngine, ShardWork
from foretext.shards.work import Fill

__all__ = ["ShardTally", "TallySettings", "open_tallying", "tallies"]

BLOCK = 1 << 16  # characters of whole documents

OPENER = "foretext.corpus.shard_tally:open_tallying"
FACTS = "tally.json"
START_BYTES = 8  # of the number of characters before a shard, in front of its text
LARGEST = 1 << 28  # bytes of the facts of a shard
ARRAYS = {"digests": "<u8", "numbers": "<i8", "least": "<u8", "sketched": "<u8", "hashes": "<u8"}

Lengths = list[tuple[int, int]]  # a length and how often it occurs


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


def _tallied(text: str, start: int, settings: TallySettings) -> ShardTally:
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


@dataclass
class _Signs:
    """`Symptoms`, as JSON has them."""

    signs: list[tuple[int, str, int]]  # count, example, place of the first
    unusual: int
    lines: int
    sentences: int
    commas: int
    free_commas: int
    characters: dict[str, int]
    symbols: dict[str, int]
    looked_at: tuple[int, int]  # lines for symbols, and those that have one


@dataclass
class _Facts:
    """What JSON has of a tally."""

    characters: int
    read_characters: int
    counted_characters: int
    longest: tuple[int, int]
    points: list[tuple[int, int]]
    document_lengths: Lengths
    sentence_lengths: Lengths
    sentences: Lengths
    symptoms: _Signs
    num_documents: int
    num_sketches: int
    sketch_halvings: int


def tallies(
    shards: Iterable[ReadShard], settings: TallySettings, engine: ShardEngine | None = None
) -> Iterator[tuple[ReadShard, ShardTally]]:
    """Yield each shard in order, with its tally.

    Args:
        shards: of a text.
        settings: how they are tallied.
        engine: whose processes do it, some shards at once; None: this one does.

    Raises:
        ForetextError: a shard cannot be tallied, or its tally not be written.
    """
    if engine is None:
        for shard in shards:
            yield shard, _tallied(shard.text, shard.start, settings)
        return
    waiting: dict[int, ReadShard] = {}  # for what has to be looked up in them

    def read() -> Iterator[Shard]:
        for shard in shards:
            waiting[shard.number] = shard
            yield Shard(shard.number, partial(_data, shard), shard.num_bytes)

    with temporary_folder() as folder:
        for done in engine.run(ShardWork(OPENER, settings.written(), folder), read()):
            yield waiting.pop(done.number), _read_tally(done.folder)
            shutil.rmtree(done.folder, ignore_errors=True)


def open_tallying(settings: str) -> Fill:
    """Return what tallies shards, for `foretext.shards.ShardWork`.

    Args:
        settings: as `TallySettings.written` returns them.
    """
    chosen = TallySettings.read(settings)

    def fill(data: bytes, folder: Path) -> None:
        start = int.from_bytes(data[:START_BYTES], "little")
        text = str(memoryview(data)[START_BYTES:], "utf-8", "surrogatepass")
        _write_tally(folder, _tallied(text, start, chosen))

    return fill


def _data(shard: ReadShard) -> bytes:
    return shard.start.to_bytes(START_BYTES, "little") + shard.text.encode("utf-8", "surrogatepass")


def _write_tally(folder: Path, tally: ShardTally) -> None:
    write_table(folder, tally.words)
    for name, array in zip(ARRAYS, (tally.digests, *tally.sketches[:4]), strict=True):
        (folder / f"{name}.bin").write_bytes(array.astype(ARRAYS[name]).tobytes())
    facts = _Facts(
        characters=tally.characters,
        read_characters=tally.read_characters,
        counted_characters=tally.counted_characters,
        longest=tally.longest,
        points=tally.points,
        document_lengths=list(tally.document_lengths.items()),
        sentence_lengths=list(tally.sentence_lengths.items()),
        sentences=list(tally.sentences.items()),
        symptoms=_signs(tally.symptoms),
        num_documents=len(tally.digests),
        num_sketches=len(tally.sketches.numbers),
        sketch_halvings=tally.sketches.halvings,
    )
    written = json.dumps(asdict(facts), ensure_ascii=False)
    (folder / FACTS).write_bytes(written.encode("utf-8", "replace"))


def _read_tally(folder: Path) -> ShardTally:
    """Read what `_write_tally` wrote.

    Raises:
        OutputError: a file is missing or damaged.
    """
    facts: _Facts = read_json(folder / FACTS, OutputError, _Facts, largest=LARGEST)
    number = facts.num_sketches
    sizes = (facts.num_documents, number, number, number, number * SKETCH)
    digests, numbers, least, sketched, hashes = (
        np.array(map_array(folder / f"{name}.bin", dtype, size, OutputError))
        for (name, dtype), size in zip(ARRAYS.items(), sizes, strict=True)
    )
    words = read_table(folder)
    ends = [0, *(last for _, last in facts.points)]
    if ends != sorted(ends) or ends[-1] > len(words):  # a kernel takes them for indices
        raise OutputError(f"{folder / FACTS} is damaged; run again.")
    return ShardTally(
        characters=facts.characters,
        read_characters=facts.read_characters,
        counted_characters=facts.counted_characters,
        document_lengths=Counter(dict(facts.document_lengths)),
        sentence_lengths=Counter(dict(facts.sentence_lengths)),
        sentences=Counter(dict(facts.sentences)),
        longest=facts.longest,
        symptoms=_symptoms(facts.symptoms),
        words=words,
        points=facts.points,
        digests=digests,
        sketches=Sketches(
            numbers, least, sketched, hashes.reshape(-1, SKETCH), facts.sketch_halvings
        ),
    )


def _signs(symptoms: Symptoms) -> _Signs:
    signs = [getattr(symptoms, name) for name in SIGNS]
    return _Signs(
        [(sign.count, sign.example, sign.at) for sign in signs],
        symptoms.unusual,
        symptoms.lines,
        symptoms.sentences,
        symptoms.commas,
        symptoms.free_commas,
        dict(symptoms.characters),
        dict(symptoms.symbols.counts),
        (symptoms.symbols.texts, symptoms.symbols.with_symbols),
    )


def _symptoms(read: _Signs) -> Symptoms:
    mojibake, replacement, html, unknown, strange, invisible, labels = starmap(Sign, read.signs)
    return Symptoms(
        mojibake,
        replacement,
        html,
        unknown,
        strange,
        invisible,
        labels,
        read.unusual,
        read.lines,
        read.sentences,
        read.commas,
        read.free_commas,
        Counter(read.characters),
        Symbols(Counter(read.symbols), *read.looked_at),
    )
