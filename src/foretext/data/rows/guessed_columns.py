"""Which columns of a file of pairs hold the two texts, and which the score or the label.

Files of word similarity and of sentence similarity have many forms: with and without a header,
with an index, a part of speech, or the judgements of single persons beside their mean. Names are
known from such files; else the kinds of the columns decide. What stays ambiguous is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from statistics import median
from typing import NamedTuple

from foretext.base.errors import CorpusError
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.sources import Source
from foretext.data.rows.fasttext_lines import fasttext_records, is_fasttext
from foretext.data.rows.record import Record
from foretext.data.rows.records import HEAD, format_of, read_lines, read_records
from foretext.data.rows.sentence_objects import are_sentence_objects, sentence_objects
from foretext.data.rows.settings import Column, LabelledConfig, RowsConfig
from foretext.data.rows.token_lines import refuse_token_lines
from foretext.data.rows.trec_lines import are_trec, trec_records
from foretext.messages import message

__all__ = [
    "AmbiguousColumnsError",
    "PairColumns",
    "as_number",
    "find_pair_columns",
    "found_columns",
    "found_objects",
    "header_of",
    "names_texts",
    "plain_lines",
    "refuse_labels",
]

TEXT_NAMES = (  # lower-case, without blanks, "_" and "-"
    ("texta", "textb"),
    ("sentence1", "sentence2"),
    ("sentencea", "sentenceb"),
    ("text1", "text2"),
    ("question1", "question2"),
    ("premise", "hypothesis"),
    ("query", "passage"),
    ("word1", "word2"),
    ("worda", "wordb"),
    ("w1", "w2"),
    ("word", "otherword"),
    ("#1string", "#2string"),
)
SCORE_NAMES = (
    *("score", "similarity", "sim", "similarityscore", "relatednessscore", "relatedness"),
    *("simlex999", "simlex", "human(mean)", "humanmean", "mean", "meanscore", "average"),
    *("averagescore", "avg", "avgscore", "gold", "goldscore", "rating", "meanrating"),
)
LABEL_NAMES = ("label", "isduplicate", "quality", "goldlabel", "entailmentlabel")
INDEX_NAMES = ("", "id", "index", "idx", "no", "nr", "pairid", "unnamed:0", "number")
FEW = 0.2  # distinct values in a column of categories, such as parts of speech, to its rows
MOST_WRONG = 0.5  # share of cells of a column of numbers that may be none

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


class AmbiguousColumnsError(ValueError):
    """Half a sentence: why columns cannot be told apart."""


class PairColumns(NamedTuple):
    """Columns by their places, from 0; one of score and label is None."""

    text_a: int
    text_b: int
    score: int | None
    label: int | None = None


def find_pair_columns(header: Sequence[str] | None, rows: Sequence[Sequence[str]]) -> PairColumns:
    """Return which columns hold what.

    Args:
        header: names of the columns; None: the file has none.
        rows: cells of one row or more, of which some may be missing.

    Raises:
        AmbiguousColumnsError: names and kinds do not tell.
    """
    names = [] if header is None else [_plain(name) for name in header]
    width = max(map(len, rows))
    cells = [[row[column] for row in rows if column < len(row)] for column in range(width)]
    numeric = [_is_numeric(column) for column in cells]
    text_a, text_b = _texts(names, cells, numeric)
    numbers = [
        column for column in range(width) if numeric[column] and column not in (text_a, text_b)
    ]
    label = _label(names, cells)
    score = _score(names, cells, numbers, text_b, has_label=label is not None)
    if score is None and label is None:
        raise AmbiguousColumnsError("there is no column of scores or labels")
    return PairColumns(text_a, text_b, score, label if score is None else None)


def header_of(rows: Sequence[Sequence[str]]) -> list[str] | None:
    """Return the names of the columns, None where the first row has none.

    Names are known, or the first row has no number and the second one has.
    """
    if not rows:
        return None
    first, second = rows[0], rows[1] if len(rows) > 1 else []
    if names_texts(first) or (not _has_number(first) and _has_number(second)):
        return list(first)
    return None


def names_texts(names: Sequence[str]) -> bool:
    """Whether two of the names are those of two texts, or two words."""
    plain = [_plain(name) for name in names]
    return any(plain.count(a) == plain.count(b) == 1 for a, b in TEXT_NAMES)


def _has_number(cells: Sequence[str]) -> bool:
    return any(as_number(cell) is not None for cell in cells)


def as_number(cell: str) -> float | None:
    """Return a finite number, None where a cell holds none."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _texts(
    names: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool]
) -> tuple[int, int]:
    for first, second in TEXT_NAMES:
        if names.count(first) == names.count(second) == 1:
            return names.index(first), names.index(second)
    texts = [column for column, is_number in enumerate(numeric) if not is_number]
    if len(texts) > 2 and texts[:2] != [0, 1]:
        texts = [column for column in texts if not _is_category(cells[column])]
        if len(texts) != 2:
            raise AmbiguousColumnsError(
                f"{len(texts)} columns of text may be the two that are compared"
            )
    if len(texts) < 2:
        raise AmbiguousColumnsError("there are no two columns of text")
    return texts[0], texts[1]


