"""What each word of a text adds to the answer of a linear classifier, exactly.

A feature adds its coefficient times its value. An n-gram is shared out equally: among its words and
within these among their characters, or among its characters; and so are all places of a feature.

Which words a text has, as numbers: TF-IDF with features that are known, and its file.
``words.safetensors`` has the tensors ``features`` (UTF-8, one after another), ``feature_ends``
(V,) and ``idf`` (V,). Settings are in the file's metadata.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.corpus.decoding import Form
from foretext.data.sparse_rows import SparseRows
from foretext.tasks.classification.linear_storage import (
    LONGEST_GRAM,
    LinearConfig,
    LinearParts,
    kept_config,
    packed_texts,
    unpacked_texts,
)
from foretext.tasks.explanation import Values, Weighed, WeighRequest, contrasted, summed
from foretext.tasks.spelled_words import prepared_places, word_pattern

__all__ = ["WORDS_FILE", "WordVocabulary", "character_weights", "weigh_linear"]

_BLANKS = re.compile(r"\s\s+")  # become one blank before characters are counted

Places = list[int]  # characters of the text as it was given

WORDS_FILE = "words.safetensors"
FORMAT = "word features"
_TENSORS = {"features": ("uint8", 1), "feature_ends": ("int64", 1), "idf": ("float32", 1)}


class _Gram(NamedTuple):
    """A feature at one place: the characters of each word, or each character."""

    feature: str
    parts: list[Places]


def weigh_linear(
    parts: LinearParts, rows: Any, request: WeighRequest, answers: Values, bias: Values
) -> list[Weighed]:
    """Weigh the words of each text.

    Args:
        parts: what the classifier has learned.
        rows: (N, F) the features of the texts, sparse.
        request: N texts and their words.
        answers: to the texts.
        bias: the answer to a text without features.
    """
    found = []
    for number, ((text,), own) in enumerate(zip(request.inputs, request.places, strict=True)):
        answer = answers.part(number, number + 1)
        column = answer.chosen(request.label)
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


class _Settings(BaseModel, extra="allow"):
    """The settings of a file, which `LinearConfig` checks, and the form of the texts."""

    form: Form = "NFC"  # which earlier versions did not write


class WordVocabulary:
    """The features of a linear classifier: words and pairs of words, or characters.

    Args:
        config: with the kind of features.
        features: V of them.
        idf: (V,) how rare each is.
        form: the Unicode normal form that texts are brought into.
    """

    def __init__(
        self,
        config: LinearConfig,
        features: Sequence[str],
        idf: NDArray[np.float32],
        form: Form = "NFC",
    ) -> None:
        self.config, self.features, self.idf, self.form = config, features, idf, form
        self._vectorizer: Any = config.vectorizer(vocabulary=features, form=form)
        self._vectorizer.idf_ = idf

    def __len__(self) -> int:
        return len(self.features)

    def rows(self, texts: Sequence[str]) -> SparseRows:
        """Return the features of N texts, rows of length 1."""
        if not len(texts):
            return SparseRows(np.empty(0, np.int32), np.empty(0, np.float32), np.zeros(1, np.int64))
        found = self._vectorizer.transform(texts)
        return SparseRows(
            found.indices.astype(np.int32, copy=False),
            found.data.astype(np.float32, copy=False),
            found.indptr.astype(np.int64),
        )

    def write(self, path: Path) -> None:
        """Write one file.

        Raises:
            OutputError: it cannot be written.
        """
        tensors = {**packed_texts("feature", self.features), "idf": self.idf}
        settings = json.dumps({"form": self.form, **self.config.model_dump()})
        write_tensors(path, tensors, {"format": FORMAT, "settings": settings})

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what `write` wrote.

        Raises:
            ModelFileError: the file is missing, or damaged.
        """
        tensors, metadata = read_tensors(path, ModelFileError, _TENSORS)
        where = f"'settings' of {path}"
        settings = parse_json(metadata.get("settings", "null"), where, ModelFileError, _Settings)
        try:
            config = kept_config(settings.model_extra or {})
            features = unpacked_texts(tensors, "feature")
        except (ValueError, SettingError) as error:
            raise ModelFileError(
                f"{path} is damaged ({error}); fetch or write it again."
            ) from error
        idf = tensors["idf"]
        are_known = config.features in ("words", "characters")
        are_different = len(set(features)) == len(features)
        if not (
            are_known and are_different and len(features) == len(idf) and np.isfinite(idf).all()
        ):
            raise ModelFileError(
                f"{path}: the tensors do not go together; fetch or write it again."
            )
        return cls(config, features, idf, settings.form)
