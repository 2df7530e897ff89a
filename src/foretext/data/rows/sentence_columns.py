"""Which columns of a file hold texts, anchors, positives, negatives and scores, by their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from statistics import median

from foretext.base.errors import CorpusError
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.sources import Source
from foretext.data.rows.fasttext_lines import fasttext_records, is_fasttext
from foretext.data.rows.pair_columns import LABEL_NAMES, TEXT_NAMES, as_number
from foretext.data.rows.record import Record
from foretext.data.rows.records import HEAD, format_of, read_lines, read_records
from foretext.data.rows.sentence_objects import are_sentence_objects, sentence_objects
from foretext.data.rows.settings import Column, LabelledConfig, RowsConfig
from foretext.data.rows.token_lines import refuse_token_lines
from foretext.data.rows.trec_lines import are_trec, trec_records

__all__ = ["found_columns", "found_objects", "plain_lines", "refuse_labels"]

PAIRS = (
    ("anchor", "positive"), ("query", "positive"), ("question", "positive"),
    ("question", "answer"), ("query", "answer"), ("question", "context"), *TEXT_NAMES,
)  # fmt: skip
ALONE = ("text", "sentence", "document")
NEGATIVES = ("negative", "hardnegative")
SCORES = ("score", "similarity", "similarityscore", "relatedness", "relatednessscore")
ENOUGH = 20  # rows from which a column of labels can be told from texts
ROWS_OF_LABEL = 10  # that have one value of a column, on average, from which it may hold labels
LONGER = 2  # times as long as labels are the texts beside them
OF_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")

Found = dict[str, Column]  # settings of the section [rows]


def found_objects(source: Source, config: LabelledConfig) -> Iterator[Record] | None:
    """Return the pairs of a file in the JSON of other programs; None: it has no such."""
    if format_of(source, config) not in ("auto", "jsonl"):
        return None
    if not are_sentence_objects(_first_line(source, config)):
        return None
    lines = read_lines(source, config.encoding, config.max_piece_bytes)
    return sentence_objects(lines, source)


def plain_lines(source: Source, config: LabelledConfig) -> Iterator[Record] | None:
    """Return the lines of a file of texts, without empty ones; None: the file has columns.

    Of files of fastText and of TREC, whose lines begin with labels, these are the texts alone.
    """
    if config.format != "auto" or _suffix(source) in OF_TABLES:
        return None
    head = list(islice(read_lines(source, config.encoding, config.max_piece_bytes), HEAD))
    refuse_token_lines(head, source.name)
    first = next((line for line in head if line.strip()), "")
    whole = read_lines(source, config.encoding, config.max_piece_bytes)
    if is_fasttext(first, RowsConfig()):
        return fasttext_records(whole, source.name, RowsConfig())
    if "\t" in first or first.lstrip().startswith(("{", "[{")):
        return None
    if are_trec(head):
        return trec_records(whole, source.name, RowsConfig())
    lines = enumerate(whole, 1)
    return (Record({"text": line}, source.name, number) for number, line in lines if line.strip())


def found_columns(source: Source, config: LabelledConfig) -> Found:
    """Return the columns of a file that are known by name, or else by their places.

    Raises:
        CorpusError: neither tells what is in them.
    """
    is_plain = config.format == "auto" and _suffix(source) not in OF_TABLES
    first = _first_line(source, config) if is_plain else ""
    if "\t" in first:
        fields = first.split("\t")
        return _named(fields, source) or _placed(fields, source)
    record = next(read_records(source, config), None)
    if record is None:
        return {"text": 1}  # of no rows
    names = [*record.values]
    if found := _named([str(name) for name in names], source):
        return found
    shown = ", ".join(repr(str(name)[:40]) for name in names[:12]) or "none"
    raise CorpusError(
        f"{source}: no column has a name that is known, only {shown}; name them (--text, or "
        "--text-a and --text-b, and --negative or --score)."
    )


def refuse_labels(columns: Sequence[Sequence[str]], name: str) -> None:
    """Refuse a pair of columns without names of which one surely holds labels, not texts.

    Args:
        columns: the values of the first and of the second column.
        name: of the file.

    Raises:
        CorpusError: each value of a column stands in many rows, and is short beside the other.
    """
    if len(columns[0]) < ENOUGH:
        return
    lengths = [median(map(len, column)) for column in columns]
    for place, column in enumerate(columns):
        different, text = len({*column}), 2 - place
        if (
            different * ROWS_OF_LABEL <= len(column)
            and lengths[1 - place] >= LONGER * lengths[place]
        ):
            raise CorpusError(
                f"{name}: column {place + 1} holds only {different:,} different values in "
                f"{len(column):,} rows (such as {column[0][:40]!r}), as labels do; name the column "
                f"of the texts (--text {text}), or both columns if they are pairs (--text-a 1 "
                "--text-b 2)."
            )


def _named(names: Sequence[str], source: Source) -> Found:
    """Return the columns with names that are known; {}: there are none.

    Raises:
        CorpusError: a column of labels may say that not all pairs belong together.
    """
    plain = {_plain(name): name for name in names}
    for first, second in PAIRS:
        if first in plain and second in plain:
            pair: Found = {"text_a": plain[first], "text_b": plain[second]}
            for setting, known in (("negative", NEGATIVES), ("score", SCORES)):
                if found := [plain[name] for name in known if name in plain]:
                    return {**pair, setting: found[0]}
            if labels := [plain[name] for name in LABEL_NAMES if name in plain]:
                raise CorpusError(
                    f"{source}: the column '{labels[0]}' may say which pairs belong together; give "
                    "it as the score if it holds numbers (--score), or name --text-a and --text-b "
                    "alone to learn that all of them do."
                )
            return pair
    return next(({"text": plain[name]} for name in ALONE if name in plain), {})


def _placed(fields: Sequence[str], source: Source) -> Found:
    """Return the columns of a file without a header, from one of its rows."""
    found: Found = {"text_a": 1, "text_b": 2}
    if len(fields) == 2:
        return found
    if len(fields) == 3:
        return {**found, "negative" if as_number(fields[2]) is None else "score": 3}
    raise CorpusError(
        f"{source}, line 1: {len(fields)} fields where a text, or two or three texts, are "
        "expected; name the columns by number (such as --text-a 1 --text-b 2)."
    )


def _first_line(source: Source, config: LabelledConfig) -> str:
    lines = read_lines(source, config.encoding, config.max_piece_bytes)
    return next((line for line in lines if line.strip()), "")


def _suffix(source: Source) -> str:
    return PurePosixPath(without_compression_suffix(source.name)).suffix.lower()


def _plain(name: str) -> str:
    return "".join(mark for mark in name.lower() if not mark.isspace() and mark not in "_-")
