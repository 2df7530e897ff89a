"""Matchers whose head may read which words both texts have, beside the states of the network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.corpus.decoding import Form
from foretext.data.overlap_features import NUM_OVERLAP_FEATURES, OverlapFeatures
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import LabelledPair
from foretext.data.sparse_rows import SparseRows
from foretext.heads.task_base import TaskBase
from foretext.tasks.head_scales import FEWEST_ROWS, scale_by_rows
from foretext.tasks.matching.baseline import PairBaseline
from foretext.tasks.matching.pair_scores import have_scores
from foretext.tasks.matching.pairs import PairRows, TextPair
from foretext.tasks.matching.task import MatcherLearning

__all__ = ["WideMatcher", "pairs_of"]


class WideMatcher(MatcherLearning):
    """A network over pairs of texts; with `task.word_features` it is wide and deep."""

    @classmethod
    def begin(cls, base: TaskBase, config: Any, rows: Sequence[LabelledPair]) -> Self:
        """Put an untrained head for these rows on a base; see `TaskModel.begin`."""
        if config.word_features == "none" or have_scores(rows):  # which the task refuses
            return super().begin(base, config, rows)
        found = cls.find(rows)
        baseline = PairBaseline().fit(pairs_of(rows), [row.label or "" for row in rows])
        found["pair_words"] = baseline.features.kind
        found["pair_words_edition"] = baseline.features.edition
        head = cls.head_class(config, base, **found)
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


def pairs_of(rows: Sequence[LabelledPair]) -> list[TextPair]:
    """Return the texts of rows."""
    return [(row.text_a, row.text_b) for row in rows]
