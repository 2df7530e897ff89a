"""What learns nothing of the words of a pair: the mean score, and the cosine of given vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from foretext.data.rows import LabelledPair
from foretext.data.rows.pairs import pairs_of
from foretext.tasks.baseline import Baseline
from foretext.tasks.score_answers import ScoreAnswers, scores_of
from foretext.tasks.sentence_vectors.answers import UNTOUCHED, vectors_by

__all__ = ["cosine_scores", "mean_score"]


def mean_score(rows: Sequence[LabelledPair]) -> Baseline:
    """Give every pair the mean of the scores of these rows, which has no order to correlate."""
    mean = float(np.mean(scores_of(rows)))
    return Baseline("the mean score", lambda others: ScoreAnswers(np.full(len(others), mean)))


def cosine_scores(embed: Callable[[Sequence[str]], Any]) -> Baseline:
    """Score every pair by the cosine of the vectors that `embed` has for its texts."""

    def answered(others: Sequence[LabelledPair]) -> ScoreAnswers:
        texts = [text for pair in pairs_of(others) for text in pair]
        places = np.arange(len(others)) * 2
        cosines = vectors_by(embed)(texts).paired(places, places + 1)
        return ScoreAnswers(cosines.astype(np.float64))

    return Baseline(UNTOUCHED, answered)
