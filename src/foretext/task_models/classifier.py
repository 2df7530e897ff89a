"""A classifier of texts in use: labels, their probabilities, and how good they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext.classifiers.class_answers import (
    ClassAnswers,
    check_labels,
    check_single,
    count_labels,
    label_temperature,
)
from foretext.classifiers.linear import LinearClassifier
from foretext.classifiers.linear_storage import FILE
from foretext.config import Config
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import LabelledText, RowsConfig, read_texts
from foretext.errors import ModelFileError, SettingError
from foretext.metrics import sigmoid, softmax
from foretext.task_models.base import TaskModel
from foretext.task_models.computing import TaskNetwork
from foretext.task_models.ensemble import Ensemble, Weights
from foretext.task_models.windows import Windows
from foretext.tasks.answers import Classes
from foretext.tasks.classification import Classification

__all__ = ["TextClassifier"]

Probabilities = NDArray[np.float64]

_TINY = 1e-12  # a probability


class TextClassifier(TaskModel):
    """Texts to one label, or to any number of them.

    Attributes:
        ensemble: what answers together with the network; None: the network alone.
    """

    ensemble: Ensemble | None = None
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
        counts = count_labels(rows)
        return {
            "labels": list(counts),
            "multi_label": any(len(row.labels) != 1 for row in rows),
            "counts": list(counts.values()),
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
        if not self.is_multi_label:
            check_single(rows)
        check_labels(rows, self.task.answers.labels)
        windows = self._windows([row.text for row in rows])
        labels = self.task.answers.targets([row.labels for row in rows])
        return self._padded(windows, {self.task.answers.target: labels[windows.owners]})

    def predict(self, texts: Sequence[str]) -> list[str] | list[tuple[str, ...]]:
        """Return the most probable label of each text; of several, those above one half."""
        _check_list(texts)
        return self._classes(texts, None).best()

    def predict_proba(self, texts: Sequence[str]) -> Probabilities:
        """Return (N, C) in the order of `classes_`; rows sum to 1 unless texts have several."""
        _check_list(texts)
        return self._classes(texts, None).probabilities

    def predict_top(
        self, texts: Sequence[str], k: int | None = 1, threshold: float = 0.0
    ) -> list[list[tuple[str, float]]]:
        """Return of each text up to `k` labels with their probabilities, the best first."""
        _check_list(texts)
        return self._classes(texts, None).top(k, threshold)

    def score(self, texts: Sequence[str], labels: Sequence[str]) -> float:
        """Return the share of texts whose answer is right."""
        return float(np.mean([a == b for a, b in zip(self.predict(texts), labels, strict=True)]))

    def answer_rows(
        self, rows: Sequence[LabelledText], network: TaskNetwork | None = None
    ) -> ClassAnswers:
        """Return how probable each label is for each text."""
        return self._classes([row.text for row in rows], network)

    def judge(self, rows: Sequence[LabelledText], answers: ClassAnswers) -> dict[str, Any]:
        """Return accuracy, F1 of several kinds, calibration, and the table of labels."""
        return {"texts": len(rows), **answers.figures(rows)}

    def calibrate(self, rows: Sequence[LabelledText]) -> float:
        """Set and return the temperature by which probabilities fit rows not learned from.

        Guo et al. 2017, 4.2; the answers stay the same.

        Raises:
            SettingError: texts have several labels, or an ensemble answers.
            CorpusError: no row has a label that is known.
        """
        if self.ensemble is not None:
            raise SettingError("The weights of the ensemble calibrate already; join it again.")
        if self.is_multi_label:
            raise SettingError("Probabilities of several labels a text cannot be calibrated.")
        windows = self._windows([row.text for row in rows])
        logits = windows.merged(self._logits(windows, None), len(rows))
        self.temperature = label_temperature(self.task.answers.labels, logits, rows)
        return self.temperature

    def join(self, linear: LinearClassifier, rows: Sequence[LabelledText]) -> Weights:
        """Answer together with a linear model from now on; return what each of the two counts.

        Args:
            linear: that learned the same labels.
            rows: that neither has learned from; they decide how much each counts.

        Raises:
            CorpusError: no row has a label that is known.
            SettingError: the linear model has other labels.
        """
        if linear.classes_.tolist() != self.classes_.tolist() or (
            linear.is_multi_label != self.is_multi_label
        ):
            raise SettingError(
                "The linear model answers with other labels than the network; let both learn from "
                "the same rows."
            )
        if not self.is_multi_label:
            check_single(rows)
        self.ensemble = None
        answers = self.answer_rows(rows)
        self.ensemble = Ensemble.fit(linear, self._as_logits(answers.probabilities), rows)
        return self.ensemble.weights

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings."""
        if self.ensemble is None:
            return super().facts()
        return {**super().facts(), "ensemble": self.ensemble.weights._asdict()}

    def save_parts(self, folder: Path) -> None:
        """Write what answers together with the network."""
        if self.ensemble is not None:
            self.ensemble.linear.write_file(folder / FILE)

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Read what answers together with the network; the types of `facts` are checked."""
        if "ensemble" not in facts:
            return
        linear = LinearClassifier.read_file(folder / FILE)
        if linear.classes_.tolist() != self.classes_.tolist() or (
            linear.is_multi_label != self.is_multi_label
        ):
            raise ModelFileError(
                f"{folder / FILE} answers with other labels than the network beside it; fetch or "
                "write both again."
            )
        self.ensemble = Ensemble(linear, Weights(**facts["ensemble"]))

    def num_cut(self, rows: Sequence[LabelledText]) -> int:
        """Return the number of texts that are longer than the model reads at once."""
        return self._windows([row.text for row in rows]).num_cut

    def knows(self, row: LabelledText) -> bool:
        """Whether all labels of a text are known."""
        return set(row.labels) <= set(self.task.answers.labels)

    def _windows(self, texts: Sequence[str]) -> Windows:
        config = self.task.config
        return Windows.of(self.body, texts, config.max_length, config.long_texts)

    def _padded(self, windows: Windows, targets: dict[str, Any]) -> PaddedExamples:
        return PaddedExamples(
            windows.rows,
            targets,
            pad=self.body.pad,
            visibility=self.body.visibility,
            needed=self.task.needed,
        )

    def _logits(self, windows: Windows, network: TaskNetwork | None) -> Probabilities:
        outputs = self.outputs(self._padded(windows, {}), network)
        return np.array(outputs, np.float64).reshape(-1, self.task.answers.num_outputs)  # (rows, C)

    def _merged(self, texts: Sequence[str], network: TaskNetwork | None) -> Probabilities:
        """(N, C) the network's probabilities, of each text the mean over its windows."""
        windows = self._windows(texts)
        logits = self._logits(windows, network) / self.temperature
        each = sigmoid(logits) if self.is_multi_label else softmax(logits)
        return windows.merged(each, len(texts))

    def _as_logits(self, probabilities: Probabilities) -> Probabilities:
        """(N, C) what probabilities come from, up to a number a text."""
        inside = np.clip(probabilities, _TINY, 1 - _TINY)
        return np.log(inside) - np.log1p(-inside) if self.is_multi_label else np.log(inside)

    def _classes(self, texts: Sequence[str], network: TaskNetwork | None) -> ClassAnswers:
        labels, merged = self.task.answers.labels, self._merged(texts, network)
        alone = ClassAnswers(labels, merged, self.is_multi_label)
        if self.ensemble is None:
            return alone
        together = self.ensemble.probabilities(self._as_logits(merged), texts)
        return ClassAnswers(labels, together, self.is_multi_label, network=alone)


def _check_list(texts: Sequence[str]) -> None:
    if isinstance(texts, str):
        raise SettingError("predict takes several texts; put a single one into a list.")
