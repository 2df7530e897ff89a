"""Which columns of a file of pairs hold the two texts, and which the score or the label.

Files of word similarity and of sentence similarity have many forms: with and without a header,
with an index, a part of speech, or the judgements of single persons beside their mean. Names are
known from such files; else the kinds of the columns decide. What stays ambiguous is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "LABEL_NAMES",
    "TEXT_NAMES",
    "AmbiguousColumnsError",
    "PairColumns",
    "as_number",
    "find_pair_columns",
    "header_of",
    "names_texts",
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
    numbers = [column for column in range(width) if numeric[column]]
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
