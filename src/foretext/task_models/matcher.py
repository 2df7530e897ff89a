"""A matcher of texts in use: what two texts are to each other, or how alike they are."""

from __future__ import annotations

from collections.abc import Sequence
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
from foretext.config import Config
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import LabelledPair, PairsConfig, read_pairs
from foretext.errors import CorpusError, SettingError
from foretext.metrics import pearson, softmax, spearman
from foretext.task_models.base import TaskModel
from foretext.task_models.computing import TaskNetwork
from foretext.task_models.pair_rows import PairRows, TextPair
from foretext.tasks.answers import RealNumber
from foretext.tasks.matching import Matching

__all__ = ["TextMatcher"]

Probabilities = NDArray[np.float64]
Scores = NDArray[np.float64]


class TextMatcher(TaskModel):
    """Pairs of texts to a label or to a score."""

    task: Matching
    task_class = Matching
    rows_config: ClassVar = PairsConfig
    of_pairs = True

    @classmethod
    def read(cls, path: str | Path, config: Config | None = None) -> list[LabelledPair]:
        """Read pairs."""
        assert config is None or isinstance(config, PairsConfig), config
        return read_pairs(path, config)

    @classmethod
    def find(cls, rows: Sequence[LabelledPair]) -> dict[str, Any]:
        """Return the labels, sorted, and their counts; or the range of the scores.

        Raises:
            CorpusError: there are fewer than two labels or scores.
        """
        if not rows or rows[0].score is None:
            counts = count_labels(rows)
            return {"labels": list(counts), "counts": list(counts.values())}
        scores = _scores(rows)
        if min(scores) == max(scores):
            raise CorpusError(
                f"All rows to learn from have the score {scores[0]:g}; two are needed to tell "
                "pairs apart."
            )
        return {"lowest": min(scores), "highest": max(scores)}

    @property
    def judged_by(self) -> str:  # type: ignore[override]
        """The figure by which one model is better than another."""
        return "spearman" if self.has_scores else "accuracy"

    @property
    def has_scores(self) -> bool:
        """Whether answers are numbers, not labels."""
        return isinstance(self.task.answers, RealNumber)

    @property
    def classes_(self) -> NDArray[np.str_]:
        """(C,) labels in the order of `predict_proba`; none where answers are scores."""
        return np.array(self._labels)

    def examples(self, rows: Sequence[LabelledPair]) -> PaddedExamples:
        """Return each pair with its label or score."""
        answers = self.task.answers
        if isinstance(answers, RealNumber):
            return self._examples(_pairs(rows), {answers.target: answers.targets(_scores(rows))})
        check_single(rows)
        check_labels(rows, answers.labels)
        targets = answers.targets([row.labels for row in rows])
        return self._examples(_pairs(rows), {answers.target: targets})

    def predict(self, pairs: Sequence[TextPair]) -> list[str] | list[float]:
        """Return the most probable label, or the score, of each pair (text, text).

        Raises:
            SettingError: something else than pairs is given.
        """
        _check_pairs(pairs)
        if self.has_scores:
            return [float(number) for number in self._numbers(pairs, None)]
        return self._classes(pairs, None).most_probable()

    def predict_proba(self, pairs: Sequence[TextPair]) -> Probabilities:
        """Return (N, C) in the order of `classes_`; rows sum to 1.

        Raises:
            SettingError: answers are scores, or something else than pairs is given.
        """
        _check_pairs(pairs)
        return self._classes(pairs, None).probabilities

    def predict_top(
        self, pairs: Sequence[TextPair], k: int | None = 1, threshold: float = 0.0
    ) -> list[list[tuple[str, float]]]:
        """Return of each pair up to `k` labels with their probabilities, the best first."""
        _check_pairs(pairs)
        return self._classes(pairs, None).top(k, threshold)

    def answer_rows(
        self, rows: Sequence[LabelledPair], network: TaskNetwork | None = None
    ) -> ClassAnswers | Scores:
        """Return how probable each label is for each pair, or (N,) scores."""
        if self.has_scores:
            return self._numbers(_pairs(rows), network)
        return self._classes(_pairs(rows), network)

    def judge(self, rows: Sequence[LabelledPair], answers: ClassAnswers | Scores) -> dict[str, Any]:
        """Return accuracy, F1, calibration and a table of labels; or how well scores agree.

        Of two labels the last in sorted order, such as "1" or "yes", is what F1 is about.

        Raises:
            CorpusError: rows lack what is to be compared.
        """
        found: dict[str, Any] = {"pairs": len(rows)}
        if not isinstance(answers, ClassAnswers):
            return found | _agreement(rows, answers)
        found |= answers.figures(rows)
        if len(self._labels) == 2:
            positive = found["labels"].get(self._labels[1], {"f1": 0.0})
            found |= {"f1": positive["f1"], "labels": found.pop("labels")}
        return found

    def calibrate(self, rows: Sequence[LabelledPair]) -> float:
        """Set and return the temperature by which probabilities fit rows not learned from.

        Guo et al. 2017, 4.2; the answers stay the same.

        Raises:
            SettingError: answers are scores.
            CorpusError: no row has a label that is known.
        """
        self._check_classes()
        self.temperature = label_temperature(self._labels, self._outputs(_pairs(rows), None), rows)
        return self.temperature

    def num_cut(self, rows: Sequence[LabelledPair]) -> int:
        """Return the number of pairs that are longer than the model reads."""
        return self._rows(_pairs(rows)).num_cut

    def knows(self, row: LabelledPair) -> bool:
        """Whether a pair's label is known; scores are all alike."""
        return self.has_scores or set(row.labels) <= set(self._labels)

    @property
    def _labels(self) -> tuple[str, ...]:
        answers = self.task.answers
        return () if isinstance(answers, RealNumber) else answers.labels

    def _rows(self, pairs: Sequence[TextPair]) -> PairRows:
        config = self.task.config
        return PairRows.of(
            self.body,
            pairs,
            config.max_length,
            self.task.mode,
            tells_shared=config.shared_tokens,
        )

    def _examples(
        self, pairs: Sequence[TextPair], targets: dict[str, NDArray[Any]]
    ) -> PaddedExamples:
        return self._rows(pairs).examples(self.body, targets)

    def _outputs(
        self, pairs: Sequence[TextPair], network: TaskNetwork | None
    ) -> NDArray[np.float64]:
        """(N, C) logits or (N, 1) scores."""
        outputs = self.outputs(self._examples(pairs, {}), network)
        return np.array(outputs, np.float64).reshape(len(pairs), self.task.answers.num_outputs)

    def _numbers(
        self, pairs: Sequence[TextPair], network: TaskNetwork | None
    ) -> NDArray[np.float64]:
        answers = self.task.answers
        assert isinstance(answers, RealNumber), answers
        return answers.numbers(self._outputs(pairs, network))

    def _classes(self, pairs: Sequence[TextPair], network: TaskNetwork | None) -> ClassAnswers:
        self._check_classes()
        logits = self._outputs(pairs, network)
        return ClassAnswers(self._labels, softmax(logits, self.temperature))

    def _check_classes(self) -> None:
        if self.has_scores:
            raise SettingError("This model gives pairs scores, which have no probabilities.")


def _pairs(rows: Sequence[LabelledPair]) -> list[TextPair]:
    return [(row.text_a, row.text_b) for row in rows]


def _agreement(rows: Sequence[LabelledPair], given: NDArray[np.float64]) -> dict[str, float]:
    """How well scores agree; those that never vary agree with nothing, by 0."""
    if len(rows) < 2:
        raise CorpusError(
            "Scores are judged by their order, which a single row does not have; give two or more."
        )
    gold = _scores(rows)
    return {
        "pearson": float(np.nan_to_num(pearson(gold, given))),
        "spearman": float(np.nan_to_num(spearman(gold, given))),
        "mean_squared_error": float(np.square(given - gold).mean()),
    }


def _scores(rows: Sequence[LabelledPair]) -> list[float]:
    for row in rows:
        if row.score is None:
            raise CorpusError(
                f"{row.place}: the row has no score, and those learned from have one; name its "
                "column (--score)."
            )
    return [row.score for row in rows if row.score is not None]


def _check_pairs(pairs: Sequence[TextPair]) -> None:
    if isinstance(pairs, str) or any(isinstance(pair, str) or len(pair) != 2 for pair in pairs):
        raise SettingError("predict takes several pairs, each of two texts: [(text, text), ...].")
