"""A classifier of fastText on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.exporting.page.page_model import (
    Answers,
    PageModel,
    label_answers,
    texts_of_rows,
)
from foretext.exporting.page.splitting import PageSplitter, of_classifier
from foretext.exporting.page.storage import Matrices
from foretext.messages import message
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.rows import DenseRows
from foretext.tasks.fasttext.storage import row_tensors

__all__ = ["PageFastText"]

ROWS, OUTPUTS = "rows", "outputs"


class PageFastText(PageModel):
    """Rows of words and n-grams as they are, or as the codes of a quantised model."""

    kind = "fasttext classifier"
    abilities = ("predict",)
    model: FastTextClassifier

    @property
    def labels(self) -> list[Any]:  # type: ignore[override]
        """As they came: texts, whole numbers or booleans."""
        return list(self.model.classes_.tolist())

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        config = self._learned.dictionary.config
        return {
            "splitter": self._splitter.steps,
            "label_prefix": config.label_prefix,
            "ngrams": {**config.ngrams._asdict(), "word_ngrams": config.word_ngrams},
            "loss": config.loss,
            "pruned": self._learned.pruned,
            "dim": config.dim,
            "dsub": codes.shape[2] if (codes := self._rows.get("centroids")) is not None else None,
        }

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        own = {ROWS: self._rows[ROWS]} if ROWS in self._rows else {}
        return {**own, OUTPUTS: self._learned.outputs}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters and numbers of rows."""
        learned = self._learned
        paths = learned.layer.paths
        return {
            **self._splitter.tensors(),
            **{name: tensor for name, tensor in self._rows.items() if name != ROWS},
            "word_rows": learned.word_rows.astype(np.int32),
            "label_order": learned.dictionary.class_order.astype(np.int32),
            "ngrams.buckets": learned.buckets.astype(np.int32),
            "ngrams.rows": learned.bucket_rows.astype(np.int32),
            "path_starts": paths.starts.astype(np.int32),
            "path_nodes": paths.nodes.astype(np.int32),
            "path_codes": paths.codes.astype(np.uint8),
        }

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The words of the model."""
        return {"words": self._learned.dictionary.words}

    def texts_of(self, run: Path) -> list[str]:
        """Return the first texts of the rows that it has learned from."""
        return texts_of_rows(run, self.model)

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        return message("exporting.remedy.fasttext")

    def with_matrices(self, matrices: Matrices) -> PageFastText:
        """Return the same with other numbers."""
        learned = self._learned
        rows = DenseRows.of(matrices[ROWS]) if ROWS in matrices else learned.rows
        changed = replace(learned, rows=rows, outputs=matrices[OUTPUTS])
        return PageFastText(FastTextClassifier.of_model(changed), self.name)

    def parts(self, text: str) -> list[int]:
        """Return the row of each feature of a text, -1 of one without a row."""
        dictionary = self._learned.dictionary
        units = dictionary.units(dictionary.encode([text])).units
        found: list[int] = self._learned.unit_rows[units].tolist()
        return found

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return how probable each label is for each text, and which one is the most probable."""
        return label_answers(self.model, self.labels, texts)

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words, the frequent ones first where that is known."""
        return self._learned.dictionary.words

    @property
    def _learned(self) -> FastTextModel:
        return self.model.model

    @property
    def _splitter(self) -> PageSplitter:
        dictionary = self._learned.dictionary
        return of_classifier(dictionary.config, dictionary.edition, dictionary.form)

    @cached_property
    def _rows(self) -> dict[str, NDArray[Any]]:
        """The rows, or their codes."""
        return row_tensors(self._learned.rows)
