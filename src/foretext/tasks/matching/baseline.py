"""How many words and characters two texts share: what a network over both has to beat.

Logistic regression, or ridge regression where pairs have scores, on the features of
`foretext.data.overlap_features`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.data.overlap_features import OverlapFeatures
from foretext.data.rows import LabelledPair
from foretext.data.rows.label import Label, ordered_labels
from foretext.tasks.baseline import Baseline
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.score_answers import ScoreAnswers, scores_of
from foretext.tasks.sentence_vectors.answers import UNTOUCHED, vectors_by

__all__ = ["PairBaseline", "cosine_scores", "mean_score", "pair_baseline"]

_MAX_PASSES = 1000
_PENALTY = 1.0


class PairBaseline:
    """Regression on overlaps; answers are labels where it learned from labels, else numbers.

    Attributes:
        classes_: (C,) labels, sorted, after `fit`; none of scores.
        features: F that it reads, after `fit`.
    """

    def fit(self, pairs: Sequence[tuple[str, str]], answers: Sequence[str | float]) -> Self:
        """Learn from pairs with a label or a score each.

        Raises:
            CorpusError: there is no pair, or a single label alone.
        """
        assert len(pairs) == len(answers), f"{len(answers)} answers of {len(pairs)} pairs"
        if not pairs:
            raise CorpusError("There is no pair to learn from; give pairs with labels or scores.")
        self.features = OverlapFeatures.for_texts(pairs)
        labels = ordered_labels(answer for answer in answers if isinstance(answer, str))
        if len(labels) == 1:
            raise CorpusError(
                "The pairs have one label alone; two are needed to learn a difference."
            )
        self.classes_ = labels
        places = {label: place for place, label in enumerate(labels)}
        right = [places[Label.read(str(each))] for each in answers] if labels else answers
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of many labels, which a note says better
            self._regression = _regression(has_labels=bool(labels)).fit(
                self.features.matrix(pairs), right
            )
        return self

    @property
    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What the features weigh as they are, (F, C), and what is added, (C,), after `fit`.

        The softmax of the sums is `predict_proba`. C is 1 where answers are numbers.
        """
        scaler, regression = self._regression[0], self._regression[-1]
        weight = np.atleast_2d(regression.coef_) / scaler.scale_  # (C or 1, F)
        bias = np.atleast_1d(regression.intercept_) - weight @ scaler.mean_
        if len(self.classes_) == 2:  # one column is for both
            weight, bias = (np.concatenate([np.zeros_like(own), own]) for own in (weight, bias))
        return weight.T, bias

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[str] | list[float]:
        """Return the most probable label, or the score, of each pair."""
        if self.classes_:
            return [self.classes_[best] for best in self.predict_proba(pairs).argmax(1)]
        if not pairs:
            return []
        return [float(score) for score in self._regression.predict(self.features.matrix(pairs))]

    def predict_proba(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(N, C) by the order of `classes_`; rows sum to one."""
        if not pairs:
            return np.zeros((0, len(self.classes_)))
        return np.asarray(self._regression.predict_proba(self.features.matrix(pairs)), np.float64)


def pair_baseline(rows: Sequence[LabelledPair]) -> Baseline:
    """Learn from pairs with labels or with scores.

    Raises:
        CorpusError: there is nothing to learn.
    """
    has_scores = rows[0].score is not None
    answers = scores_of(rows) if has_scores else [row.label for row in rows]
    learned = PairBaseline().fit(_texts(rows), answers)  # type: ignore[arg-type]

    def answered(others: Sequence[LabelledPair]) -> ClassAnswers | ScoreAnswers:
        if has_scores:
            return ScoreAnswers(np.array(learned.predict(_texts(others)), np.float64))
        found = learned.predict_proba(_texts(others))
        return ClassAnswers(learned.classes_, found, of_pairs=True)

    return Baseline("words that both texts share", answered)


def mean_score(rows: Sequence[LabelledPair]) -> Baseline:
    """Give every pair the mean of the scores of these rows, which has no order to correlate."""
    mean = float(np.mean(scores_of(rows)))
    return Baseline("the mean score", lambda others: ScoreAnswers(np.full(len(others), mean)))


def cosine_scores(embed: Callable[[Sequence[str]], Any]) -> Baseline:
    """Score every pair by the cosine of the vectors that `embed` has for its texts."""

    def answered(others: Sequence[LabelledPair]) -> ScoreAnswers:
        texts = [text for pair in _texts(others) for text in pair]
        places = np.arange(len(others)) * 2
        cosines = vectors_by(embed)(texts).paired(places, places + 1)
        return ScoreAnswers(cosines.astype(np.float64))

    return Baseline(UNTOUCHED, answered)


def _texts(rows: Sequence[LabelledPair]) -> list[tuple[str, str]]:
    return [(row.text_a, row.text_b) for row in rows]


def _regression(*, has_labels: bool) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    learner = (
        LogisticRegression(C=_PENALTY, max_iter=_MAX_PASSES)
        if has_labels
        else Ridge(alpha=_PENALTY)
    )
    return make_pipeline(StandardScaler(), learner)
