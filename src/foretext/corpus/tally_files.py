"""Tallies of the shards of a text, made here or by the processes of an engine."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import starmap
from pathlib import Path

import numpy as np

from foretext.base.errors import OutputError
from foretext.base.files import temporary_folder
from foretext.base.parsing import map_array, read_json
from foretext.corpus.read_shards import ReadShard
from foretext.corpus.shard_counts import read_table, write_table
from foretext.corpus.shard_tally import ShardTally, TallySettings, tallied
from foretext.corpus.sketches import SKETCH, Sketches
from foretext.corpus.symbols import Symbols
from foretext.corpus.symptoms import SIGNS, Sign, Symptoms
from foretext.shards import Shard, ShardEngine, ShardWork
from foretext.shards.work import Fill

__all__ = ["open_tallying", "tallies"]

OPENER = "foretext.corpus.tally_files:open_tallying"
FACTS = "tally.json"
START_BYTES = 8  # of the number of characters before a shard, in front of its text
LARGEST = 1 << 28  # bytes of the facts of a shard
ARRAYS = {"digests": "<u8", "numbers": "<i8", "least": "<u8", "sketched": "<u8", "hashes": "<u8"}

Lengths = list[tuple[int, int]]  # a length and how often it occurs


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
            yield shard, tallied(shard.text, shard.start, settings)
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
        _write_tally(folder, tallied(text, start, chosen))

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
