"""Which words a text has, as numbers: TF-IDF with features that are known, and its file.

``words.safetensors`` has the tensors ``features`` (UTF-8, one after another), ``feature_ends`` (V,)
and ``idf`` (V,). Settings are in the file's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.corpus.decoding import Form
from foretext.data.sparse_rows import SparseRows
from foretext.tasks.classification.linear_config import LinearConfig
from foretext.tasks.classification.linear_storage import kept_config, packed_texts, unpacked_texts

__all__ = ["WORDS_FILE", "WordVocabulary"]

WORDS_FILE = "words.safetensors"
FORMAT = "word features"
_TENSORS = {"features": ("uint8", 1), "feature_ends": ("int64", 1), "idf": ("float32", 1)}


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
