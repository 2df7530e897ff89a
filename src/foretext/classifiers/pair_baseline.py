"""How many words and characters two texts share: what a network over both has to beat.

Overlaps of words and of n-grams as in paraphrase detection by Wan et al. 2006, then logistic
regression, or ridge regression where pairs have scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from foretext.classifiers.baseline import Baseline
from foretext.classifiers.class_answers import ClassAnswers
from foretext.corpus.pre_tokenizers import PreTokenizer, likely_kind
from foretext.data.rows import LabelledPair
from foretext.errors import CorpusError

__all__ = ["PairBaseline", "mean_score", "overlap_features", "pair_baseline"]

_SAMPLE = 1 << 16  # characters that the script is found from
_MAX_PASSES = 1000
_PENALTY = 1.0
_WORD_GRAMS = (1, 2, 3)
_CHARACTER_GRAMS = (2, 3, 4)


class PairBaseline:
    """Regression on overlaps; answers are labels where it learned from labels, else numbers.

    Attributes:
        classes_: (C,) labels, sorted, after `fit`; none of scores.
    """

    def fit(self, pairs: Sequence[tuple[str, str]], answers: Sequence[str | float]) -> Self:
        """Learn from pairs with a label or a score each.

        Raises:
            CorpusError: there is no pair, or a single label alone.
        """
        assert len(pairs) == len(answers), f"{len(answers)} answers of {len(pairs)} pairs"
        if not pairs:
            raise CorpusError("There is no pair to learn from; give pairs with labels or scores.")
        kind = likely_kind("\n".join(text for pair in pairs for text in pair)[:_SAMPLE])
        self._pre_tokenizer = PreTokenizer(kind, lowercase=True)
        labels = {answer for answer in answers if isinstance(answer, str)}
        if len(labels) == 1:
            raise CorpusError(
                "The pairs have one label alone; two are needed to learn a difference."
            )
        self.classes_ = tuple(sorted(labels))
        self._regression = _regression(has_labels=bool(labels)).fit(self._matrix(pairs), answers)
        return self

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[str] | list[float]:
        """Return the most probable label, or the score, of each pair."""
        if self.classes_:
            return [self.classes_[best] for best in self.predict_proba(pairs).argmax(1)]
        if not pairs:
            return []
        return [float(score) for score in self._regression.predict(self._matrix(pairs))]

    def predict_proba(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(N, C) by the order of `classes_`; rows sum to one."""
        if not pairs:
            return np.zeros((0, len(self.classes_)))
        return np.asarray(self._regression.predict_proba(self._matrix(pairs)), np.float64)

    def _matrix(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(N, F)."""
        words = self._pre_tokenizer.words
        return np.array([overlap_features(words(a), words(b)) for a, b in pairs])


def pair_baseline(rows: Sequence[LabelledPair]) -> Baseline:
    """Learn from pairs with labels or with scores.

    Raises:
        CorpusError: there is nothing to learn.
    """
    has_scores = rows[0].score is not None
    answers = [row.score if has_scores else row.label for row in rows]
    learned = PairBaseline().fit(_texts(rows), answers)  # type: ignore[arg-type]

    def answered(others: Sequence[LabelledPair]) -> ClassAnswers | NDArray[np.float64]:
        if has_scores:
            return np.array(learned.predict(_texts(others)), np.float64)
        return ClassAnswers(learned.classes_, learned.predict_proba(_texts(others)))

    return Baseline("words that both texts share", answered)


def mean_score(rows: Sequence[LabelledPair]) -> Baseline:
    """Give every pair the mean of the scores of these rows, which has no order to correlate."""
    mean = float(np.mean([row.score for row in rows if row.score is not None]))
    return Baseline("the mean score", lambda others: np.full(len(others), mean))


def overlap_features(first: Sequence[str], second: Sequence[str]) -> list[float]:
    """Return shares that do not depend on which of two texts, as words, comes first.

    Of words, pairs and triples of words, and 2, 3 and 4 characters: those in both texts, of those
    in the shorter and in the longer text. Then the difference of lengths, and the same shares of
    words with a digit, whose difference speaks loudly.
    """
    features: list[float] = []
    for n in _WORD_GRAMS:
        features += _shares(_grams(first, n), _grams(second, n))
    texts = " ".join(first), " ".join(second)
    for n in _CHARACTER_GRAMS:
        features += _shares(_grams(texts[0], n), _grams(texts[1], n))
    shorter, longer = sorted((len(first), len(second)))
    features += [(longer - shorter) / max(longer, 1), np.log1p(longer - shorter)]
    numbers = (Counter(word for word in text if _has_digit(word)) for text in (first, second))
    return features + _shares(*numbers)


def _texts(rows: Sequence[LabelledPair]) -> list[tuple[str, str]]:
    return [(row.text_a, row.text_b) for row in rows]


def _shares(first: Counter[Any], second: Counter[Any]) -> list[float]:
    """What both have, of the smaller and of the larger; all of nothing is 1."""
    common = (first & second).total()
    smaller, larger = sorted((first.total(), second.total()))
    return [common / size if size else float(size == larger) for size in (smaller, larger)]


def _grams(parts: Sequence[str], n: int) -> Counter[Any]:
    return Counter(zip(*(parts[start:] for start in range(n)), strict=False))


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


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