def _label(names: Sequence[str], cells: Sequence[Sequence[str]]) -> int | None:
    """Return the column of labels; numbers of more than two values are scores."""
    for column, name in enumerate(names):
        if name in LABEL_NAMES:
            numbers = {as_number(cell) for cell in cells[column]}
            return None if len(numbers) > 2 and None not in numbers else column
    return None


def _score(
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    numbers: Sequence[int],
    second_text: int,
    *,
    has_label: bool,
) -> int | None:
    known = SCORE_NAMES if has_label else (*SCORE_NAMES, *LABEL_NAMES)
    named = [column for column in numbers if column < len(names) and names[column] in known]
    if len(named) > 1:
        raise AmbiguousColumnsError(f"{len(named)} columns have names of scores")
    if named:
        return named[0]
    kept = [column for column in numbers if not _is_index(column, names, cells)]
    if has_label or not kept:
        counted = [column for column in numbers if not _has_index_name(column, names)]
        return counted[0] if len(counted) == 1 and not has_label else None
    behind = [column for column in kept if column > second_text]
    if len(kept) > 1 and (names or not behind):
        raise AmbiguousColumnsError(f"{len(kept)} columns of numbers may be the score")
    return behind[0] if behind else kept[0]  # in files of rare words: the mean, then each person's


def _is_numeric(cells: Sequence[str]) -> bool:
    wrong = sum(as_number(cell) is None for cell in cells)
    return wrong <= MOST_WRONG * len(cells) and wrong < len(cells)


def _is_category(cells: Sequence[str]) -> bool:
    return len(set(cells)) <= FEW * len(cells)


def _is_index(column: int, names: Sequence[str], cells: Sequence[Sequence[str]]) -> bool:
    """Whether a column counts the rows, by its name or by its numbers."""
    if _has_index_name(column, names):
        return True
    numbers = [as_number(cell) for cell in cells[column]]
    first = numbers[0]
    counts_up = first in (0.0, 1.0) and numbers == [first + row for row in range(len(numbers))]
    return counts_up and len(numbers) > 2


def _has_index_name(column: int, names: Sequence[str]) -> bool:
    return column < len(names) and names[column] in INDEX_NAMES


def _plain(name: str) -> str:
    return "".join(mark for mark in name.lower() if not mark.isspace() and mark not in "_-")


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
    filled = [line for line in head if line.strip()]
    of_fasttext = sum(is_fasttext(line, RowsConfig()) for line in filled)
    if of_fasttext and 2 * of_fasttext >= len(filled):
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
    raise CorpusError(message("errors.rows.no_known_column", name=source, columns=shown))


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
