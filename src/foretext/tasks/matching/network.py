"""A matcher of texts in use: how two texts are related, or how similar they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.corpus.decoding import Form
from foretext.data.overlap_features import NUM_OVERLAP_FEATURES, OverlapFeatures
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import LabelledPair
from foretext.data.rows.pairs import TextPair, pairs_of
from foretext.data.sparse_rows import SparseRows
from foretext.heads.base import TaskBase
from foretext.heads.matching import MatchingHead
from foretext.tasks.class_answers import check_labels, check_single, label_temperature
from foretext.tasks.explanation import Texts
from foretext.tasks.explanation.gradients import (
    EXPLAINED_BY,
    TokenRows,
    pair_places,
    weigh_by_gradients,
)
from foretext.tasks.explanation.words import Weighed, WeighRequest
from foretext.tasks.head_scales import FEWEST_ROWS, scale_by_rows
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tasks.matching.matcher import Matcher
from foretext.tasks.matching.pairs import PairRows
from foretext.tasks.matching.task import Matching
from foretext.tasks.model import TaskModel
from foretext.tasks.score_answers import have_scores, scores_of

__all__ = ["TextMatcher"]


class TextMatcher(Matcher, TaskModel):
    """Pairs of texts to a label or to a score; with `task.word_features` it is wide and deep."""

    task: ClassVar = Matching()
    served = ("predict", "rerank", "tokenize", "decode", "explain")
    head: MatchingHead
    explained_by = EXPLAINED_BY

    @classmethod
    def begin(cls, base: TaskBase, config: Any, rows: Sequence[LabelledPair]) -> Self:
        """Put an untrained head for these rows on a base; see `TaskModel.begin`."""
        if config.word_features == "none" or have_scores(rows):  # which the task refuses
            return super().begin(base, config, rows)
        found = cls.task.find(rows)
        linear = LinearMatcher().fit_rows(rows)
        found["pair_words"] = linear.overlap.kind
        found["pair_words_edition"] = linear.overlap.edition
        head = cls.task.head(config, base, **found)
        assert head.words is not None
        with torch.no_grad():
            for own, given in zip(
                (head.words.weight, head.words.bias), linear.output_weights, strict=True
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
    def label_names(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities; none where answers are scores."""
        return self.head.answers.labels

    @property
    def can_calibrate(self) -> bool:
        """Whether a temperature can be fitted: answers are labels."""
        return not self.has_scores

    def calibrate(self, rows: Sequence[LabelledPair]) -> float:
        """Set and return the temperature by which probabilities fit held-out rows.

        Guo et al. 2017, 4.2; the answers stay the same.

        Raises:
            SettingError: answers are scores.
            CorpusError: no row has a label that is known.
        """
        self.refuse_scores()
        logits = self._outputs(pairs_of(rows))
        self.temperature = label_temperature(self.head.answers.labels, logits, rows)
        return self.temperature

    def input_examples(self, texts: Texts) -> PaddedExamples:
        """Return the rows of a pair."""
        return self._examples([(texts[0], texts[1])], {})

    def token_rows(self, texts: Texts) -> TokenRows:
        """Return the rows of a pair, and the characters of their tokens."""
        places = pair_places(self.base, texts, self.head.config.max_length, self.head.mode)
        return TokenRows(self.input_examples(texts), places)

    def weigh(self, request: WeighRequest, method: str) -> list[Weighed]:
        """Weigh the words of each pair by gradients."""
        return weigh_by_gradients(self, request)

    def pair_values(self, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
        """Return probabilities of labels (N, C), or scores (N,)."""
        return self.head.answers.values(self._outputs(pairs), self.temperature)

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
