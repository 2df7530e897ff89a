"""doc2vec's kernels against their plain twin, for every model and output layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.kernels.doc2vec import train_documents
from foretext.kernels.doc2vec_inference import infer_documents
from foretext.vectors.doc2vec import (
    Doc2VecConfig,
    DocumentNetwork,
    HeldOutWords,
    held_out_positions,
)
from tests.kernels.doc2vec_twin import DocumentTwin

V, N, D = 30, 12, 20
COUNTS = np.array([0, *range(V - 1, 0, -1)], np.int64)
CASES: dict[str, dict[str, Any]] = {
    "dbow": {},
    "dbow, hierarchical": {"loss": "hs"},
    "dbow, seven noise words (two groups)": {"negative": 7},
    "dbow with words": {"dbow_words": True, "window": 3},
    "dbow with words, noise for each pair": {"dbow_words": True, "window": 1, "exact": True},
    "dm, mean": {"model": "dm", "window": 3},
    "dm, sum": {"model": "dm", "window": 3, "context": "sum"},
    "dm, hierarchical": {"model": "dm", "loss": "hs"},
    "dm, concatenated": {"model": "dm", "context": "concat", "window": 2},
    "dm, concatenated, hierarchical": {
        "model": "dm", "context": "concat", "window": 2, "loss": "hs"
    },
}  # fmt: skip


class Case:
    """A small text for the kernels and for the twin, three documents in pieces."""

    def __init__(self, held_rate: float = 0.0, **settings: Any) -> None:
        self.config = Doc2VecConfig(vector_size=D, sample=0, workers=1, **settings)
        self.network = network = DocumentNetwork(self.config, COUNTS, N)
        rng = np.random.default_rng(7)
        network.input_rows[...] = rng.normal(size=network.input_rows.shape) / 4
        network.output_rows[...] = rng.normal(size=network.output_rows.shape) / 4
        self.pieces = [rng.permutation(np.arange(1, V))[: rng.integers(1, 12)] for _ in range(N)]
        self.rows = np.sort(rng.integers(0, N, N))
        starts = np.cumsum([0, *map(len, self.pieces)])
        held = HeldOutWords(held_rate, 3)
        ids = np.concatenate(self.pieces).astype(np.uint16)
        self.documents = network.documents_of(ids, starts, self.rows, held)
        self.arguments = (self.documents, *network.arguments, network.scratch())

    def twin(self) -> DocumentTwin:
        _, targets, method, reading = self.network.arguments
        starts, nodes, codes = targets.path_starts, targets.path_nodes, targets.path_codes
        return DocumentTwin(
            inputs=self.network.input_rows.astype(np.float64),
            outputs=self.outputs().astype(np.float64),
            keep=self.documents.keep,
            window=self.config.window,
            negatives=targets.negatives,
            noise=targets.noise,
            paths=[
                (nodes[starts[w] : starts[w + 1]], codes[starts[w] : starts[w + 1]])
                for w in range(V)
            ],
            cbow=method.cbow,
            mean=method.mean,
            shared=method.shared_noise,
            words=reading.words,
            concatenated=reading.concatenated,
            held=frozenset(held_out_positions(self.documents).tolist()),
        )

    def outputs(self) -> np.ndarray:
        return self.network.output_rows.reshape(V, -1).copy()

    def train(self, seed: int = 11) -> tuple[float, int, int]:
        return train_documents(*self.arguments, 0, N, self.network.null(0), 0.05, 0.01, seed)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", CASES)
def test_training_equals_its_twin(name: str) -> None:
    case = Case(**CASES[name])
    twin = case.twin()
    rows = case.rows + case.network.first_document
    _, _, words = case.train()
    twin.train_documents([piece.tolist() for piece in case.pieces], rows.tolist(), 0.05, 0.01, 11)
    assert words == sum(map(len, case.pieces))
    np.testing.assert_allclose(case.network.input_rows, twin.inputs, atol=3e-4)
    np.testing.assert_allclose(case.outputs(), twin.outputs, atol=3e-4)
    padding = case.network.inputs.reshape(-1, case.network.stride)[:, D:]
    assert not padding.any()
    assert not case.network.outputs.reshape(-1, case.network.stride)[
        V * case.network.places :
    ].any()


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", CASES)
def test_inference_equals_its_twin_and_moves_one_row_alone(name: str) -> None:
    case = Case(**CASES[name])
    twin, network = case.twin(), case.network
    before, outputs = network.input_rows.copy(), case.outputs()
    firsts = np.searchsorted(case.rows, np.arange(N + 1))
    document = int(case.rows[0])
    firsts_one = firsts.copy()
    firsts_one[document + 1] = firsts[document] + 1  # its first piece alone
    infer_documents(
        *case.arguments, firsts_one, document, document + 1, network.null(0), 3, 0.05, 0.01,
        np.full(N, 5, np.uint32),
    )  # fmt: skip
    row = document + network.first_document
    twin.infer(case.pieces[0].tolist(), row, 3, 0.05, 0.01, 5)
    np.testing.assert_allclose(network.input_rows, twin.inputs, atol=3e-4)
    np.testing.assert_array_equal(case.outputs(), outputs)
    moved = (network.input_rows != before).any(axis=1)
    assert np.flatnonzero(moved).tolist() == [row]


def test_words_held_out_teach_nothing() -> None:
    case, every = Case(held_rate=0.4), Case()
    twin = case.twin()
    assert 0 < len(twin.held) < len(case.documents.ids)
    case.train()
    every.train()
    rows = case.rows + case.network.first_document
    twin.train_documents([piece.tolist() for piece in case.pieces], rows.tolist(), 0.05, 0.01, 11)
    np.testing.assert_allclose(case.network.input_rows, twin.inputs, atol=3e-4)
    assert not np.array_equal(case.network.inputs, every.network.inputs)


def test_same_seed_same_bits() -> None:
    first, second, other = Case(), Case(), Case()
    for case, seed in ((first, 5), (second, 5), (other, 6)):
        case.train(seed)
    np.testing.assert_array_equal(first.network.inputs, second.network.inputs)
    assert not np.array_equal(first.network.inputs, other.network.inputs)
