"""a is to b as c is to d: how often d is the nearest word to b - a + c, on unit vectors (3CosAdd).

Mikolov et al. 2013, "Efficient Estimation of Word Representations in Vector Space", section 4.1,
which also gives the questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import EvaluationError
from foretext.vectors.analogy_scores import AnalogyResult, AnalogyScore
from foretext.vectors.evaluation_file import read_evaluation_lines
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.word_lookup import first_rows

__all__ = ["AnalogyQuestion", "evaluate_analogies", "read_questions"]

_ROW_TILE = 16384  # with the 900 words of the usual questions 60 MB of products


class AnalogyQuestion(NamedTuple):
    """`words` are a, b, c and the answer d."""

    section: str
    words: tuple[str, str, str, str]


def evaluate_analogies(
    words: Sequence[str],
    vectors: NDArray[np.float32],
    path: Path,
    *,
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
) -> AnalogyResult:
    """Answer the questions in the file `path` with `vectors` (V, D).

    Only the first `restrict_vocab` words are known and may be answers. Questions with an unknown
    word are skipped, or count as wrong with `dummy4unknown`.

    Raises:
        EvaluationError: a line is malformed, or no question is in the vocabulary.
    """
    questions = read_questions(path)
    words = words[:restrict_vocab]
    known = first_rows(words, case_insensitive)
    rows = np.array(
        [
            [known.get(word.upper() if case_insensitive else word, -1) for word in question.words]
            for question in questions
        ]
    )  # (Q, 4)
    is_known = np.all(rows >= 0, axis=1)  # (Q,)
    if not is_known.any():
        raise EvaluationError(
            f"{path}: none of its {len(questions)} questions has all four words in the vocabulary; "
            f"are they in the language and letter case of the vectors?"
        )
    keys = [word.upper() if case_insensitive else word for word in words]
    spelling = np.array([known[key] for key in keys])  # (V,) the row that stands for each word
    is_right = np.zeros(len(questions), dtype=np.bool_)
    answers = _answers(unit_rows(vectors[: len(words)]), spelling, rows[is_known, :3])
    is_right[is_known] = spelling[answers] == rows[is_known, 3]
    return _result(questions, is_known, is_right, dummy4unknown)


def read_questions(path: Path) -> list[AnalogyQuestion]:
    """Read lines of four words, under section lines such as ``: capital-common-countries``.

    Questions before the first section line are a section with the name of the file.

    Raises:
        EvaluationError: a line of another number of words, or a file without questions.
    """
    questions: list[AnalogyQuestion] = []
    section = path.name.partition(".")[0]
    for place, line in read_evaluation_lines(path):
        if line.startswith(":"):
            section = line.lstrip(":").strip()
            continue
        words = line.split()
        if len(words) != 4:
            raise EvaluationError(
                f"{place}: a question has four words, not {len(words)}; correct it or take it out."
            )
        questions.append(AnalogyQuestion(section, (words[0], words[1], words[2], words[3])))
    if not questions:
        raise EvaluationError(f"{path}: the file holds no question of four words.")
    return questions


def _answers(
    unit: NDArray[np.float32], spelling: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the row nearest to b - a + c for each a, b, c of `rows` (Q, 3), leaving these out.

    (b - a + c)·v is b·v - a·v + c·v, and the questions are made of a few hundred words: their
    products with the vocabulary are taken once, and a question costs two sums of known numbers.
    """
    firsts, places = np.unique(rows, return_inverse=True)
    places = places.reshape(rows.shape)  # (Q, 3) into `firsts` (W,)
    order = np.lexsort(places.T[::-1])  # questions of one a, b lie together
    cuts = np.flatnonzero(np.diff(places[order, :2], axis=0).any(axis=1)) + 1
    best = np.full(len(rows), -np.inf, dtype=np.float32)
    answers = np.zeros(len(rows), dtype=np.int64)
    for start in range(0, len(unit), _ROW_TILE):
        products = unit[firsts] @ unit[start : start + _ROW_TILE].T  # (W, R)
        own = spelling[start : start + _ROW_TILE] == firsts[:, None]  # (W, R)
        products[own] = -np.inf
        for group in np.split(order, cuts):
            a, b, _ = places[group[0]]
            with np.errstate(invalid="ignore"):  # -inf less -inf, where a is b
                difference = products[b] - products[a]
            difference[own[a]] = -np.inf
            scores = products[places[group, 2]] + difference  # (n, R)
            rows = scores.argmax(axis=1)
            values = scores[np.arange(len(group)), rows]
            better = values > best[group]
            best[group[better]] = values[better]
            answers[group[better]] = rows[better] + start
    return answers


def _result(
    questions: Sequence[AnalogyQuestion],
    is_known: NDArray[np.bool_],
    is_right: NDArray[np.bool_],
    dummy4unknown: bool,
) -> AnalogyResult:
    sections: dict[str, list[int]] = {}
    for question, known, right in zip(questions, is_known, is_right, strict=True):
        tally = sections.setdefault(question.section, [0, 0, 0])
        tally[0] += int(right)
        tally[1] += int(known or dummy4unknown)
        tally[2] += int(not known)
    return AnalogyResult(tuple(AnalogyScore(name, *tally) for name, tally in sections.items()))
