"""What fine-tuning asks of a classifier: its labels, its rows, and texts without labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.data.padded_examples import PaddedExamples
from foretext.data.replaced_examples import ReplacedExamples
from foretext.data.rows import LabelledText
from foretext.data.rows.label import found_labels
from foretext.heads.classification import ClassificationHead
from foretext.heads.consistent import Consistent
from foretext.heads.partly_labelled import IS_LABELLED
from foretext.heads.taught import TEACHER, Taught
from foretext.tasks.baseline import Baseline
from foretext.tasks.class_answers import check_labels, check_single, count_labels
from foretext.tasks.classification.linear import linear_baseline, linear_baseline_cost
from foretext.tasks.classification.wide_classifier import WideClassifier
from foretext.tasks.lessons import Consistency, Lessons, Teaching
from foretext.tasks.regression_cost import RegressionCost

__all__ = ["ClassifierLearning"]


class ClassifierLearning(WideClassifier):
    """Texts that have one label each, or any number of them."""

    head: ClassificationHead
    head_class = ClassificationHead

    @classmethod
    def find(cls, rows: Sequence[LabelledText]) -> dict[str, Any]:
        """Return the labels, sorted, their counts, and whether texts have several.

        Raises:
            CorpusError: there are fewer than two labels.
        """
        counts = count_labels(rows)
        return {
            **found_labels(list(counts)),
            "multi_label": any(len(row.labels) != 1 for row in rows),
            "counts": list(counts.values()),
        }

    @classmethod
    def baseline(cls, rows: Sequence[LabelledText]) -> Baseline:
        """Learn the linear classifier."""
        learned = linear_baseline(rows)
        linear = learned.linear
        return replace(
            learned,
            answers=lambda others: replace(linear.answer_rows(others), judged_by=cls.judged_by),
        )

    @classmethod
    def baseline_cost(cls, rows: Sequence[LabelledText]) -> RegressionCost | None:
        """Return what the linear classifier would take."""
        return linear_baseline_cost(rows)

    @classmethod
    def check_calibration(cls, rows: Sequence[LabelledText]) -> None:
        """Check that each text has one label.

        Raises:
            SettingError: texts have several.
        """
        if cls.find(rows)["multi_label"]:
            super().check_calibration(rows)

    @classmethod
    def check_ensemble(cls) -> None:
        """Accept it: a linear classifier answers the same."""

    @classmethod
    def check_teaching(cls) -> None:
        """Accept it: the probabilities of labels can be learned."""

    @classmethod
    def check_consistency(cls, config: Any) -> None:
        """Refuse it beside a language model, which would learn from the replaced tokens.

        Raises:
            SettingError: with the setting.
        """
        if config.language_model_weight:
            raise SettingError(
                "[finetuning] consistency_weight replaces tokens, and a language model "
                "(task.language_model_weight) must not learn those; leave one of the two out."
            )

    @property
    def is_multi_label(self) -> bool:
        """Whether a text may have any number of labels."""
        return self.head.answers.are_sets

    def examples(self, rows: Sequence[LabelledText]) -> PaddedExamples:
        """Return each window of each text, with the labels of the text."""
        if not self.is_multi_label:
            check_single(rows)
        check_labels(rows, self.head.answers.labels)
        windows = self._windows([row.text for row in rows])
        labels = self.head.answers.targets([row.labels for row in rows])
        targets = {self.head.answers.target: labels[windows.owners]}
        return self._padded(windows, targets, self._read_rows(rows))

    def taught(self, lessons: Lessons, config: Teaching) -> tuple[Taught, PaddedExamples]:
        """Return the task with a teacher beside the labels, and each window of each row."""
        soft = self.head.answers.softened(lessons.probabilities, config.temperature)
        examples = self._partly_labelled(lessons.labelled, lessons.unlabelled, {TEACHER: soft})
        return Taught(self.head, *config), examples

    def consistent(
        self,
        labelled: Sequence[LabelledText],
        unlabelled: Sequence[LabelledText],
        config: Consistency,
    ) -> tuple[Consistent, ReplacedExamples]:
        """Return the task with its own answers beside the labels, and each window of each row."""
        examples = self._partly_labelled(labelled, unlabelled, {})
        is_labelled = np.asarray(examples.targets[IS_LABELLED])
        kept = self.base.tokenizer.special.ids
        replaced = ReplacedExamples(examples, is_labelled, config.replaced_rate, kept)
        task = Consistent(self.head, config.weight, config.temperature, config.confidence)
        return task, replaced

    def _partly_labelled(
        self,
        labelled: Sequence[LabelledText],
        unlabelled: Sequence[LabelledText],
        targets: Mapping[str, NDArray[Any]],
    ) -> PaddedExamples:
        """Return each window of rows with and without labels; `targets` are of both, (N + U, C)."""
        rows, answers = [*labelled, *unlabelled], self.head.answers
        windows = self._windows([row.text for row in rows])
        known = answers.targets([row.labels for row in labelled])
        labels = np.zeros((len(rows), *known.shape[1:]), known.dtype)
        labels[: len(known)] = known
        is_labelled = np.arange(len(rows)) < len(known)
        every = {answers.target: labels, IS_LABELLED: is_labelled, **targets}
        examples = {name: target[windows.owners] for name, target in every.items()}
        return self._padded(windows, examples, self._read_rows(rows))

    def num_cut(self, rows: Sequence[LabelledText]) -> int:
        """Return the number of texts that are longer than the model reads at once."""
        return self._windows([row.text for row in rows]).num_cut

    def knows(self, row: LabelledText) -> bool:
        """Whether all labels of a text are known."""
        return set(row.labels) <= set(self.head.answers.labels)
