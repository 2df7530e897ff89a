"""Do the cosines of word pairs rank as people rank them? WordSim-353, SimLex-999 and their kin."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import EvaluationError
from foretext.base.representation import represented
from foretext.data.rows.guessed_columns import (
    AmbiguousColumnsError,
    PairColumns,
    as_number,
    find_pair_columns,
)
from foretext.metrics import pearson, spearman
from foretext.vectors.evaluation_file import read_evaluation_lines
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.word_lookup import first_rows

__all__ = ["PairFile", "ScoredPair", "WordPairResult", "evaluate_pairs", "read_pair_file"]

SEPARATORS = ("\t", ";", ",")  # in this order; without any of them, white space

# More letters of a writing without blanks (Chinese, Japanese, Thai, Lao, Burmese, Khmer) than a
# word has, or a mark at the end of a sentence.
UNDIVIDED = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{7}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{25}"
    r"|[，。！？；]"
)
SAMPLE = 20  # lines that the separator is found from


@represented
@dataclass(frozen=True, repr=False)
class WordPairResult:
    """How well cosines agree with people; NaN where one side never varies."""

    spearman: float  # -1 to 1, rank correlation
    pearson: float  # -1 to 1
    num_pairs: int  # compared
    num_skipped: int  # a word is not in the vocabulary; with dummy4unknown they are compared too
    unknown_words: tuple[str, ...]  # in the order of the file
    num_composed: int = 0  # of the pairs compared: a word has its vector from n-grams alone
    composed_words: tuple[str, ...] = ()  # in the order of the file
    columns: tuple[str, ...] = ()  # of both words and of the score: names, or numbers from 1

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the result."""
        return {
            "Spearman": self.spearman,
            "Pearson": self.pearson,
            "pairs": self.num_pairs,
            "pairs with unknown words": self.num_skipped,
            "unknown words": self.unknown_words or None,
        }

    def __str__(self) -> str:
        composed = f", {self.num_composed} with unseen words" if self.num_composed else ""
        return (
            f"Spearman {self.spearman:.3f}, Pearson {self.pearson:.3f} on {self.num_pairs} pairs"
            f"{composed}; {self.num_skipped} with unknown words"
        )


def evaluate_pairs(
    words: Sequence[str],
    vectors: NDArray[np.float32],
    path: Path,
    *,
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
    compose: Callable[[str], NDArray[np.float32] | None] | None = None,
    columns: Sequence[str] | None = None,
) -> WordPairResult:
    """Compare the cosines of `vectors` (V, D) with the scores in the file `path`.

    Only the first `restrict_vocab` words count as known. Other words get a vector (D,) by `compose`
    where it has one. Pairs with a word that is still unknown are left out, or have cosine 0 with
    `dummy4unknown`. `columns` are those of both words and of the score, by name or by number from
    1; None: they are found, and the result says which they are.

    Raises:
        EvaluationError: a line is malformed, or fewer than two pairs can be compared.
    """
    read = read_pair_file(path, columns)
    pairs = read.pairs
    known = first_rows(words[:restrict_vocab], case_insensitive)
    terms = list(dict.fromkeys(word for pair in pairs for word in pair[:2]))
    keys = {term: term.upper() if case_insensitive else term for term in terms}
    seen = {term: vectors[known[key]] for term, key in keys.items() if key in known}
    composed = _composed([term for term in terms if term not in seen], compose)
    found = seen | composed
    is_known = np.array([a in found and b in found for a, b, _ in pairs], dtype=np.bool_)
    has_composed = np.array([a in composed or b in composed for a, b, _ in pairs], dtype=np.bool_)
    used = np.ones_like(is_known) if dummy4unknown else is_known
    if used.sum() < 2 or not is_known.any():
        raise EvaluationError(
            f"{path}: {is_known.sum()} of its {len(pairs)} pairs are in the vocabulary, too few to "
            f"compare; are the words in the language and letter case of the vectors?"
        )
    scores, cosines = np.array([pair.score for pair in pairs]), _cosines(pairs, found)
    return WordPairResult(
        spearman=spearman(scores[used], cosines[used]),
        pearson=pearson(scores[used], cosines[used]),
        num_pairs=int(used.sum()),
        num_skipped=int((~is_known).sum()),
        unknown_words=tuple(term for term in terms if term not in found),
        num_composed=int((is_known & has_composed).sum()),
        composed_words=tuple(composed),
        columns=read.columns,
    )


def _composed(
    words: Sequence[str], compose: Callable[[str], NDArray[np.float32] | None] | None
) -> dict[str, NDArray[np.float32]]:
    if compose is None:
        return {}
    vectors = ((word, compose(word)) for word in words)
    return {word: vector for word, vector in vectors if vector is not None}


