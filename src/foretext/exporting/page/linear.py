"""A linear classifier on a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows.label import label_array
from foretext.exporting.page.page_model import (
    Answers,
    PageModel,
    label_answers,
    texts_of_rows,
)
from foretext.exporting.page.splitting import PageSplitter, blank_characters, of_spelled_words
from foretext.exporting.page.storage import Matrices
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_storage import LONGEST_GRAM
from foretext.tasks.spelled_words import prepared, words_of

__all__ = ["PageLinear"]

_BLANKS = re.compile(r"\s\s+")  # become one, as in scikit-learn


class PageLinear(PageModel):
    """Features, their weights, and how texts are taken apart into them."""

    kind = "linear classifier"
    abilities = ("predict",)
    model: LinearClassifier

    @property
    def labels(self) -> list[Any]:  # type: ignore[override]
        """As they came: texts, whole numbers or booleans."""
        return list(label_array(self.model.label_names).tolist())

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        return {
            "splitter": self._splitter.steps,
            "features": self.model.config.features,
            "longest": LONGEST_GRAM[self.model.config.features],
            "blank": blank_characters(),
            "several": self.model.is_multi_label,
        }

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        return {"weights": self.model.weights}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters, and what features weigh before they are counted."""
        found = {"idf": self.model.idf, "bias": np.asarray(self.model.bias, np.float32)}
        return {**self._splitter.tensors(), **found}

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The features."""
        return {"features": self.model.feature_names}

    def texts_of(self, run: Path) -> list[str]:
        """Return the first texts of the rows that it has learned from."""
        return texts_of_rows(run, self.model)

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        return "train it with a higher linear.min_texts, which leaves rare features out"

    def with_matrices(self, matrices: Matrices) -> PageLinear:
        """Return the same with other numbers."""
        parts = self.model.parts._replace(weights=matrices["weights"])
        return PageLinear(LinearClassifier.of_parts(parts), self.name)

    def parts(self, text: str) -> list[str]:
        """Return the words or characters of a text."""
        splitting = self.model.config.pre_tokenizer
        ready = prepared(text, splitting, self.model.parts.form)
        if self.model.config.features == "words":
            return words_of(ready, splitting)
        return list(_BLANKS.sub(" ", ready))

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return how probable each label is for each text, and which one is the most probable."""
        return label_answers(self.model, self.labels, texts)

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words, the frequent ones first where that is known."""
        return self.model.feature_names

    @property
    def _splitter(self) -> PageSplitter:
        return of_spelled_words(self.model.config.pre_tokenizer, self.model.parts.form)
