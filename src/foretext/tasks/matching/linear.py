"""Pairs of texts by the words and characters that both have: a regression on their overlaps.

It learns in seconds, and is what a network over both texts has to beat; with few labels it is the
best that is known (docs/results.md, "Few labels, many texts").
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.counted import counted
from foretext.base.errors import GivenError, SettingError
from foretext.base.parameters import keeping
from foretext.corpus.decoding import Form
from foretext.data.overlap_features import NUM_OVERLAP_FEATURES, OverlapFeatures
from foretext.data.rows import LabelledPair
from foretext.data.rows.given import (
    given_elements,
    given_label_sets,
    given_pairs,
    given_weights,
    shown,
    weighed_rows,
)
from foretext.data.rows.label import Label, ordered_labels
from foretext.data.rows.pairs import TextPair, pairs_of
from foretext.metrics import softmax
from foretext.progress import Progress
from foretext.progress.run_context import RunContext
from foretext.tasks.baseline import Baseline
from foretext.tasks.class_answers import check_single
from foretext.tasks.classification.embeddings.logistic_head import Targets
from foretext.tasks.linear_estimator import LinearEstimator
from foretext.tasks.matching.linear_storage import (
    FILE,
    KIND,
    LinearMatcherParts,
    read_parts,
    write_parts,
)
from foretext.tasks.matching.matcher import Matcher
from foretext.tasks.matching.pair_regression import PairRegression, PairRegressionConfig
from foretext.tasks.matching.task import Matching
from foretext.tasks.score_answers import have_scores, scores_of

__all__ = ["LinearMatcher", "pair_baseline"]

Array = NDArray[np.float64]
BLOCK = 1000  # pairs, after which the bar moves


class LinearMatcher(LinearEstimator, Matcher):
    """Logistic regression on the overlaps of pairs, or ridge regression where they have scores.

    The features are shares of the words and characters, alone and side by side, that both texts
    have (`foretext.data.overlap_features`). No draw is random.

    Attributes:
        config: the settings.

    >>> pairs = [("a fine film", "the fine film"), ("a fine film", "rain at sea")] * 3
    >>> LinearMatcher().fit(pairs, [True, False] * 3).predict(("one more film", "one film"))
    True
    """

    settings = PairRegressionConfig
    section = "linear"
    untaught = "The matcher has learned nothing yet; call fit first, or load."
    task: ClassVar = Matching(has_baseline=False)
    kind = KIND
    method = "words that both texts share"
    files = f"`{FILE}` holds weights and settings."
    explained_by = ("occlusion",)

    @keeping
    def __init__(self, *, inverse_penalty: float = 1.0) -> None: ...

    def composing(self, form: Form) -> Self:
        """Bring texts into a Unicode normal form from now on; NFKC has NFC in it."""
        if form == "NFKC":
            own = self.overlap
            overlap = OverlapFeatures(own.kind, own.edition, form)
            self._learned = self.parts._replace(overlap=overlap, form=form)
        return self

    @checked_arguments
    def fit(
        self,
        pairs: Any,
        answers: Any,
        sample_weight: Any = None,
        *,
        context: RunContext | None = None,
    ) -> Self:
        """Learn from N pairs with a label or a score each.

        Labels are texts, whole numbers or booleans, and come back as they came; floats are scores.

        Args:
            pairs: to learn from, (text, text) each.
            answers: of each pair.
            sample_weight: how much each pair counts; one with 0 is left out; None: all the same.
            context: a title for the progress; None: nothing is shown.

        Raises:
            CorpusError: there is no pair, or a single label or score alone.
        """
        pairs, right = _given(pairs, answers)
        if not pairs:
            raise GivenError("There is no pair to learn from; give pairs with labels or scores.")
        weights = given_weights(sample_weight, len(pairs))
        if weights is not None:
            [pairs, right], weights = weighed_rows(weights, pairs, right)
        config = self.given
        overlap, penalty = OverlapFeatures.for_texts(pairs), config.inverse_penalty
        labels: tuple[Label, ...] = ()
        if _are_scores(right):
            scores = _scores(right)
            found = PairRegression.of_scores(
                _matrix(overlap, pairs, context), scores, penalty, weights
            )
        else:
            labels, targets = _targets(right)
            if weights is not None:
                targets = targets._replace(weights=weights)
            found = PairRegression.of_labels(_matrix(overlap, pairs, context), targets, penalty)
        self._learned = LinearMatcherParts(config, labels, overlap, found)
        return self

    def fit_rows(self, rows: Sequence[LabelledPair], *, context: RunContext | None = None) -> Self:
        """Learn from `rows` of a file, in the `context` of a run.

        Raises:
            CorpusError: a row lacks its answer, or nothing can be learned from them.
        """
        if not have_scores(rows):
            check_single(rows)
            return self.fit(pairs_of(rows), [row.label for row in rows], context=context)
        scores = [float(score) for score in scores_of(rows)]
        return self.fit(pairs_of(rows), scores, context=context)

    @checked_arguments
    def score(self, pairs: Any, answers: Any, sample_weight: Any = None) -> float:
        """Return the share of labels that are predicted; of scores, the correlation of ranks.

        Args:
            pairs: N pairs of texts.
            answers: their labels or scores.
            sample_weight: how much each pair with a label counts; None: all the same.

        Raises:
            CorpusError: something is no pair or no answer, or there are not as many of both.
        """
        pairs, right = _given(pairs, answers)
        weights = given_weights(sample_weight, len(right))
        if weights is not None:
            if self.has_scores:
                raise SettingError("sample_weight has no effect on a correlation; leave it out.")
            found = np.array(self._classes(pairs).most_probable(), str)
            return float(np.average(found == np.array(_labels(right), str), weights=weights))
        labels = [None] * len(right) if self.has_scores else _labels(right)
        scores = _finite(right) if self.has_scores else [None] * len(right)
        each = zip(pairs, labels, scores, strict=True)
        rows = [LabelledPair(a, b, label, score, "") for (a, b), label, score in each]
        return float(self.figures(rows)[self.judged_by])

    @property
    def label_names(self) -> tuple[Label, ...]:
        """The labels, sorted by their values; none where answers are scores."""
        labels: tuple[Label, ...] = self.parts.labels
        return labels

    @property
    def overlap(self) -> OverlapFeatures:
        """What it reads of a pair."""
        overlap: OverlapFeatures = self.parts.overlap
        return overlap

    @property
    def num_parameters(self) -> int:
        """Number of weights."""
        return sum(array.size for array in self.parts.regression)

    @property
    def output_weights(self) -> tuple[Array, Array]:
        """What features weigh for each label, (F, C), and what is added, (C,); C is 1 of scores.

        Of two labels the first one's are 0. The softmax of the sums is `predict_proba`.
        """
        weights, bias = self.parts.regression
        if len(self.label_names) != 2:
            return weights, bias
        return np.insert(weights, 0, 0.0, axis=1), np.insert(bias, 0, 0.0)

    def pair_values(self, pairs: Sequence[TextPair]) -> Array:
        """Return probabilities of labels (N, C), or scores (N,)."""
        sums = self.parts.regression.sums(self.overlap.matrix(pairs))
        if self.has_scores:
            return sums[:, 0]
        return softmax(sums if sums.shape[1] > 1 else np.insert(sums, 0, 0.0, axis=1))

    def write_parts(self, folder: Path) -> None:
        """Write ``overlap.safetensors``."""
        write_parts(folder / FILE, self.parts)

    @staticmethod
    def read_parts(folder: Path) -> LinearMatcherParts:
        """Read ``overlap.safetensors``."""
        return read_parts(folder / FILE)


def _given(pairs: Any, answers: Any) -> tuple[list[TextPair], list[Any]]:
    """Return pairs and answers, of which there must be as many.

    Raises:
        GivenError: there are not.
    """
    found, right = given_pairs(pairs), given_elements(answers, "labels or scores")
    if len(found) != len(right):
        raise GivenError(
            f"{counted(len(found), 'pair')} and {counted(len(right), 'answer')} do not go "
            "together; give a label or a score for each pair."
        )
    return found, right


def _are_scores(answers: Sequence[Any]) -> bool:
    """Whether answers are numbers, of which one at least is a float."""
    kinds = {type(each) for each in answers if each is not None}
    return float in kinds and kinds <= {int, float}


def _scores(answers: Sequence[Any]) -> Array:
    """Return scores (N,) to learn from.

    Raises:
        GivenError: one is missing, no number or not finite, or all are equal.
    """
    found = np.array(_finite(answers))
    if found.min() == found.max():
        raise GivenError(
            f"The pairs have one score alone, {found[0]:g}; two are needed to learn a difference."
        )
    return found


def _finite(answers: Sequence[Any]) -> list[float]:
    """Return the score of each pair.

    Raises:
        GivenError: one is missing, no number or not finite.
    """
    found = [_number(answer) for answer in answers]
    for number, score in enumerate(found, 1):
        if not isfinite(score):
            raise GivenError(
                f"The score of pair {number} is {shown(answers[number - 1])}, not a finite number; "
                "correct it, or leave the pair out."
            )
    return found


def _number(answer: Any) -> float:
    """Return a score, which is NaN of what is none."""
    try:
        return float(answer) if type(answer) in (int, float) else nan
    except OverflowError:
        return inf


def _labels(answers: Sequence[Any]) -> list[Label]:
    """Return the label of each pair.

    Raises:
        GivenError: something is no label, or a pair has several.
    """
    sets = given_label_sets(answers)
    for number, own in enumerate(sets, 1):
        if len(own) != 1:
            raise GivenError(f"Pair {number} has {counted(len(own), 'label')}; give it one.")
    return [label for (label,) in sets]


def _targets(answers: Sequence[Any]) -> tuple[tuple[Label, ...], Targets]:
    """Return all labels, sorted, and that of each pair.

    Raises:
        GivenError: there is one label alone.
    """
    right = _labels(answers)
    labels = ordered_labels(right)
    if len(labels) < 2:
        raise GivenError(
            f"The pairs have one label alone, '{labels[0]}'; two are needed to learn a difference."
        )
    numbers = {label: number for number, label in enumerate(labels)}
    return labels, Targets.of_classes(np.array([numbers[own] for own in right]), len(labels))


def _matrix(
    overlap: OverlapFeatures, pairs: Sequence[TextPair], context: RunContext | None
) -> Array:
    """Return the features of pairs, (N, F); the context shows how far they are."""
    found = np.empty((len(pairs), NUM_OVERLAP_FEATURES))
    quiet = context is None or context.quiet
    title = "" if context is None else context.title
    with Progress(title, len(pairs), "pairs", quiet=quiet) as bar:
        for first in range(0, len(pairs), BLOCK):
            some = pairs[first : first + BLOCK]
            found[first : first + len(some)] = overlap.matrix(some)
            bar.advance(len(some))
    return found


def pair_baseline(rows: Sequence[LabelledPair]) -> Baseline:
    """Learn the linear matcher as the baseline of others that learn pairs.

    Raises:
        CorpusError: nothing can be learned from the rows.
    """
    learned = LinearMatcher().fit_rows(rows)
    return Baseline(LinearMatcher.method, learned.answer_rows, "linear")
