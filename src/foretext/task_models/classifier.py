"""A classifier of texts in use: labels, their probabilities, and how good they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext.config import Config
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import LabelledText, RowsConfig, read_texts
from foretext.errors import CorpusError, SettingError
from foretext.metrics import expected_calibration_error, fit_temperature, softmax
from foretext.metrics.classification import multi_label_scores
from foretext.task_models.base import TaskModel
from foretext.task_models.computing import Network
from foretext.task_models.windows import Windows
from foretext.tasks.answers import Classes
from foretext.tasks.classification import Classification

__all__ = ["TextClassifier"]

Probabilities = NDArray[np.float64]


class TextClassifier(TaskModel):
    """Texts to one label, or to any number of them."""

    task: Classification
    task_class = Classification
    rows_config: ClassVar = RowsConfig
    judged_by = "accuracy"

    @classmethod
    def read(cls, path: str | Path, config: Config | None = None) -> list[LabelledText]:
        """Read labelled texts."""
        assert config is None or isinstance(config, RowsConfig), config
        return read_texts(path, config)

    @classmethod
    def find(cls, rows: Sequence[LabelledText]) -> dict[str, Any]:
        """Return the labels, sorted, their counts, and whether a text has one alone.

        Raises:
            CorpusError: there are fewer than two labels.
        """
        counts = Counter(label for row in rows for label in row.labels)
        if len(counts) < 2:
            raise CorpusError(
                f"The rows to learn from have {len(counts)} different labels; two are needed to "
                "tell texts apart."
            )
        labels = sorted(counts)
        return {
            "labels": labels,
            "multi_label": any(len(row.labels) != 1 for row in rows),
            "counts": [counts[label] for label in labels],
        }

    @property
    def classes_(self) -> NDArray[np.str_]:
        """(C,) labels in the order of `predict_proba`."""
        return np.array(self.task.answers.labels)

    @property
    def is_multi_label(self) -> bool:
        """Whether a text may have any number of labels."""
        return not isinstance(self.task.answers, Classes)

    def examples(self, rows: Sequence[LabelledText]) -> PaddedExamples:
        """Return each window of each text, with the labels of the text."""
        self._check_labels(rows)
        windows = self._windows([row.text for row in rows])
        labels = self.task.answers.targets([row.labels for row in rows])
        return self._padded(windows, {self.task.answers.target: labels[windows.owners]})

    def predict(self, texts: Sequence[str]) -> list[str] | list[tuple[str, ...]]:
        """Return the most probable label of each text; of several, those above one half."""
        return self._answers(self.predict_proba(texts))

    def predict_proba(self, texts: Sequence[str]) -> Probabilities:
        """Return (N, C) in the order of `classes_`; rows sum to 1 unless texts have several."""
        _check_list(texts)
        return self._probabilities(texts, None)

    def predict_top(
        self, texts: Sequence[str], k: int | None = 1, threshold: float = 0.0
    ) -> list[list[tuple[str, float]]]:
        """Return of each text up to `k` labels with their probabilities, the best first."""
        labels = self.task.answers.labels
        return [
            [(labels[best], float(row[best])) for best in np.argsort(-row, kind="stable")[:k]
             if row[best] >= threshold]
            for row in self.predict_proba(texts)
        ]  # fmt: skip

    def score(self, texts: Sequence[str], labels: Sequence[str]) -> float:
        """Return the share of texts whose answer is right."""
        return float(np.mean([a == b for a, b in zip(self.predict(texts), labels, strict=True)]))

    def figures(
        self, rows: Sequence[LabelledText], network: Network | None = None
    ) -> dict[str, Any]:
        """Return accuracy, F1 of several kinds, calibration, and the table of labels."""
        probabilities = self._probabilities([row.text for row in rows], network)
        answers = self._answers(probabilities)
        sets = [(a,) if isinstance(a, str) else a for a in answers]
        scores = multi_label_scores([row.labels for row in rows], sets)
        found: dict[str, Any] = {"texts": len(rows), **scores.figures()}
        if not self.is_multi_label:
            right = [answer == row.labels[0] for answer, row in zip(answers, rows, strict=True)]
            found["calibration_error"] = expected_calibration_error(probabilities.max(1), right)
        found["labels"] = {
            row.label: dict(row._asdict().items() - {("label", row.label)})
            for row in scores.per_label
        }
        return found

    def calibrate(self, rows: Sequence[LabelledText]) -> float:
        """Set and return the temperature by which probabilities fit rows not learned from.

        Guo et al. 2017, 4.2; the answers stay the same.

        Raises:
            SettingError: texts have several labels.
        """
        if self.is_multi_label:
            raise SettingError("Probabilities of several labels a text cannot be calibrated.")
        windows = self._windows([row.text for row in rows])
        logits = windows.merged(self._logits(windows, None), len(rows))
        gold = np.array([self._place(row.labels[0]) for row in rows])
        known = gold >= 0
        self.temperature = fit_temperature(logits[known], gold[known])
        return self.temperature

    def num_cut(self, texts: Sequence[str]) -> int:
        """Return the number of texts that are longer than the model reads at once."""
        return self._windows(texts).num_cut

    def _windows(self, texts: Sequence[str]) -> Windows:
        config = self.task.config
        return Windows.of(self.body, texts, config.max_length, config.long_texts)

    def _padded(self, windows: Windows, targets: dict[str, Any]) -> PaddedExamples:
        return PaddedExamples(
            windows.rows, targets, pad=self.body.pad, visibility=self.body.visibility
        )

    def _logits(self, windows: Windows, network: Network | None) -> Probabilities:
        outputs = self.outputs(self._padded(windows, {}), network)
        return np.array(outputs, np.float64).reshape(len(outputs), -1)  # (rows, C)

    def _probabilities(self, texts: Sequence[str], network: Network | None) -> Probabilities:
        """Of each text the mean over its windows."""
        if not len(texts):
            return np.zeros((0, len(self.task.answers.labels)))
        windows = self._windows(texts)
        logits = self._logits(windows, network) / self.temperature
        each = 1 / (1 + np.exp(-logits)) if self.is_multi_label else softmax(logits)
        return windows.merged(each, len(texts))

    def _answers(self, probabilities: Probabilities) -> list[str] | list[tuple[str, ...]]:
        labels = self.task.answers.labels
        if not self.is_multi_label:
            return [labels[best] for best in probabilities.argmax(1)]
        return [
            tuple(labels[place] for place in np.flatnonzero(row > 0.5)) for row in probabilities
        ]

    def _place(self, label: str) -> int:
        labels = self.task.answers.labels
        return labels.index(label) if label in labels else -1

    def _check_labels(self, rows: Sequence[LabelledText]) -> None:
        known = set(self.task.answers.labels)
        for row in rows:
            if unknown := set(row.labels) - known:
                raise CorpusError(
                    f"{row.place}: no row to learn from has the label '{min(unknown)}'."
                )
            if not self.is_multi_label and len(row.labels) != 1:
                raise CorpusError(
                    f"{row.place}: {len(row.labels)} labels, and the rows learned from have one."
                )


def _check_list(texts: Sequence[str]) -> None:
    if isinstance(texts, str):
        raise SettingError("predict takes several texts; put a single one into a list.")