def _cosines(
    pairs: Sequence[ScoredPair], found: Mapping[str, NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Return the cosine of each pair (P,), 0 where a word has no vector."""
    nothing = np.zeros_like(next(iter(found.values())))
    firsts = unit_rows(np.array([found.get(pair.first, nothing) for pair in pairs]))  # (P, D)
    seconds = unit_rows(np.array([found.get(pair.second, nothing) for pair in pairs]))
    cosines: NDArray[np.float32] = np.einsum("pd,pd->p", firsts, seconds)
    return cosines


class ScoredPair(NamedTuple):
    """Two words or texts, and how alike people find them."""

    first: str
    second: str
    score: float


class PairFile(NamedTuple):
    """The rows of a file, and which columns they were read from."""

    pairs: list[ScoredPair]
    columns: tuple[str, str, str]  # names, or numbers from 1

    @property
    def holds_texts(self) -> bool:
        """Whether most cells are texts of several words, which not every writing divides."""
        several = sum(
            " " in text or UNDIVIDED.search(text) is not None
            for pair in self.pairs
            for text in pair[:2]
        )
        return several > len(self.pairs)


class _Line(NamedTuple):
    place: str
    cells: list[str]
    text: str


def read_pair_file(path: Path, columns: Sequence[str] | None = None) -> PairFile:
    """Read two words and a score a line, separated by tabs, semicolons, commas or blanks.

    ``#`` begins a comment line; a first line without a number, above lines that have one, names the
    columns.

    Args:
        path: of the file.
        columns: of both words and of the score: names, or numbers from 1; None: as found by
            `foretext.data.rows.guessed_columns`.

    Raises:
        EvaluationError: the columns cannot be told apart, a line without two words and a number, or
            a file without pairs.
    """
    lines = list(read_evaluation_lines(path))
    parsed = _split(lines)
    header = _header(parsed)
    rows = parsed[1:] if header is not None else parsed
    if (
        not any(as_number(cell) is not None for row in rows for cell in row.cells[2:])
        and not columns
    ):
        raise EvaluationError(f"{path}: no line holds two words and a score.")
    found = _chosen(path, header, columns) if columns else _found(path, header, rows)
    pairs = [_pair(row, found) for row in rows]
    places = (found.text_a, found.text_b, found.score or 0)
    named = header if header is not None else [str(place + 1) for place in range(max(places) + 1)]
    a, b, score = (named[place] for place in places)
    return PairFile(pairs, (a, b, score))


def _split(lines: Sequence[tuple[str, str]]) -> list[_Line]:
    """Take lines apart by the separator that all of the first ones have."""
    sample = [text for _, text in lines[: SAMPLE + 1] if _has_number(text)]
    usual = next((mark for mark in SEPARATORS if all(mark in text for text in sample)), None)
    found = []
    for number, (place, text) in enumerate(lines):
        separator = usual
        if number == 0 and (usual is None or usual not in text):  # a header of another form
            separator = next((mark for mark in SEPARATORS if mark in text), None)
        found.append(_Line(place, _cells(text, separator), text))
    return found


def _has_number(text: str) -> bool:
    cells = re.split(r"[\t;,]", text)
    return any(as_number(cell) is not None for cell in (cells if cells[1:] else text.split()))


def _cells(text: str, separator: str | None) -> list[str]:
    if separator == ",":
        return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True))]
    return [cell.strip() for cell in text.split(separator)]


def _header(lines: Sequence[_Line]) -> list[str] | None:
    """Return the names of the columns, if the first line has no number and a later one has."""
    if len(lines) < 2 or any(as_number(cell) is not None for cell in lines[0].cells):
        return None
    if all(as_number(cell) is None for cell in lines[1].cells):
        return None
    width = max(len(line.cells) for line in lines[1:])
    names = lines[0].cells
    return names if len(names) == width else [str(place + 1) for place in range(width)]


def _found(path: Path, header: list[str] | None, rows: Sequence[_Line]) -> PairColumns:
    names = header if header is not None and not all(name.isdecimal() for name in header) else None
    cause = "there is no column of scores"
    try:
        found = find_pair_columns(names, [row.cells for row in rows])
    except AmbiguousColumnsError as error:
        cause = str(error)
    else:
        if found.score is not None:
            return found
    shown = ", ".join(repr(name) for name in header or []) or "no header"
    raise EvaluationError(
        f"{path}: {cause} (columns: {shown}); name the columns with --text-a, --text-b and "
        "--score, or by their numbers from 1."
    )


def _chosen(path: Path, header: list[str] | None, columns: Sequence[str]) -> PairColumns:
    names = header or []
    places = []
    for column in columns:
        if column in names:
            places.append(names.index(column))
        elif column.isdecimal() and int(column) > 0:
            places.append(int(column) - 1)
        else:
            shown = ", ".join(repr(name) for name in names) or "none, for the file has no header"
            raise EvaluationError(f"{path}: there is no column '{column}'; there are {shown}.")
    return PairColumns(places[0], places[1], places[2])


def _pair(row: _Line, columns: PairColumns) -> ScoredPair:
    assert columns.score is not None
    cells = [*row.cells, *[""] * (max(columns[:3]) + 1 - len(row.cells))]  # type: ignore[type-var, operator]
    first, second = cells[columns.text_a], cells[columns.text_b]
    score = as_number(cells[columns.score])
    if score is None or not (first and second):
        raise EvaluationError(
            f"{row.place}: two words and a score are expected, not '{row.text[:60]}'; correct the "
            "line or remove it."
        )
    return ScoredPair(first, second, score)
