"""The results: the clean corpus in parts, one for each shard, and the list of what was dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from foretext.base.errors import OutputError
from foretext.base.files import atomic_file
from foretext.base.parsing import parse_json
from foretext.cleaning.duplicates import Documents, Duplicates
from foretext.cleaning.shard_cleaning import BEGINNING
from foretext.cleaning.shard_folder import KeptRow, ShardFolder, row_bytes
from foretext.corpus.sources import DROPPED
from foretext.messages import message
from foretext.progress import Progress

__all__ = ["KEPT", "Written", "write_results"]

KEPT = "kept"
LEVEL = 6  # of the compression
MOST_EXAMPLES = 3  # of a reason

Check = Callable[[], None]
Row = dict[str, Any]


class Written(NamedTuple):
    """What was counted while results were written."""

    documents: int  # that are kept
    characters: int
    languages: Counter[str]
    reasons: Counter[str]
    examples: dict[str, list[Row]]  # rows of what was dropped, by reason


class _Shard(NamedTuple):
    """A shard with the place of its documents among all that were kept."""

    number: int
    folder: ShardFolder
    start: int


def write_results(
    documents: Documents,
    duplicates: Duplicates,
    threshold: float | None,
    out: Path,
    *,
    check: Check,
    quiet: bool | None,
) -> Written:
    """Write the clean corpus and the list of what was dropped into a folder.

    Args:
        documents: that are kept so far.
        duplicates: those of them that are dropped.
        threshold: similarity of near duplicates.
        out: the folder; what an earlier process has written there is written again.
        check: is called between shards, and may raise.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        OutputError: a file cannot be written, or those of a shard are damaged.
    """
    kept: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    examples: dict[str, list[Row]] = {}
    with (
        atomic_file(out / DROPPED) as temporary,
        temporary.open("wb") as dropped,
        Progress(message("progress.writing"), len(documents.folders), "shards", quiet=quiet) as bar,
    ):
        for number, folder in enumerate(documents.folders):
            check()
            shard = _Shard(number, folder, int(documents.starts[number]))
            _write_part(out / KEPT / f"part-{number:05}.jsonl.zst", shard, duplicates)
            _count(shard, duplicates, kept, languages)
            for row in _dropped_rows(shard, documents, duplicates, threshold):
                dropped.write(row)
                _take_example(row, reasons, examples)
            bar.advance(1)
    return Written(kept["documents"], kept["characters"], languages, reasons, examples)


def _write_part(path: Path, shard: _Shard, duplicates: Duplicates) -> None:
    """Write the documents of a shard; none is written where nothing is left of it."""
    rows = (
        row
        for number, row in enumerate(shard.folder.kept_rows(), shard.start)
        if not duplicates.is_dropped(number)
    )
    first = next(rows, None)
    if first is None:
        return
    with (
        atomic_file(path) as temporary,
        temporary.open("wb") as file,
        zstandard.ZstdCompressor(level=LEVEL).stream_writer(file) as stream,
    ):
        for row in chain((first,), rows):
            stream.write(row)


def _count(
    shard: _Shard, duplicates: Duplicates, kept: Counter[str], languages: Counter[str]
) -> None:
    facts = shard.folder.facts
    for number, (length, language) in enumerate(
        zip(facts.lengths, facts.languages, strict=True), shard.start
    ):
        if not duplicates.is_dropped(number):
            kept.update(documents=1, characters=length)
            languages[language] += 1


def _dropped_rows(
    shard: _Shard, documents: Documents, duplicates: Duplicates, threshold: float | None
) -> Iterator[bytes]:
    """Yield the rows of all dropped documents of a shard, in their order."""
    facts = shard.folder.facts
    numbers = {at: number for number, at in enumerate(facts.kept, shard.start)}
    alone = shard.folder.dropped_rows()
    for at in range(len(facts.kept) + len(facts.dropped)):
        number = numbers.get(at)
        if number is None:
            yield next(alone)
        elif duplicates.is_dropped(number):
            yield row_bytes(_duplicate_row(number, documents, duplicates, threshold)) + b"\n"


def _duplicate_row(
    number: int, documents: Documents, duplicates: Duplicates, threshold: float | None
) -> Row:
    row, twin = documents.row(number), documents.row(int(duplicates.twins[number]))
    return {
        **_place(row),
        "reason": duplicates.reason(number),
        "figure": round(float(duplicates.similarities[number]), 4),
        "threshold": threshold if threshold is not None else 1.0,
        "twin": _place(twin),
        "beginning": row.text[:BEGINNING],
    }


def _place(row: KeptRow) -> Row:
    return row.model_dump(include={"file", "line", "row"}, exclude_none=True)


def _take_example(row: bytes, reasons: Counter[str], examples: dict[str, list[Row]]) -> None:
    value = parse_json(row.decode(), DROPPED, OutputError)
    reasons[value["reason"]] += 1
    some = examples.setdefault(value["reason"], [])
    if len(some) < MOST_EXAMPLES:
        some.append(value)
