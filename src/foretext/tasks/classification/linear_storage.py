"""A linear classifier as one file, ``linear.safetensors``.

The tensors are ``features`` and ``labels`` (UTF-8, one after another), ``feature_ends`` (F,) and
``label_ends`` (C,), where each ends in bytes; ``idf`` (F,), ``weights`` (F, C) or (F, 1), and
``bias``. Settings are in the file's metadata.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator

from foretext.base.config import Config
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.corpus.decoding import Form
from foretext.corpus.scripts import WITHOUT_BLANKS, script_rates
from foretext.data.rows.label import kept_values, named_labels
from foretext.tasks.spelled_words import Splitting, prepared, words_of

__all__ = [
    "FILE",
    "KIND",
    "LONGEST_GRAM",
    "LinearConfig",
    "LinearParts",
    "kept_config",
    "packed_texts",
    "read_parts",
    "unpacked_texts",
    "write_parts",
]

KIND = "linear classifier"
FILE = "linear.safetensors"

_TENSORS = {
    "features": ("uint8", 1),
    "feature_ends": ("int64", 1),
    "labels": ("uint8", 1),
    "label_ends": ("int64", 1),
    "idf": ("float32", 1),
    "weights": ("float32", 2),
    "bias": ("float32", 1),
}

SIGNS_KEPT = ("words_and_punctuation", "whitespace")  # which characters always are
LONGEST_GRAM = {"words": 2, "characters": 3}  # of words, or of characters

_SAMPLE = 1000  # texts that the script is found from
_MANY_TEXTS = 1000  # from here on a feature must occur twice


class LinearConfig(Config):
    """Features and the regression."""

    features: Literal["auto", "words", "characters"] = "auto"
    """N-grams that are counted: of words or of characters; auto: by the script."""
    pre_tokenizer: Splitting = "unicode_words"
    """What a word is; words_and_punctuation and whitespace keep signs such as :)."""
    min_texts: int | None = Field(default=None, ge=1)
    """Texts that a feature must occur in; none: 1 or 2."""
    inverse_penalty: float = Field(default=5.0, gt=0)
    """Inverse strength of the L2 penalty, C of scikit-learn."""
    tolerance: float = Field(default=1e-3, gt=0)
    """Change of the weights at which the training stops."""
    max_passes: int = Field(default=100, ge=1)
    """Passes over the texts, at most."""
    class_weight: Literal["balanced"] | dict[Any, float] | None = None
    """How much texts of each class count; balanced: rare ones more, so that all count the same."""
    seed: int = Field(default=0, ge=0)
    """Of all random draws."""

    @model_validator(mode="after")
    def _has_words(self) -> Self:
        if self.features == "characters" and self.pre_tokenizer in SIGNS_KEPT:
            raise ValueError(
                f"pre_tokenizer = {self.pre_tokenizer!r} has no effect on features = 'characters'"
            )
        return self

    @model_validator(mode="after")
    def _has_weights(self) -> Self:
        if isinstance(self.class_weight, dict):
            for name, weight in self.class_weight.items():
                if weight < 0:
                    raise ValueError(f"class_weight of {name!r} is {weight}; give 0 or more")
        return self

    def resolved(self, texts: Sequence[str]) -> Self:
        """Return the settings with those that depend on the texts."""
        features = self.features
        if features == "auto" and "pre_tokenizer" in self.changed:
            features = "words"
        elif features == "auto":
            features = "characters" if _has_no_blanks(texts[:_SAMPLE]) else "words"
        min_texts = self.min_texts or (2 if len(texts) >= _MANY_TEXTS else 1)
        return self.model_copy(update={"features": features, "min_texts": min_texts})

    def vectorizer(self, vocabulary: Sequence[str] | None = None, form: Form = "NFC") -> Any:
        """Return scikit-learn's TF-IDF of these settings, once they are resolved.

        Args:
            vocabulary: the features, where they are known.
            form: the Unicode normal form that texts are brought into.
        """
        from sklearn.feature_extraction.text import TfidfVectorizer

        by_word = self.features == "words"
        return TfidfVectorizer(
            analyzer="word" if by_word else "char",
            preprocessor=partial(prepared, splitting=self.pre_tokenizer, form=form),
            tokenizer=partial(words_of, splitting=self.pre_tokenizer) if by_word else None,
            token_pattern=None,
            ngram_range=(1, LONGEST_GRAM["words" if by_word else "characters"]),
            min_df=self.min_texts,
            sublinear_tf=True,
            dtype=np.float32,
            vocabulary=vocabulary,
        )


class LinearParts(NamedTuple):
    """What a linear classifier has learned: F features, C labels."""

    config: LinearConfig
    labels: Sequence[str]  # each a `Label`, which has its value
    features: Sequence[str]
    idf: NDArray[np.float32]  # (F,)
    weights: NDArray[np.float32]  # (F, C); (F, 1) where one of two labels is right
    bias: NDArray[np.float32]  # (C,) or (1,)
    is_multi_label: bool
    form: Form = "NFC"  # of the rows, which texts are brought into


class _Settings(BaseModel, extra="allow"):
    """What the metadata of a file hold beside the settings."""

    is_multi_label: bool
    label_values: list[str | int | bool] | None = None
    form: Form = "NFC"  # which earlier versions did not write


def write_parts(path: Path, parts: LinearParts) -> None:
    """Write one file.

    Raises:
        OutputError: it cannot be written.
    """
    tensors: dict[str, NDArray[Any]] = {
        **packed_texts("feature", parts.features),
        **packed_texts("label", parts.labels),
        "idf": parts.idf,
        "weights": parts.weights,
        "bias": parts.bias,
    }
    facts = {"is_multi_label": parts.is_multi_label, "form": parts.form}
    settings = {**facts, **parts.config.model_dump()}
    if (values := kept_values(parts.labels)) is not None:
        settings["label_values"] = values
    write_tensors(path, tensors, {"format": KIND, "settings": json.dumps(settings)})


def read_parts(path: Path) -> LinearParts:
    """Read one file.

    Raises:
        ModelFileError: it is missing, truncated, or holds something else.
    """
    tensors, metadata = read_tensors(path, ModelFileError, _TENSORS)
    where = f"'settings' of {path}"
    settings = parse_json(metadata.get("settings", "null"), where, ModelFileError, _Settings)
    try:
        config = kept_config(settings.model_extra or {})
        features, names = (unpacked_texts(tensors, name) for name in ("feature", "label"))
        labels = named_labels(names, settings.label_values)
    except (ValueError, SettingError) as error:
        raise ModelFileError(f"{path} is damaged ({error}); fetch or write it again.") from error
    parts = LinearParts(
        config, labels, features, tensors["idf"], tensors["weights"], tensors["bias"],
        settings.is_multi_label, settings.form,
    )  # fmt: skip
    if not _fit(parts):
        raise ModelFileError(f"{path}: the tensors do not go together; fetch or write it again.")
    return parts


def _fit(parts: LinearParts) -> bool:
    num_labels, num_features = len(parts.labels), len(parts.features)
    num_outputs = 1 if num_labels == 2 and not parts.is_multi_label else num_labels
    return (
        num_labels >= 2
        and len(set(parts.labels)) == num_labels
        and len(set(parts.features)) == num_features
        and parts.idf.shape == (num_features,)
        and parts.weights.shape == (num_features, num_outputs)
        and parts.bias.shape == (num_outputs,)
        and all(np.isfinite(array).all() for array in (parts.idf, parts.weights, parts.bias))
    )


def kept_config(settings: dict[str, Any]) -> LinearConfig:
    """Return the settings of a file; those of earlier versions do not say what a word is,
    and soft hyphens and other invisible signs are among their features.

    Raises:
        SettingError: one of them is unknown or wrong.
    """
    return LinearConfig.checked({"pre_tokenizer": "letters", **settings}, "linear")


def packed_texts(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return texts as bytes, and where each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
    return {f"{name}s": np.frombuffer(b"".join(encoded), np.uint8), f"{name}_ends": ends}


def unpacked_texts(tensors: dict[str, NDArray[Any]], name: str) -> list[str]:
    """Return the texts; ValueError where ends and bytes do not fit."""
    whole, ends = tensors[f"{name}s"].tobytes(), tensors[f"{name}_ends"]
    starts = np.insert(ends[:-1], 0, 0)
    if not len(ends) or ends[-1] != len(whole) or (ends < starts).any() or starts[0] != 0:
        raise ValueError(f"the ends of its {name}s do not fit")
    return [whole[start:end].decode() for start, end in zip(starts, ends, strict=True)]


def _has_no_blanks(texts: Iterable[str]) -> bool:
    """Whether most letters are of a script that is written without blanks between words."""
    characters = Counter[str]()
    for text in texts:
        characters.update(text)
    rates = script_rates(characters) if characters else {}
    return sum(rates.get(script, 0.0) for script in WITHOUT_BLANKS) > 0.5
