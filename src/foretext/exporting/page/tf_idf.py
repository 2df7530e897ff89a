"""Words and pairs of words, or characters, as linear classifiers count them, on a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.decoding import Form
from foretext.exporting.page.feature_names import FeatureNames
from foretext.exporting.page.splitting import PageSplitter, blank_characters, of_spelled_words
from foretext.tasks.classification.linear_storage import LONGEST_GRAM, LinearConfig
from foretext.tasks.spelled_words import prepared, words_of

__all__ = ["PageTfIdf"]

_BLANKS = re.compile(r"\s\s+")  # become one, as in scikit-learn


class PageTfIdf:
    """What ``static/engine/tf_idf.js`` counts by.

    Args:
        config: what a feature is.
        names: (F,) the features.
        idf: (F,) how rare each is.
        form: the Unicode normal form that texts are brought into.
    """

    def __init__(
        self, config: LinearConfig, names: Sequence[str], idf: NDArray[np.float32], form: Form
    ) -> None:
        self.config, self.names, self.idf, self.form = config, names, idf, form

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        return {
            "splitter": self._splitter.steps,
            "features": self.config.features,
            "longest": LONGEST_GRAM[self.config.features],
            "blank": blank_characters(),
        }

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters, and what features weigh before they are counted."""
        return {**self._splitter.tensors(), "idf": self.idf, "shared": self._named.shared}

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The features."""
        return {"features": self._named.rests}

    def parts(self, text: str) -> list[str]:
        """Return the words or characters of a text."""
        splitting = self.config.pre_tokenizer
        ready = prepared(text, splitting, self.form)
        if self.config.features == "words":
            return words_of(ready, splitting)
        return list(_BLANKS.sub(" ", ready))

    @cached_property
    def _named(self) -> FeatureNames:
        return FeatureNames.of(self.names)

    @property
    def _splitter(self) -> PageSplitter:
        return of_spelled_words(self.config.pre_tokenizer, self.form)
