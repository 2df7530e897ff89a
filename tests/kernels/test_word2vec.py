"""The kernel against its plain twin, for every pair of model and output layer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from foretext.kernels.alias import alias_table
from foretext.kernels.compile import kernel
from foretext.kernels.huffman import huffman_paths
from foretext.kernels.sigmoid import sigmoid
from foretext.kernels.simd import LANES, aligned_zeros, load, padded, store
from foretext.kernels.windows import LOSS_EVERY, window_of
from foretext.kernels.word2vec import train_slice
from foretext.kernels.word2vec_arrays import (
    Method,
    Targets,
    Text,
    Weights,
    exchange_hot,
    outputs_outside,
    scratch_for,
)
from tests.kernels.word2vec_twin import Twin

V, D = 40, 20
COUNTS = np.array([0, *range(V - 1, 0, -1)], np.int64)  # id 0 never occurs
EVERYTHING = np.uint32(2**32 - 1)


@kernel()
def sigmoid_of(x, out):
    for at in range(0, x.size, LANES):
        store(out, at, sigmoid(load(x, at)))


def test_sigmoid_is_within_one_in_ten_thousand() -> None:
    x = np.linspace(-30, 30, 4096, dtype=np.float32)
    out = np.empty_like(x)
    sigmoid_of(x, out)
    np.testing.assert_allclose(out, 1 / (1 + np.exp(-x.astype(np.float64))), atol=1e-4)
    assert sigmoid_one(0.0) == 0.5  # a filler under label 1/2 must move nothing at all


def sigmoid_one(x: float) -> float:
    out = np.empty(LANES, np.float32)
    sigmoid_of(np.full(LANES, x, np.float32), out)
    return float(out[0])


def sentences_of(seed: int) -> list[list[int]]:
    """Sentences of 1 to 12 words, each word rare enough that windows seldom repeat one."""
    rng = np.random.default_rng(seed)
    return [rng.integers(1, V, rng.integers(1, 13)).tolist() for _ in range(30)]


class Case:
    """The same small problem for the kernel and for the twin."""

    def __init__(self, loss: str, *, negatives: int = 5, keep: float = 1.0, **method: Any) -> None:
        rng = np.random.default_rng(7)
        stride = padded(D)
        inputs, outputs = aligned_zeros(V + 1, stride), aligned_zeros(V + 1, stride)
        inputs.reshape(-1, stride)[:V, :D] = rng.normal(size=(V, D)) / 4
        outputs.reshape(-1, stride)[:V, :D] = rng.normal(size=(V, D)) / 4
        self.weights = Weights(inputs, outputs, stride)
        noise = np.zeros((0, 2), np.uint32)
        starts = np.zeros(V + 1, np.int64)
        nodes, codes = np.zeros(0, np.int32), np.zeros(0, np.uint8)
        most = 1
        if loss == "ns":
            noise = alias_table(COUNTS.astype(np.float64))
            most = negatives + 1
        else:
            negatives = 0
        if loss == "hs":
            starts, nodes, codes = huffman_paths(np.argsort(COUNTS, kind="stable")[1:], COUNTS)
            most = int(np.diff(starts).max())
        self.targets = Targets(negatives, noise, starts, nodes, codes, most, V, 0)
        chosen = {
            "window": 3,
            "cbow": False,
            "mean": True,
            "exact_gradient": False,
            "shared_noise": True,
            **method,
        }
        self.method = Method(softmax=loss == "softmax", **chosen)
        self.keep = np.full(V, min(keep * 2**32, 2**32 - 1), np.uint32)
        self.twin = Twin(
            inputs=self.matrix("inputs").astype(np.float64),
            outputs=self.matrix("outputs").astype(np.float64),
            keep=self.keep,
            window=self.method.window,
            negatives=negatives,
            noise=noise,
            paths=[
                (nodes[starts[w] : starts[w + 1]], codes[starts[w] : starts[w + 1]])
                for w in range(V)
            ],
            cbow=self.method.cbow,
            mean=self.method.mean,
            divided=self.method.exact_gradient,
            softmax=self.method.softmax,
            outside=self.method.outside_context,
        )

    def matrix(self, name: str) -> np.ndarray:
        return getattr(self.weights, name).reshape(-1, self.weights.stride)[:V, :D]

    def train(self, sentences: list[list[int]], start: float, end: float, seed: int) -> Any:
        ids = np.concatenate([np.array(s, np.uint16) for s in sentences])
        starts = np.cumsum([0, *map(len, sentences)])
        text = Text(ids, starts, self.keep)
        parts = (self.weights, self.targets, self.method)
        return train_slice(
            text, *parts, scratch_for(*parts), 0, len(sentences), V, start, end, seed
        )


CASES = {
    "skip-gram, negative sampling": ("ns", {}),
    "skip-gram, ten noise words (two groups)": ("ns", {"negatives": 10}),
    "skip-gram, one noise word": ("ns", {"negatives": 1}),
    "skip-gram, hierarchical": ("hs", {}),
    "skip-gram, full softmax": ("softmax", {}),
    "cbow, negative sampling": ("ns", {"cbow": True}),
    "cbow, sum": ("ns", {"cbow": True, "mean": False}),
    "cbow, divided gradient": ("ns", {"cbow": True, "exact_gradient": True}),
    "cbow, hierarchical": ("hs", {"cbow": True}),
    "cbow, full softmax": ("softmax", {"cbow": True}),
    "skip-gram, sub-sampled": ("ns", {"keep": 0.5}),
    "skip-gram, noise outside the context": ("ns", {"outside_context": True}),
    "cbow, noise outside the context": ("ns", {"cbow": True, "outside_context": True}),
}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", CASES)
def test_kernel_equals_its_twin(name: str) -> None:
    loss, options = CASES[name]
    case = Case(loss, **options)
    sentences = sentences_of(3)
    case.train(sentences, 0.05, 0.01, 11)
    case.twin.train(sentences, 0.05, 0.01, 11)
    np.testing.assert_allclose(case.matrix("inputs"), case.twin.inputs, atol=2e-4)
    np.testing.assert_allclose(case.matrix("outputs"), case.twin.outputs, atol=2e-4)
    padding = case.weights.inputs.reshape(-1, case.weights.stride)[:, D:]
    assert not padding.any()
    assert not case.weights.outputs.reshape(-1, case.weights.stride)[V:].any()


def test_pairwise_noise_equals_the_classic_order_with_one_context() -> None:
    """With two words a sentence a window is one pair, and both orders draw the same noise."""
    sentences = [[i, i + 1] for i in range(1, V - 1)]
    shared, pairwise = Case("ns"), Case("ns", shared_noise=False)
    shared.train(sentences, 0.05, 0.05, 5)
    pairwise.train(sentences, 0.05, 0.05, 5)
    np.testing.assert_array_equal(shared.weights.inputs, pairwise.weights.inputs)


def test_noise_outside_the_context_is_no_word_of_the_window() -> None:
    case = Case("ns", negatives=5)
    words, rows = np.array([9, 2, 1, 3, 9]), np.zeros(6, np.int64)
    for seed in range(40):
        counter = np.uint64(seed << 32)
        outputs_outside(rows, 0, 1, case.targets, counter, V, words, 1, 4)  # of 2, 1 and 3
        assert rows[0] == 1
        assert not {1, 2, 3} & set(rows[1:].tolist())


def test_a_window_of_all_words_ends_all_the_same() -> None:
    case = Case("ns", negatives=1, window=1, outside_context=True)
    chances = np.zeros(V)
    chances[1:3] = 1.0
    case.targets = case.targets._replace(noise=alias_table(chances))
    _, _, words = case.train([[1, 2]], 0.05, 0.05, 3)
    assert words == 2


def test_pairwise_noise_differs_in_wider_windows() -> None:
    shared, pairwise = Case("ns"), Case("ns", shared_noise=False)
    shared.train(sentences_of(3), 0.05, 0.05, 5)
    pairwise.train(sentences_of(3), 0.05, 0.05, 5)
    assert not np.array_equal(shared.weights.inputs, pairwise.weights.inputs)


def test_same_seed_same_bits() -> None:
    first, second, other = Case("ns"), Case("ns"), Case("ns")
    for case, seed in ((first, 5), (second, 5), (other, 6)):
        case.train(sentences_of(3), 0.05, 0.05, seed)
    np.testing.assert_array_equal(first.weights.inputs, second.weights.inputs)
    assert not np.array_equal(first.weights.inputs, other.weights.inputs)


def test_sentences_of_one_word_teach_nothing() -> None:
    case = Case("ns")
    before = case.weights.inputs.copy()
    loss, predictions, words = case.train([[1], [2], [3]], 0.05, 0.05, 1)
    assert (loss, predictions, words) == (0.0, 0, 3)
    np.testing.assert_array_equal(case.weights.inputs, before)


def test_window_by_hand() -> None:
    """Tokens 0 to 6 and a window of 1: position 0 sees [1], position 3 sees [2, 4]."""
    contexts = np.zeros(12, np.int64)
    words = np.arange(7)
    assert window_of(words, 7, 0, 1, contexts) == 1
    assert contexts[0] == 1
    assert window_of(words, 7, 3, 1, contexts) == 2
    assert contexts[:2].tolist() == [2, 4]
    assert window_of(words, 7, 6, 5, contexts) == 5
    assert contexts[:5].tolist() == [1, 2, 3, 4, 5]


def test_worked_losses() -> None:
    """Scores 1.1, -2.2, 3.3, -4.4 under two sets of labels; of the second two count."""
    scores = [1.1, -2.2, 3.3, -4.4]
    assert kernel_loss(scores, [1, 0, 0, 0]) / 4 == pytest.approx(0.9352, abs=1e-3)
    assert kernel_loss(scores[:2], [0, 1]) / 2 == pytest.approx(1.8462, abs=1e-3)


@kernel()
def loss_of(scores, labels, gradients, n):
    from_scores = sigmoid(load(scores, 0))
    store(gradients, 0, load(labels, 0) - from_scores)
    total = 0.0
    for k in range(n):
        total -= math.log(1.0 - abs(gradients[k]))
    return total


def kernel_loss(scores: list[float], labels: list[int]) -> float:
    x, y = np.zeros(LANES, np.float32), np.zeros(LANES, np.float32)
    x[: len(scores)], y[: len(labels)] = scores, labels
    return float(loss_of(x, y, np.zeros(LANES, np.float32), len(scores)))


def test_loss_of_fresh_weights_is_that_of_a_coin() -> None:
    """With all outputs zero every score is zero: (K + 1) log 2 a prediction, however many words."""
    case = Case("ns", negatives=7)
    case.weights.outputs[:] = 0
    loss, predictions, _ = case.train([[1, 2]] * LOSS_EVERY, 1e-6, 1e-6, 1)
    assert predictions > 0
    assert loss / predictions == pytest.approx(8 * math.log(2), abs=1e-3)


def test_own_copies_of_hot_nodes_change_nothing_for_one_worker() -> None:
    """Alone, a worker learns the same whether the nodes near the root are copies or not."""
    plain, copied = Case("hs"), Case("hs")
    num_hot = 7
    stride = copied.weights.stride
    outputs = aligned_zeros(V + 1 + 2 * num_hot, stride)
    outputs[: V * stride] = copied.weights.outputs[: V * stride]
    copied.weights = copied.weights._replace(outputs=outputs)
    copied.targets = copied.targets._replace(hot_first=V - 2 - num_hot, num_hot=num_hot)
    for case in (plain, copied):
        case.train(sentences_of(3), 0.05, 0.05, 5)
    np.testing.assert_allclose(plain.matrix("inputs"), copied.matrix("inputs"), atol=1e-6)
    np.testing.assert_allclose(plain.matrix("outputs"), copied.matrix("outputs"), atol=1e-6)


def test_exchange_adds_what_two_workers_learned() -> None:
    case = Case("hs")
    stride = case.weights.stride
    targets = case.targets._replace(hot_first=10, num_hot=2)
    outputs = aligned_zeros(20 + 2 * 5, stride)
    shared, first, second = slice(10, 12), slice(21, 23), slice(26, 28)
    rows = outputs.reshape(-1, stride)
    rows[shared] = 5.0
    for null in (20, 25):
        exchange_hot(outputs, stride, targets, null)
    rows[first] += 1.0
    rows[second] += 2.0
    for null in (20, 25):
        exchange_hot(outputs, stride, targets, null)
    assert (rows[shared] == 8.0).all()
    assert (rows[first] == 6.0).all()  # it has not met the second one's yet
    assert (rows[second] == 8.0).all()
