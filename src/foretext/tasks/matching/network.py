"""A matcher of texts in use: how two texts are related, or how similar they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.errors import SettingError
from foretext.corpus.decoding import Form
from foretext.data.overlap_features import NUM_OVERLAP_FEATURES, OverlapFeatures
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import (
    Input,
    LabelledPair,
)
from foretext.data.rows.given import given_pairs, one_or_each
from foretext.data.rows.label import Label, LabelValue, label_array
from foretext.data.sparse_rows import SparseRows
from foretext.heads.base import TaskBase
from foretext.heads.matching import MatchingHead
from foretext.tasks.class_answers import (
    ClassAnswers,
    check_labels,
    check_single,
    label_records,
    label_temperature,
    shown_labels,
)
from foretext.tasks.classification.labeller import check_top
from foretext.tasks.explanation import Texts, Values
from foretext.tasks.explanation.gradients import (
    EXPLAINED_BY,
    TokenRows,
    pair_places,
    weigh_by_gradients,
)
from foretext.tasks.explanation.words import Weighed, WeighRequest
from foretext.tasks.head_scales import FEWEST_ROWS, scale_by_rows
from foretext.tasks.matching.baseline import PairBaseline
from foretext.tasks.matching.pairs import PairRows, TextPair
from foretext.tasks.matching.task import Matching
from foretext.tasks.model import TaskModel
from foretext.tasks.predictor import Record, Top, refuse_options
from foretext.tasks.score_answers import ScoreAnswers, have_scores, scores_of

__all__ = ["TextMatcher"]

Probabilities = NDArray[np.float64]
Scores = NDArray[np.float64]


ABILITIES = ("predict", "rerank", "tokenize", "decode", "explain")


class TextMatcher(TaskModel):
    """Pairs of texts to a label or to a score; with `task.word_features` it is wide and deep."""

    task: ClassVar = Matching()
    head: MatchingHead
    explained_by = EXPLAINED_BY

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`."""
        return 'model.predict([("a text", "another text")])'

    @classmethod
    def begin(cls, base: TaskBase, config: Any, rows: Sequence[LabelledPair]) -> Self:
        """Put an untrained head for these rows on a base; see `TaskModel.begin`."""
        if config.word_features == "none" or have_scores(rows):  # which the task refuses
            return super().begin(base, config, rows)
        found = cls.task.find(rows)
        baseline = PairBaseline().fit(pairs_of(rows), [row.label or "" for row in rows])
        found["pair_words"] = baseline.features.kind
        found["pair_words_edition"] = baseline.features.edition
        head = cls.task.head(config, base, **found)
        assert head.words is not None
        with torch.no_grad():
            for own, given in zip(
                (head.words.weight, head.words.bias), baseline.weights, strict=True
            ):
                own.copy_(torch.from_numpy(given))
        return cls(base, head)

    def finish(self, rows: Sequence[LabelledPair]) -> list[str]:
        """Weigh network and words by held-out rows, if there are enough of them."""
        head, own, answers = self.head.words, self.head.classifier, self.head.answers
        if head is None or len(rows) < FEWEST_ROWS:
            return []
        assert own is not None, "words, and scores"
        pairs = pairs_of(rows)
        scale = float(head.scale.detach())
        weight, bias = (each.detach().double().cpu().numpy() for each in (head.weight, head.bias))
        words = scale * (self.overlap.matrix(pairs) @ weight + bias)
        network = self._outputs(pairs) - words
        return scale_by_rows(own, head, answers.labels, np.stack([network, words]), rows)

    @cached_property
    def overlap(self) -> OverlapFeatures:
        """What the head reads beside the states; only where it does."""
        kind = self.head.found.get("pair_words")
        assert kind is not None, "a head without words"
        form: Form = "NFKC" if self.base.tokenizer.form == "NFKC" else "NFC"
        return OverlapFeatures(kind, self.head.found.get("pair_words_edition", 1), form)

    def examples(self, rows: Sequence[LabelledPair]) -> PaddedExamples:
        """Return each pair with its label or score."""
        answers = self.head.answers
        right: list[Any] = scores_of(rows) if self.has_scores else [row.labels for row in rows]
        if not self.has_scores:
            check_single(rows)
            check_labels(rows, answers.labels)
        return self._examples(pairs_of(rows), {answers.target: answers.targets(right)})

    def knows(self, row: LabelledPair) -> bool:
        """Whether the label of a pair is known; every score is."""
        return self.has_scores or set(row.labels) <= set(self.head.answers.labels)

    def num_cut(self, rows: Sequence[LabelledPair]) -> int:
        """Return the number of pairs that are longer than the model reads."""
        return self._rows(pairs_of(rows)).num_cut

    @property
    def judged_by(self) -> str:
        """The figure by which one model is better than another."""
        return "spearman" if self.has_scores else "accuracy"

    @property
    def abilities(self) -> tuple[str, ...]:
        """Those of a matcher; without "rerank" where no label says that a text is relevant."""
        own = ABILITIES
        ranks = self.has_scores or len(self.label_names) == 2
        return own if ranks else tuple(name for name in own if name != "rerank")

    @property
    def has_scores(self) -> bool:
        """Whether answers are numbers, not labels."""
        return not self.head.answers.labels

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities; none where answers are scores."""
        return self.head.answers.labels

    @property
    def classes_(self) -> NDArray[Any]:
        """(C,) the labels as they came, in the order of `predict_proba`; none of scores."""
        return label_array(self.label_names)

    @checked_arguments
    def predict(self, pairs: Any) -> Any:
        """Return the most probable label, as it came, or the score, of each pair (text, text).

        A single pair, a tuple of two texts, gets a single answer.

        Raises:
            CorpusError: something else than pairs is given.
        """
        return one_or_each(pairs, lambda each: self._predicted(given_pairs(each)), of_pairs=True)

    @checked_arguments
    def predict_proba(self, pairs: Any) -> Probabilities:
        """Return (N, C) in the order of `classes_`; rows sum to 1.

        A single pair gets its row, (C,).

        Raises:
            CorpusError: something else than pairs is given.
            SettingError: answers are scores.
        """
        found: Probabilities = one_or_each(
            pairs, lambda each: self._classes(given_pairs(each)).probabilities, of_pairs=True
        )
        return found

    @checked_arguments
    def predict_top(self, pairs: Any, k: int | None = 1, threshold: float = 0.0) -> Any:
        """Return up to `k` labels of each pair with their probabilities, the best first.

        Raises:
            CorpusError: something else than pairs is given.
            SettingError: answers are scores, or `k` or `threshold` is no valid value.
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
            SettingError: there are more than two labels, so that none says "relevant".
        """
        pairs = given_pairs(pairs)
        if self.has_scores:
            return self._values(pairs)
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
        return ScoreAnswers(self._values(pairs)) if self.has_scores else self._classes(pairs)

    @property
    def can_calibrate(self) -> bool:
        """Whether a temperature can be fitted: answers are labels."""
        return not self.has_scores

    def label_counts(self, rows: Sequence[LabelledPair]) -> Counter[str]:
        """Return how many pairs have each label."""
        return Counter(label for row in rows for label in row.labels)

    def calibrate(self, rows: Sequence[LabelledPair]) -> float:
        """Set and return the temperature by which probabilities fit held-out rows.

        Guo et al. 2017, 4.2; the answers stay the same.

        Raises:
            SettingError: answers are scores.
            CorpusError: no row has a label that is known.
        """
        self._check_classes()
        logits = self._outputs(pairs_of(rows))
        self.temperature = label_temperature(self.head.answers.labels, logits, rows)
        return self.temperature

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return, for each label, what words can add to; or the scores."""
        if not self.has_scores:
            return self._classes(_two(inputs)).values()
        return Values((), self._values(_two(inputs))[:, None], None)

    def token_rows(self, texts: Texts) -> TokenRows:
        """Return the rows of a pair, and the characters of their tokens."""
        places = pair_places(self.base, texts, self.head.config.max_length, self.head.mode)
        return TokenRows(self._examples(_two([texts]), {}), places)

    def weigh(self, request: WeighRequest, method: str) -> list[Weighed]:
        """Weigh the words of each pair by gradients."""
        return weigh_by_gradients(self, request)

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return one label a pair; scores have no options."""
        if self.has_scores:
            refuse_options("scores of pairs", k, threshold)
        return Top(k or 1, threshold or 0.0)

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the labels of each pair with their probabilities, or its score."""
        pairs = _two(inputs)
        if self.has_scores:
            return [{"score": round(float(score), 6)} for score in self._values(pairs)]
        return label_records(self._classes(pairs).top(*top))

    def shown(self, record: Record) -> str:
        """Return labels or score, and both texts."""
        if self.has_scores:
            return super().shown(record)
        return "\t".join([shown_labels(record), record["text_a"], record["text_b"]])

    def _predicted(self, pairs: Sequence[TextPair]) -> list[LabelValue] | list[float]:
        if self.has_scores:
            return [float(number) for number in self._values(pairs)]
        return [Label.read(label).value for label in self._classes(pairs).most_probable()]

    def _values(self, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
        return self.head.answers.values(self._outputs(pairs), self.temperature)

    def _classes(self, pairs: Sequence[TextPair]) -> ClassAnswers:
        self._check_classes()
        return ClassAnswers(self.head.answers.labels, self._values(pairs), of_pairs=True)

    def _check_classes(self) -> None:
        if self.has_scores:
            raise SettingError("This model gives pairs scores, which have no probabilities.")

    def _rows(self, pairs: Sequence[TextPair]) -> PairRows:
        config, mode = self.head.config, self.head.mode
        marks_shared = self.head.marks_tokens
        return PairRows.of(self.base, pairs, config.max_length, mode, marks_shared=marks_shared)

    def _examples(
        self, pairs: Sequence[TextPair], targets: dict[str, NDArray[Any]]
    ) -> PaddedExamples:
        rows = self._rows(pairs)
        words = None if self.head.words is None else self._words(pairs, rows.group)
        return rows.examples(self.base, targets, words)

    def _words(self, pairs: Sequence[TextPair], group: int) -> SparseRows:
        """Return the features of each row of the pairs."""
        values = np.repeat(self.overlap.matrix(pairs).astype(np.float32), group, axis=0)
        columns = np.tile(np.arange(NUM_OVERLAP_FEATURES, dtype=np.int32), len(values))
        starts = np.arange(len(values) + 1, dtype=np.int64) * NUM_OVERLAP_FEATURES
        return SparseRows(columns, values.ravel(), starts)

    def _outputs(self, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
        """Return logits (N, C), or numbers (N, 1) as the network gives them."""
        outputs = self.outputs(self._examples(pairs, {}))
        return np.array(outputs, np.float64).reshape(len(pairs), self.head.answers.num_outputs)


def _two(inputs: Sequence[Input]) -> list[TextPair]:
    return [(first, second) for first, second in inputs]


def pairs_of(rows: Sequence[LabelledPair]) -> list[TextPair]:
    """Return the texts of rows."""
    return [(row.text_a, row.text_b) for row in rows]
