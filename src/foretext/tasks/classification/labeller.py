"""What all classifiers of texts have in common: how they read rows, and how they are judged."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext._version import __version__
from foretext.base.arguments import checked_arguments
from foretext.base.counted import counted
from foretext.base.errors import GivenError, SettingError
from foretext.base.files import atomic_file
from foretext.base.parameters import estimator_tags
from foretext.base.replacement import CONFIG
from foretext.data.rows import (
    Input,
    LabelledText,
)
from foretext.data.rows.given import (
    given_label_sets,
    given_texts,
    given_weights,
    one_or_each,
    shown,
)
from foretext.data.rows.label import label_array
from foretext.tasks.class_answers import (
    ClassAnswers,
    label_records,
    shown_labels,
)
from foretext.tasks.classification.task import Classification
from foretext.tasks.explanation import Texts, Values
from foretext.tasks.predictor import Predictor, Record
from foretext.tasks.top import Top

__all__ = ["TextLabeller", "check_same_number", "check_top", "write_config"]


class TextLabeller(Predictor):
    """Texts to one label each, or to any number of labels."""

    task: ClassVar[Classification]
    abilities: tuple[str, ...] = ("predict", "explain")
    explained_by: tuple[str, ...] = ("occlusion",)

    @property
    @abstractmethod
    def is_multi_label(self) -> bool:
        """Whether a text may have any number of labels."""

    @property
    @abstractmethod
    def label_names(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities; each is a `Label`, which has its value."""

    @abstractmethod
    def answers_to(self, texts: list[str]) -> ClassAnswers:
        """Return how probable each label is for each text.

        Raises:
            SettingError: nothing was learned yet.
        """

    @property
    def classes_(self) -> NDArray[Any]:
        """(C,) the labels as they came, texts, whole numbers or booleans, in sorted order."""
        return label_array(self.label_names)

    @checked_arguments
    def predict(self, texts: Any) -> Any:
        """Return the most probable label of each text, (N,); of several, those above one half.

        Labels are as they came: texts, whole numbers or booleans; several are tuples. A single text
        gets a single answer, of Python.

        Raises:
            CorpusError: something is no text.
            SettingError: nothing was learned yet.
        """
        return one_or_each(texts, lambda each: self.answers_to(given_texts(each)).best_values())

    @checked_arguments
    def predict_proba(self, texts: Any) -> NDArray[np.float64]:
        """Return (N, C) in the order of `classes_`; rows sum to 1 unless texts have several labels.

        A single text gets its row, (C,).

        Raises:
            CorpusError: something is no text.
            SettingError: nothing was learned yet.
        """
        found: NDArray[np.float64] = one_or_each(
            texts, lambda each: self.answers_to(given_texts(each)).probabilities
        )
        return found

    @checked_arguments
    def predict_log_proba(self, texts: Any) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`.

        Raises:
            CorpusError: something is no text.
            SettingError: nothing was learned yet.
        """
        found: NDArray[np.float64] = one_or_each(
            texts, lambda each: self.answers_to(given_texts(each)).log_probabilities()
        )
        return found

    @checked_arguments
    def decision_function(self, texts: Any) -> Any:
        """Return what ranks the labels of each text, (N, C); of two, (N,), above 0 the second.

        They are logarithms of probabilities; of two labels, and of texts with any number of them,
        log odds.

        Raises:
            CorpusError: something is no text.
            SettingError: nothing was learned yet.
        """
        return one_or_each(texts, lambda each: self.answers_to(given_texts(each)).decisions())

    @checked_arguments
    def predict_top(self, texts: Any, k: int | None = 1, threshold: float = 0.0) -> Any:
        """Return up to `k` labels of each text with their probabilities, the best first.

        Args:
            texts: N texts; a single text gets a single list.
            k: labels of a text, at most; None: all.
            threshold: probability below which a label is left out.

        Raises:
            CorpusError: something is no text.
            SettingError: `k` or `threshold` is no valid value, or nothing was learned yet.
        """
        check_top(k, threshold)
        return one_or_each(texts, lambda each: self.answers_to(given_texts(each)).top(k, threshold))

    @checked_arguments
    def score(self, texts: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the share of texts whose labels are those predicted.

        Args:
            texts: N texts.
            labels: their labels, as `fit` takes them.
            sample_weight: how much each text counts; None: all the same.

        Raises:
            CorpusError: something is no text or no label, or there are not as many of both.
        """
        found, right = self.answers_to(given_texts(texts)).label_sets(), given_label_sets(labels)
        check_same_number(found, right)
        are_right = [set(own) == set(each) for own, each in zip(found, right, strict=True)]
        return float(np.average(are_right, weights=given_weights(sample_weight, len(right))))

    def answer_rows(self, rows: Sequence[LabelledText]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        return replace(self.answers_to([row.text for row in rows]), judged_by=self.judged_by)

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`."""
        return (
            'model.predict(["a text"])\n'
            f'model.predict_proba(["a text"])  # (1, {self.num_labels}), in the order of '
            "model.classes_"
        )

    @property
    def num_labels(self) -> int:
        """C."""
        return len(self.label_names)

    @property
    def taught_labels(self) -> tuple[str, ...]:
        """All labels."""
        return self.label_names

    def label_counts(self, rows: Sequence[LabelledText]) -> Counter[str]:
        """Return how many texts have each label."""
        return Counter(label for row in rows for label in row.labels)

    def __sklearn_tags__(self) -> Any:
        return estimator_tags("classifier")

    def class_answers(self, inputs: Sequence[Input]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        return self.answers_to([text for (text,) in inputs])

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return, for each label, what words can add to."""
        return self.class_answers(inputs).values()

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return one label a text; of several, all that are more probable than not.

        Args:
            k: labels of a text, at most; None: as the labels need.
            threshold: probability that a label needs; None: as the labels need.
        """
        if self.is_multi_label and k is None:
            return Top(None, 0.5 if threshold is None else threshold)
        return Top(k or 1, threshold or 0.0)

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the labels of each text with their probabilities.

        Args:
            inputs: the texts.
            top: how many labels of each, and how probable.
        """
        return label_records(self.answers_to([text for (text,) in inputs]).top(*top))

    def shown(self, record: Record) -> str:
        """Return labels and probabilities, a tab, and the text."""
        return f"{shown_labels(record)}\t{record['text']}"


