"""A linear classifier on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
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
from foretext.exporting.page.storage import Matrices
from foretext.exporting.page.tf_idf import PageTfIdf
from foretext.messages import message
from foretext.tasks.classification.linear import LinearClassifier

__all__ = ["PageLinear"]


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
        return {**self._features.settings, "several": self.model.is_multi_label}

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        return {"weights": self.model.weights}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters, and what features weigh before they are counted."""
        return {**self._features.tensors, "bias": np.asarray(self.model.bias, np.float32)}

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The features."""
        return self._features.texts

    def texts_of(self, run: Path) -> list[str]:
        """Return the first texts of the rows that it has learned from."""
        return texts_of_rows(run, self.model)

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        return message("exporting.remedy.linear")

    def with_matrices(self, matrices: Matrices) -> PageLinear:
        """Return the same with other numbers."""
        parts = self.model.parts._replace(weights=matrices["weights"])
        return PageLinear(LinearClassifier.of_parts(parts), self.name)

    def parts(self, text: str) -> list[str]:
        """Return the words or characters of a text."""
        return self._features.parts(text)

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return how probable each label is for each text, and which one is the most probable."""
        return label_answers(self.model, self.labels, texts)

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words, the frequent ones first where that is known."""
        return self.model.feature_names

    @cached_property
    def _features(self) -> PageTfIdf:
        parts = self.model.parts
        return PageTfIdf(parts.config, parts.features, parts.idf, parts.form)
