"""What all matchers of texts have in common: how they answer pairs, and how they are judged."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.errors import SettingError
from foretext.base.parameters import estimator_tags
from foretext.data.rows import Input, LabelledPair
from foretext.data.rows.given import given_pairs, one_or_each
from foretext.data.rows.label import label_array
from foretext.data.rows.pairs import TextPair, pairs_of
from foretext.tasks.class_answers import ClassAnswers, label_records, shown_labels
from foretext.tasks.classification.labeller import check_top
from foretext.tasks.explanation import Texts, Values
from foretext.tasks.matching.task import Matching
from foretext.tasks.predictor import Predictor, Record
from foretext.tasks.score_answers import ScoreAnswers
from foretext.tasks.top import Top, refuse_options

__all__ = ["Matcher"]

Probabilities = NDArray[np.float64]
Scores = NDArray[np.float64]


class Matcher(Predictor):
    """Pairs of texts to a label or to a score."""

    task: ClassVar[Matching]
    served: ClassVar[tuple[str, ...]] = ("predict", "rerank", "explain")  # all `abilities`

    @property
    @abstractmethod
    def label_names(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities; none where answers are scores."""

    @abstractmethod
    def pair_values(self, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
        """Return probabilities of labels (N, C), whose rows sum to 1, or scores (N,)."""

    @property
    def has_scores(self) -> bool:
        """Whether answers are numbers, not labels."""
        return not self.label_names

    @property
    def num_labels(self) -> int | None:
        """Number of labels; None where answers are scores."""
        return len(self.label_names) or None

    @property
    def judged_by(self) -> str:
        """The figure by which one model is better than another."""
        return "spearman" if self.has_scores else "accuracy"

    @property
    def abilities(self) -> tuple[str, ...]:
        """Those of a matcher; without "rerank" where no label says that a text is relevant."""
        ranks = self.has_scores or len(self.label_names) == 2
        return self.served if ranks else tuple(name for name in self.served if name != "rerank")

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`."""
        return 'model.predict([("a text", "another text")])'

    @property
    def classes_(self) -> NDArray[Any]:
        """(C,) the labels as they came, in the order of `predict_proba`; none of scores."""
        return label_array(self.label_names)

    @checked_arguments
    def predict(self, pairs: Any) -> Any:
        """Return the most probable label, as it came, or the score, of each pair, (N,).

        A single pair, a tuple of two texts, gets a single answer, of Python.

        Raises:
            CorpusError: something else than pairs is given.
            SettingError: nothing was learned yet.
        """
        return one_or_each(pairs, lambda each: self._predicted(given_pairs(each)), of_pairs=True)

    @checked_arguments
    def predict_proba(self, pairs: Any) -> Probabilities:
        """Return (N, C) in the order of `classes_`; rows sum to 1.

        A single pair gets its row, (C,).

        Raises:
            CorpusError: something else than pairs is given.
            SettingError: answers are scores, or nothing was learned yet.
        """
        found: Probabilities = one_or_each(
            pairs, lambda each: self._classes(given_pairs(each)).probabilities, of_pairs=True
        )
        return found

    @checked_arguments
    def predict_log_proba(self, pairs: Any) -> Probabilities:
        """Return the logarithms of `predict_proba`.

        Raises:
            CorpusError: something else than pairs is given.
            SettingError: answers are scores, or nothing was learned yet.
        """
        found: Probabilities = one_or_each(
            pairs, lambda each: self._classes(given_pairs(each)).log_probabilities(), of_pairs=True
        )
        return found

    @checked_arguments
    def decision_function(self, pairs: Any) -> Any:
        """Return what ranks the labels of each pair, (N, C); of two, (N,), above 0 the second.

        They are logarithms of probabilities, and of two labels log odds.

        Raises:
            CorpusError: something else than pairs is given.
            SettingError: answers are scores, or nothing was learned yet.
        """
        return one_or_each(
            pairs, lambda each: self._classes(given_pairs(each)).decisions(), of_pairs=True
        )

    def __sklearn_tags__(self) -> Any:
        return estimator_tags("classifier")

    @checked_arguments
    def predict_top(self, pairs: Any, k: int | None = 1, threshold: float = 0.0) -> Any:
        """Return up to `k` labels of each of `pairs` with their probabilities, the best first.

        Raises:
            CorpusError: something else than pairs is given.
            SettingError: answers are scores, `k` or `threshold` is no valid value, or nothing was
                learned yet.
        """
        check_top(k, threshold)
        return one_or_each(
            pairs, lambda each: self._classes(given_pairs(each)).top(k, threshold), of_pairs=True
        )

    def class_answers(self, inputs: Sequence[Input]) -> ClassAnswers | None:
        """Return how probable each label is for each pair; None where answers are scores."""
        return None if self.has_scores else self._classes(_two(inputs))

    @checked_arguments
    def relevance(self, pairs: Sequence[TextPair], *, raw: bool = False) -> Scores:
        """Return how relevant the second text of each pair is to the first one, (N,).

        It is the score, or the probability of the last label in sorted order, such as "1" or "yes".

        Args:
            pairs: of a query and a text.
            raw: the log-odds of that probability in its place; scores stay as they are.

        Raises:
            SettingError: there are more than two labels, so that none says "relevant"; or nothing
                was learned yet.
        """
        pairs = given_pairs(pairs)
        if self.has_scores:
            return self.pair_values(pairs)
        if len(self.label_names) > 2:
            raise SettingError(
                f"Relevance needs a matcher of scores or of two labels; this one has "
                f"{len(self.label_names)}: {', '.join(self.label_names[:20])}."
            )
        answers = self._classes(pairs)
        odds = replace(answers, is_multi_label=True).logits() if raw else answers.probabilities
        return odds[:, 1]

    def answer_rows(self, rows: Sequence[LabelledPair]) -> ClassAnswers | ScoreAnswers:
        """Return how probable each label is for each pair, or its score."""
        pairs = pairs_of(rows)
        return ScoreAnswers(self.pair_values(pairs)) if self.has_scores else self._classes(pairs)

    def label_counts(self, rows: Sequence[LabelledPair]) -> Counter[str]:
        """Return how many pairs have each label."""
        return Counter(label for row in rows for label in row.labels)

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return, for each label, what words can add to; or the scores."""
        if not self.has_scores:
            return self._classes(_two(inputs)).values()
        return Values((), self.pair_values(_two(inputs))[:, None], None)

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return `k` labels a pair, above a `threshold`; one by default. Scores have no options."""
        if self.has_scores:
            refuse_options("scores of pairs", k, threshold)
        return Top(k or 1, threshold or 0.0)

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the `top` labels of each of `inputs` with their probabilities, or its score."""
        pairs = _two(inputs)
        if self.has_scores:
            return [{"score": round(float(score), 6)} for score in self.pair_values(pairs)]
        return label_records(self._classes(pairs).top(*top))

    def shown(self, record: Record) -> str:
        """Return labels or score, and both texts."""
        if self.has_scores:
            return super().shown(record)
        return "\t".join([shown_labels(record), record["text_a"], record["text_b"]])

    def refuse_scores(self) -> None:
        """Refuse to give probabilities where answers are scores.

        Raises:
            SettingError: they are.
        """
        if self.has_scores:
            raise SettingError("This model gives pairs scores, which have no probabilities.")

    def _predicted(self, pairs: Sequence[TextPair]) -> NDArray[Any]:
        """Return labels as they came, or scores, (N,)."""
        if self.has_scores:
            return np.asarray(self.pair_values(pairs), np.float64)
        return self._classes(pairs).best_values()

    def _classes(self, pairs: Sequence[TextPair]) -> ClassAnswers:
        self.refuse_scores()
        return ClassAnswers(self.label_names, self.pair_values(pairs), of_pairs=True)


def _two(inputs: Sequence[Input]) -> list[TextPair]:
    return [(first, second) for first, second in inputs]