def write_config(folder: Path, model: Predictor, facts: Mapping[str, Any]) -> None:
    """Write the ``config.json`` of a model without a network.

    Args:
        folder: of the model.
        model: that was learned.
        facts: of its run; {}: it comes from none.

    Raises:
        OutputError: it cannot be written.
    """
    known = {"foretext": __version__, "task": model.task.name, **facts, "kind": model.kind}
    with atomic_file(folder / CONFIG) as temporary:
        temporary.write_text(
            json.dumps(known, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
        )


def check_top(k: Any, threshold: Any) -> None:
    """Refuse what cannot say which answers are wanted.

    Raises:
        SettingError: `k` is no whole number from 1 and not None, or `threshold` no number.
    """
    if k is not None and (not isinstance(k, Integral) or isinstance(k, bool) or k < 1):
        raise SettingError(f"k = {shown(k)}: give a whole number from 1, or None for all labels.")
    if not isinstance(threshold, Real) or not isfinite(threshold):
        raise SettingError(f"threshold = {shown(threshold)}: give a number, such as 0.5.")


def check_same_number(texts: Sequence[Any], labels: Sequence[Any]) -> None:
    """Refuse texts and labels of which there are not as many, or none at all.

    Raises:
        GivenError: the numbers differ, or both are 0.
    """
    if len(texts) != len(labels):
        raise GivenError(
            f"{counted(len(texts), 'text')} and {counted(len(labels), 'label')} do not go "
            "together; give one label, or one list of labels, for each text."
        )
    if not len(texts):
        raise GivenError("There is no text; give texts with their labels.")
