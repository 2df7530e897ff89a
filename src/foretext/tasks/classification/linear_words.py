"""What each word of a text adds to the answer of a linear classifier, exactly.

A feature adds its coefficient times its value. An n-gram is shared out equally: among its words and
within these among their characters, or among its characters; and so are all places of a feature.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.decoding import Form
from foretext.tasks.classification.linear_config import LONGEST_GRAM, LinearConfig
from foretext.tasks.classification.linear_storage import LinearParts
from foretext.tasks.explanation import Asked, Values, Weighed, contrasted, summed
from foretext.tasks.spelled_words import prepared_places, word_pattern

__all__ = ["character_weights", "weigh_linear"]

_BLANKS = re.compile(r"\s\s+")  # become one blank before characters are counted

Places = list[int]  # characters of the text as it was given


class _Gram(NamedTuple):
    """A feature at one place: the characters of each word, or each character."""

    feature: str
    parts: list[Places]


def weigh_linear(
    parts: LinearParts, rows: Any, asked: Asked, answers: Values, bias: Values
) -> list[Weighed]:
    """Weigh the words of each text.

    Args:
        parts: what the classifier has learned.
        rows: (N, F) the features of the texts, sparse.
        asked: N texts and their words.
        answers: to the texts.
        bias: the answer to a text without features.
    """
    found = []
    for number, ((text,), own) in enumerate(zip(asked.inputs, asked.places, strict=True)):
        answer = answers.part(number, number + 1)
        column = answer.chosen(asked.label)
        added = _added(parts, rows[number], column)
        weights = summed([character_weights(text, parts.config, added, parts.form)], own)
        found.append(Weighed.of(answer, column, bias.values[0, column], own, weights))
    return found


def character_weights(
    text: str, config: LinearConfig, added: Mapping[str, float], form: Form = "NFC"
) -> NDArray[np.float64]:
    """Return what each character of a text adds, (len(text),).

    Args:
        text: as it was given.
        config: which features there are, and what a word is.
        added: what the features of the text add to a value, all places of each together.
        form: the Unicode normal form that the text is brought into.
    """
    grams = [gram for gram in _grams(text, config, form) if gram.feature in added]
    counts = Counter(gram.feature for gram in grams)
    found = np.zeros(len(text))
    for feature, parts in grams:
        share = added[feature] / counts[feature] / len(parts)
        for places in parts:
            np.add.at(found, places, share / len(places))
    return found


def _added(parts: LinearParts, row: Any, column: int) -> dict[str, float]:
    """Return what each feature of one text adds to the value of a label."""
    weights = parts.weights[row.indices].astype(np.float64)  # (f, C) or (f, 1)
    if weights.shape[1] < len(parts.labels):
        weights = np.insert(weights, 0, 0.0, axis=1)
    own = contrasted(weights, are_sets=parts.is_multi_label)[:, column] * row.data
    features = [parts.features[place] for place in row.indices]
    return dict(zip(features, own.tolist(), strict=True))


def _grams(text: str, config: LinearConfig, form: Form) -> list[_Gram]:
    lowered, origins = prepared_places(text, config.pre_tokenizer, form)
    if config.features == "words":
        joint = " "
        words = word_pattern(config.pre_tokenizer).finditer(lowered)
        parts = [(match[0], _joined(origins[match.start() : match.end()])) for match in words]
    else:
        joint = ""
        parts = _characters(lowered, origins)
    return [
        _Gram(joint.join(name for name, _ in some), [places for _, places in some])
        for length in range(1, LONGEST_GRAM[config.features] + 1)
        for some in (parts[start : start + length] for start in range(len(parts) - length + 1))
    ]


def _joined(places: list[Places]) -> Places:
    """Return the characters of several together, each once."""
    return list(dict.fromkeys(place for some in places for place in some))


def _characters(lowered: str, origins: list[Places]) -> list[tuple[str, Places]]:
    """Return the characters, and several blanks as one."""
    found, end = [], 0
    for match in _BLANKS.finditer(lowered):
        found += _single(lowered, origins, end, match.start())
        found.append((" ", _joined(origins[match.start() : match.end()])))
        end = match.end()
    return found + _single(lowered, origins, end, len(lowered))


def _single(lowered: str, origins: list[Places], start: int, end: int) -> list[tuple[str, Places]]:
    return [(lowered[place], origins[place]) for place in range(start, end)]
