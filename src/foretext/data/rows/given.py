"""Texts and labels that a method of an estimator is given: a list, an array, a column, a generator.

A single text is no list: what takes several texts answers it alone (`one_or_each`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import given_array
from foretext.base.counted import counted
from foretext.base.errors import GivenError
from foretext.corpus.foreign_tables import column_names, plain_value
from foretext.data.rows.label import Label
from foretext.messages import ended, message

__all__ = [
    "given_elements",
    "given_label_sets",
    "given_pairs",
    "given_sentences",
    "given_tagged",
    "given_texts",
    "given_weights",
    "is_pair",
    "one_or_each",
    "shown",
    "weighed_rows",
]

_SEVERAL = (list, tuple, set, frozenset)


def given_texts(given: Any) -> list[str]:
    """Return texts as a list.

    Raises:
        GivenError: there is a single text, a table, or something that is no text among them.
    """
    texts = given_elements(given, "texts")
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise GivenError(
                f"text {number} is {shown(text)}, not a text; correct it, or leave the row out."
            )
    return texts


def given_sentences(given: Any) -> list[str | list[str]]:
    """Return sentences as a list, each a raw text or its tokens.

    Raises:
        GivenError: there is a single text, or something that is neither of the two.
    """
    found = [plain_value(each) for each in given_elements(given, "texts")]
    for number, each in enumerate(found, start=1):
        words = [each] if isinstance(each, str) else each
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            raise GivenError(
                f"text {number} is {shown(each)}; give a text, or a list of its tokens."
            )
    return found


def given_tagged(sentences: Any, tags: Any) -> list[tuple[list[str], list[Any]]]:
    """Return sentences as lists of tokens, each with the list of its tags.

    Raises:
        GivenError: there are not as many of both, or one is no list.
    """
    words, right = given_sentences(sentences), given_elements(tags, "lists of tags")
    if len(words) != len(right):
        raise GivenError(
            f"{counted(len(words), 'sentence')} and {counted(len(right), 'list')} of tags do not "
            "go together; give a list of tags for each sentence."
        )
    if not words:
        raise GivenError("There is no sentence; give sentences with their tags.")
    for number, (sentence, own) in enumerate(zip(words, right, strict=True), start=1):
        if isinstance(sentence, str) or isinstance(own, str) or not _are_as_many(sentence, own):
            raise GivenError(
                f"sentence {number}: give a list of tokens and a list of as many tags."
            )
    return [([*sentence], [*own]) for sentence, own in zip(words, right, strict=True)]


def given_pairs(given: Any) -> list[tuple[str, str]]:
    """Return pairs of texts as a list.

    Raises:
        GivenError: something else than a pair of texts is among them.
    """
    pairs = [plain_value(pair) for pair in given_elements(given, "pairs")]
    for number, pair in enumerate(pairs, start=1):
        if not is_pair(pair):
            raise GivenError(
                f"pair {number} is {shown(pair)}; give two texts, (text, text), for each."
            )
    return [(first, second) for first, second in pairs]


def given_label_sets(given: Any) -> list[tuple[Label, ...]]:
    """Return the labels of each row: one, or any number where they are given as a list.

    Raises:
        GivenError: one is no label, or there is a matrix of zeros and ones.
    """
    if _is_matrix(given):
        raise GivenError(
            "The labels are a matrix; give a label for each text, or a list of its labels, as "
            "MultiLabelBinarizer().fit(...).inverse_transform(matrix) returns them."
        )
    return [
        _labels(labels, number) for number, labels in enumerate(given_elements(given, "labels"), 1)
    ]


def given_weights(given: Any, number: int) -> NDArray[np.float64] | None:
    """Return how much each row counts, (N,), as scikit-learn gives it; None: all the same.

    Args:
        given: numbers.
        number: of the rows, N.

    Raises:
        GivenError: they are no numbers, as many as there are rows, from 0 on, one of them above.
    """
    if given is None:
        return None
    weights: NDArray[np.float64] = given_array(given, "sample_weight", np.float64)
    if weights.shape != (number,):
        raise GivenError(
            f"sample_weight has the shape {weights.shape}, and there are {number} rows; give a "
            "number for each row."
        )
    for place, weight in enumerate(weights.tolist(), start=1):
        if not 0 <= weight < np.inf:
            raise GivenError(
                f"sample_weight {place} is {weight}; give a finite number that is not below 0."
            )
    if not weights.any():
        raise GivenError("sample_weight has no number above 0, so that no row counts; give one.")
    return weights


def weighed_rows(
    weights: NDArray[np.float64], *columns: Sequence[Any]
) -> tuple[list[list[Any]], NDArray[np.float64]]:
    """Return columns of N rows, and weights, without the rows that weigh nothing."""
    kept = np.flatnonzero(weights)
    return [[column[row] for row in kept.tolist()] for column in columns], weights[kept]


def one_or_each(given: Any, answer: Callable[[Any], Any], *, of_pairs: bool = False) -> Any:
    """Return the answers to several texts, or that to a single one, a number as Python's own.

    Args:
        given: texts, or one text; with `of_pairs` pairs, or one pair as a tuple.
        answer: takes several.
        of_pairs: whether inputs are pairs of texts.
    """
    is_single = isinstance(given, tuple) and is_pair(given) if of_pairs else isinstance(given, str)
    if not is_single:
        return answer(given)
    found = answer([given])[0]
    return found.item() if isinstance(found, np.generic) else found


def given_elements(given: Any, noun: str) -> list[Any]:
    """Return what a list, an array, a column or a generator holds.

    Raises:
        GivenError: it is a single text, a table, or nothing that holds something.
    """
    if isinstance(given, str | bytes):
        raise GivenError(
            f"{shown(given)} is a single text, where {noun} are expected; put it into a list."
        )
    if column_names(given) is not None:
        raise GivenError(
            f"A table of type {type(given).__name__} is given, where {noun} are expected; give one "
            "of its columns."
        )
    try:
        elements = iter(plain_value(_held(given)))
    except (TypeError, ValueError):  # it has no elements, or an array cannot be made of it
        raise GivenError(
            f"{shown(given)} is given, where {noun} are expected; give a list, an array or a "
            "column."
        ) from None
    return list(map(_plain, elements))  # what a generator of the caller raises goes on to them


def shown(value: Any) -> str:
    """Return a value as messages have it, cut to a bounded length."""
    if value is None:
        return "None"
    try:
        text = repr(value[:40] if isinstance(value, str | bytes) else value)
    except ValueError:  # Python writes no whole number of more than 4300 digits
        return f"a value of type {type(value).__name__} that cannot be written out"
    return f"{text if len(text) <= 60 else f'{text[:57]}...'} of type {type(value).__name__}"


def _held(given: Any) -> Any:
    """Return the array of what is none but can become one, as scikit-learn takes it."""
    becomes_array = hasattr(given, "__array__")  # foreign
    return np.asarray(given) if becomes_array and not isinstance(given, Iterable) else given


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else plain_value(value)


def is_pair(given: Any) -> bool:
    """Whether something is two texts."""
    return (
        isinstance(given, list | tuple)
        and len(given) == 2
        and all(isinstance(text, str) for text in given)
    )


def _is_matrix(given: Any) -> bool:
    """Whether labels are an array of rows and several columns, dense or sparse."""
    shape: Any = getattr(given, "shape", ())  # foreign
    return column_names(given) is None and len(shape) == 2 and shape[1] != 1


def _labels(given: Any, number: int) -> tuple[Label, ...]:
    several: Iterable[Any] = given if isinstance(given, _SEVERAL) else (given,)
    try:
        found = sorted(chain(map(Label, map(_plain, several))))
    except ValueError as error:
        said = message("files.rows.row_cause", number=number, cause=error)
        raise GivenError(ended(said)) from None
    return tuple(dict.fromkeys(found))


def _are_as_many(tokens: Any, tags: Any) -> bool:
    try:
        return len(tokens) == len(tags)
    except TypeError:
        return False
