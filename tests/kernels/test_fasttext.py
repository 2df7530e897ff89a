"""The kernel, where inseparable sub-words share a row, against a twin that has a row for each."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from foretext.kernels.fasttext import Model, Subwords, Text, scratch_for, train_slice, word_sums
from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import aligned_zeros, padded
from foretext.vectors.ngrams import CharacterNgrams, SubwordTable
from foretext.vectors.output_layer import HierarchicalSoftmax, NegativeSampling
from tests.kernels.fasttext_twin import FastTextTwin
from tests.kernels.word2vec_twin import Twin

D = 20
NGRAMS = CharacterNgrams(3, 6, 500)
WORDS = ["banana", "bananas", "ban", "a", "sing", "singing", "singer", "rings", "ring", "日本語"]
WORDS += [stem + end for stem in ("walk", "talk", "jump", "play") for end in ("", "s", "ed", "ing")]
V = len(WORDS) + 1  # word 0 is never met
COUNTS = np.array([0, *range(V - 1, 0, -1)], np.int64)


class Case:
    """The same small problem for the kernel and for the twin."""

    def __init__(
        self, loss: str = "ns", *, negatives: int = 5, keep: float = 1.0, cbow: bool = False
    ) -> None:
        rng = np.random.default_rng(7)
        self.stride = padded(D)
        self.table = table = SubwordTable.build(WORDS, np.ones(len(WORDS)), NGRAMS)
        layer = (
            HierarchicalSoftmax(COUNTS)
            if loss == "hs"
            else NegativeSampling(COUNTS, negatives, 0.5)
        )
        targets = layer.targets
        self.subwords = Subwords(
            np.insert(table.starts, 0, 0),
            table.rows,
            table.weights,
            np.insert(table.num_units, 0, 0).astype(np.float32),
            np.insert(table.pulls, 0, 0).astype(np.float32),
        )
        self.model = Model(
            inputs=aligned_zeros(len(table.members), self.stride),
            outputs=aligned_zeros(V + 1, self.stride),
            stride=self.stride,
            subwords=self.subwords,
            negatives=targets.negatives,
            noise=targets.noise,
            path_starts=targets.path_starts,
            path_nodes=targets.path_nodes,
            path_codes=targets.path_codes,
            groups=-(-targets.most // GROUP),
            window=3,
            cbow=cbow,
        )
        self.rows[...] = rng.normal(size=self.rows.shape) / 4
        self.outputs[:V] = rng.normal(size=(V, D)) / 4
        self.keep = np.full(V, min(keep * 2**32, 2**32 - 1), np.uint32)
        self.twin = self.make_twin(targets)

    def make_twin(self, targets: Any) -> FastTextTwin:
        starts, buckets = NGRAMS.buckets(WORDS)
        units = [[]] + [
            [w, *(len(WORDS) + np.searchsorted(self.table.buckets, buckets[a:b]))]
            for w, (a, b) in enumerate(pairwise(starts))
        ]
        paths = [
            (targets.path_nodes[a:b], targets.path_codes[a:b])
            for a, b in pairwise(targets.path_starts)
        ]
        outputs = self.outputs[:V].astype(np.float64)
        draws = Twin(
            inputs=outputs,
            outputs=outputs,
            keep=self.keep,
            window=3,
            negatives=targets.negatives,
            noise=targets.noise,
            paths=paths,
        )
        return FastTextTwin(self.expanded(), outputs, units, draws, self.model.cbow)

    @property
    def rows(self) -> np.ndarray:
        return self.model.inputs.reshape(-1, self.stride)[:, :D]

    @property
    def outputs(self) -> np.ndarray:
        return self.model.outputs.reshape(-1, self.stride)[:, :D]

    def expanded(self) -> np.ndarray:
        """A row for each word and each bucket."""
        rows = np.concatenate([self.table.word_rows, self.table.bucket_rows])
        return self.rows[rows].astype(np.float64)

    def train(self, sentences: list[list[int]], start: float, end: float, seed: int) -> Any:
        ids = np.concatenate([np.array(s, np.uint16) for s in sentences])
        starts = np.cumsum([0, *map(len, sentences)])
        text = Text(ids, starts[:-1], starts, self.keep)
        scratch = scratch_for(self.model)
        return train_slice(text, self.model, scratch, 0, len(sentences), V, start, end, seed)


def sentences_of(seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(1, V, rng.integers(1, 13)).tolist() for _ in range(40)]


CASES: dict[str, dict[str, Any]] = {
    "skip-gram, negative sampling": {},
    "skip-gram, ten noise words (two groups)": {"negatives": 10},
    "skip-gram, one noise word": {"negatives": 1},
    "skip-gram, hierarchical": {"loss": "hs"},
    "skip-gram, sub-sampled": {"keep": 0.5},
    "cbow, negative sampling": {"cbow": True},
    "cbow, hierarchical": {"cbow": True, "loss": "hs"},
    "cbow, sub-sampled": {"cbow": True, "keep": 0.5},
}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", CASES)
def test_kernel_equals_its_twin(name: str) -> None:
    case = Case(**CASES[name])
    before = case.expanded()
    case.train(sentences_of(3), 0.05, 0.01, 11)
    case.twin.train(sentences_of(3), 0.05, 0.01, 11)
    assert np.abs(case.expanded() - before).max() > 0.1
    np.testing.assert_allclose(case.expanded(), case.twin.inputs, atol=2e-4)
    np.testing.assert_allclose(case.outputs[:V], case.twin.outputs, atol=2e-4)
    assert not case.model.inputs.reshape(-1, case.stride)[:, D:].any()  # padding
    assert not case.outputs[V:].any()  # the null row


def test_rows_are_shared() -> None:
    case = Case()
    assert len(case.table.members) < (len(WORDS) + len(case.table.buckets)) / 2


def test_word_sums() -> None:
    case = Case()
    sums = np.zeros(V * case.stride, np.float32)
    word_sums(case.model.inputs, case.subwords, case.stride, sums)
    expected = [case.expanded()[units].sum(axis=0) for units in case.twin.units]
    np.testing.assert_allclose(sums.reshape(V, -1)[:, :D], expected, atol=1e-5)


@pytest.mark.parametrize("cbow", [False, True])
def test_same_seed_same_bits(cbow: bool) -> None:
    first, second, other = Case(cbow=cbow), Case(cbow=cbow), Case(cbow=cbow)
    for case, seed in ((first, 5), (second, 5), (other, 6)):
        case.train(sentences_of(3), 0.05, 0.05, seed)
    np.testing.assert_array_equal(first.model.inputs, second.model.inputs)
    assert not np.array_equal(first.model.inputs, other.model.inputs)


@pytest.mark.parametrize("cbow", [False, True])
def test_sentences_of_one_word_teach_nothing(cbow: bool) -> None:
    case = Case(cbow=cbow)
    before = case.model.inputs.copy()
    assert case.train([[1], [2], [3]], 0.05, 0.05, 1) == (0.0, 0, 3)
    np.testing.assert_array_equal(case.model.inputs, before)


@pytest.mark.parametrize("cbow", [False, True])
def test_loss_of_fresh_weights_is_that_of_a_coin(cbow: bool) -> None:
    case = Case(cbow=cbow, negatives=7)
    case.model.outputs[:] = 0
    loss, predictions, _ = case.train([[1, 2, 3]] * 100, 1e-6, 1e-6, 1)
    assert predictions > 0
    assert loss / predictions == pytest.approx(8 * math.log(2), abs=1e-3)
