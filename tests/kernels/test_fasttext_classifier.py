"""The kernel, where inseparable units share a row, against a twin that has a row for each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from foretext.kernels.fasttext_classifier import (
    Documents,
    Model,
    fill_rows,
    mean_rows,
    scratch_for,
    train_documents,
)
from foretext.kernels.fasttext_features import document_entries, unit_signatures
from foretext.kernels.simd import aligned_zeros, padded
from foretext.tasks.fasttext.config import LOSSES, Loss
from foretext.tasks.fasttext.model import OutputLayer
from tests.kernels.classifier_twin import ClassifierTwin

D = 20
NUM_UNITS = 30
LABEL_COUNTS = np.array([9, 5, 4, 4, 3, 1, 1], np.int64)
L = len(LABEL_COUNTS)


class Case:
    """The same small problem for the kernel and for the twin."""

    def __init__(self, loss: Loss, *, num_labels: int = 1, negatives: int = 5) -> None:
        rng = np.random.default_rng(3)
        self.units = [rng.integers(0, NUM_UNITS, size) for size in rng.integers(1, 12, 40)]
        self.units[7] = np.array([0, 0, 1, 1, 1])
        self.labels = [rng.choice(L, num_labels, replace=False) for _ in self.units]
        starts = np.insert(np.cumsum([len(units) for units in self.units]), 0, 0)
        flat = np.concatenate(self.units).astype(np.int32)
        signatures = unit_signatures(flat, starts, NUM_UNITS)
        self.unit_rows, members = np.full(NUM_UNITS, -1, np.int32), np.zeros(NUM_UNITS, np.int32)
        order = np.arange(len(self.units))
        rows, times, entry_starts, self.num_rows = document_entries(
            flat, starts, signatures, order, self.unit_rows, members
        )
        label_starts = np.arange(len(self.units) + 1) * num_labels
        self.documents = Documents(
            entry_starts, rows, times.astype(np.float32),
            times.astype(np.float32) / members[rows].astype(np.float32),
            np.diff(starts).astype(np.float32), label_starts,
            np.concatenate(self.labels).astype(np.int32), starts,
        )  # fmt: skip
        self.layer = OutputLayer(loss, LABEL_COUNTS)
        self.stride = padded(D)
        self.model = Model(
            aligned_zeros(self.num_rows, self.stride), aligned_zeros(L + 1, self.stride),
            self.stride, LOSSES[loss], L, negatives, self.layer.noise, *self.layer.paths,
        )  # fmt: skip
        self.rows[...] = rng.normal(size=self.rows.shape) / 4
        self.outputs[...] = rng.normal(size=self.outputs.shape) / 4
        paths = self.layer.paths
        self.twin = ClassifierTwin(
            self.rows[self.unit_rows].astype(float),
            self.outputs.astype(float),
            loss,
            L,
            [(paths.nodes[a:b], paths.codes[a:b]) for a, b in pairwise(paths.starts)],
        )

    @property
    def rows(self) -> np.ndarray:
        return self.model.inputs.reshape(-1, self.stride)[:, :D]

    @property
    def outputs(self) -> np.ndarray:
        return self.model.outputs.reshape(-1, self.stride)[: self.layer.num_outputs, :D]

    def train(self, start: float, end: float, seed: int = 5) -> Any:
        scratch = scratch_for(self.model)
        last = len(self.units)
        return train_documents(
            self.documents, self.model, scratch, 0, last, self.layer.num_outputs, start, end, seed
        )

    def train_twin(self, start: float, end: float) -> None:
        total, done = sum(map(len, self.units)), 0
        for units, labels in zip(self.units, self.labels, strict=True):
            self.twin.learn(units, labels, start + (end - start) * done / total)
            done += len(units)


@pytest.mark.parametrize(
    ("loss", "num_labels"), [("softmax", 1), ("hs", 1), ("ova", 1), ("ova", 3)]
)
def test_kernel_equals_its_twin(loss: Loss, num_labels: int) -> None:
    case = Case(loss, num_labels=num_labels)
    total, learned, words = case.train(0.5, 0.1)
    case.train_twin(0.5, 0.1)
    np.testing.assert_allclose(case.rows[case.unit_rows], case.twin.inputs, atol=2e-4)
    np.testing.assert_allclose(case.outputs, case.twin.outputs, atol=2e-4)
    assert total == pytest.approx(sum(case.twin.losses), rel=1e-3)
    assert (learned, words) == (40, sum(map(len, case.units)))


def test_units_of_the_same_documents_share_a_row() -> None:
    case = Case("softmax")
    assert case.num_rows < NUM_UNITS or len({*case.unit_rows.tolist()}) == case.num_rows
    same = [np.flatnonzero(case.unit_rows == row) for row in range(case.num_rows)]
    for units in same:
        met = {tuple(int((each == unit).sum()) for each in case.units) for unit in units}
        assert len(met) == 1


def test_hapaxes_of_a_document_are_one_row() -> None:
    units = np.array([0, 1, 2, 2, 0, 3, 4], np.int32)  # 1 alone; 3 and 4 together; 2 twice
    starts = np.array([0, 4, 7])
    signatures = unit_signatures(units, starts, 6)
    assert signatures[5] == 0
    rows, members = np.full(6, -1, np.int32), np.zeros(6, np.int32)
    listed, times, entries, num_rows = document_entries(
        units, starts, signatures, np.array([0, 1]), rows, members
    )
    assert rows.tolist() == [0, 1, 2, 3, 3, -1]
    assert members[:num_rows].tolist() == [1, 1, 1, 2]
    assert listed.tolist() == [0, 1, 2, 0, 3]
    assert times.tolist() == [1, 1, 2, 1, 2]
    assert entries.tolist() == [0, 3, 5]


def test_worked_example() -> None:
    """Two rows [1, 0] and [0, 1], their mean [.5, .5], outputs 0: chances .5, steps +-.05."""
    documents = Documents(
        np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32),
        np.ones(2, np.float32), np.array([2], np.float32), np.array([0, 1]),
        np.array([1], np.int32), np.array([0, 2]),
    )  # fmt: skip
    layer = OutputLayer("softmax", np.array([1, 1]))
    model = Model(
        aligned_zeros(2, 16), aligned_zeros(3, 16), 16, LOSSES["softmax"], 2, 5, layer.noise,
        *layer.paths,
    )  # fmt: skip
    model.inputs[0] = model.inputs[17] = 1
    loss = train_documents(documents, model, scratch_for(model), 0, 1, 2, 0.1, 0.1, 1)[0]
    assert loss == pytest.approx(np.log(2))
    np.testing.assert_allclose(model.outputs[:2], [-0.025, -0.025], rtol=1e-5)
    np.testing.assert_allclose(model.outputs[16:18], [0.025, 0.025], rtol=1e-5)
    np.testing.assert_array_equal(model.inputs[[0, 1, 16, 17]], [1, 0, 0, 1])  # outputs were 0
    train_documents(documents, model, scratch_for(model), 0, 1, 2, 0.1, 0.1, 1)
    chance = 1 / (1 + np.exp(-0.05))  # of label 1: its score is .025, that of label 0 -.025
    back = 0.1 * (1 - chance) * 0.05 / 2
    np.testing.assert_allclose(model.inputs[[0, 1]], [1 + back, back], rtol=1e-5)


def test_gradient_is_that_of_the_loss() -> None:
    """What a small step takes off the loss is the rate times the squared gradient."""
    case = Case("softmax")
    inputs, outputs = case.rows.copy(), case.outputs.copy()
    rate = 1e-3
    scratch = scratch_for(case.model)
    args = (case.documents, case.model, scratch, 3, 4, L, rate, rate, 1)
    before = train_documents(*args)[0]
    step = np.concatenate([(case.rows - inputs).ravel(), (case.outputs - outputs).ravel()]) / rate
    after = train_documents(*args)[0]
    entries = slice(*case.documents.starts[3:5])
    members = case.documents.reads[entries] / case.documents.writes[entries]
    assert (members == 1).all(), "this document's rows stand for one unit each"
    assert before - after == pytest.approx(rate * (step @ step), rel=0.02)


def test_negative_sampling_draws_others() -> None:
    case = Case("ns", negatives=3)
    label = int(case.labels[0][0])
    before = case.outputs.copy()
    train_documents(case.documents, case.model, scratch_for(case.model), 0, 1, L, 0.1, 0.1, 9)
    moved = np.flatnonzero((case.outputs != before).any(axis=1))
    hidden = case.twin.inputs[case.units[0]].mean(axis=0)
    assert label in moved
    assert 2 <= len(moved) <= 4
    for row in moved:
        away = (case.outputs[row] - before[row]) @ hidden
        assert (away > 0) == (row == label)


def test_one_worker_is_deterministic() -> None:
    first, second = Case("ns"), Case("ns")
    assert first.train(0.3, 0.0) == second.train(0.3, 0.0)
    np.testing.assert_array_equal(first.model.inputs, second.model.inputs)


def test_a_document_without_label_or_words_teaches_nothing() -> None:
    case = Case("softmax")
    documents = case.documents._replace(label_starts=np.zeros_like(case.documents.label_starts))
    before = case.model.inputs.copy()
    scratch = scratch_for(case.model)
    found = train_documents(documents, case.model, scratch, 0, 40, L, 0.3, 0.0, 1)
    assert found[:2] == (0.0, 0)
    np.testing.assert_array_equal(case.model.inputs, before)


@pytest.mark.parametrize(("skip", "expected"), [(False, [1, 0]), (True, [1.5, 0])])
def test_means(skip: bool, expected: list[float]) -> None:
    inputs = aligned_zeros(2, 16)
    inputs[0], inputs[16] = 1, 2
    means = aligned_zeros(2, 16)
    mean_rows(np.array([0, -1, 1], np.int32), np.array([0, 3, 3]), inputs, 16, skip, means)
    np.testing.assert_allclose(means[[0, 16]], expected)


def test_first_values_are_even_and_of_their_width() -> None:
    inputs = aligned_zeros(4000, 16)
    widths = np.where(np.arange(4000) < 2000, 0.5, 0.1).astype(np.float32)
    fill_rows(inputs, 5, 16, widths, 1)
    rows = inputs.reshape(-1, 16)
    assert not rows[:, 5:].any()
    for part, width in ((rows[:2000, :5], 0.5), (rows[2000:, :5], 0.1)):
        assert np.abs(part).max() == pytest.approx(width, rel=0.01)
        assert part.mean() == pytest.approx(0, abs=width / 30)
        assert part.std() == pytest.approx(width / np.sqrt(3), rel=0.03)
    other = aligned_zeros(4000, 16)
    fill_rows(other, 5, 16, widths, 2)
    assert (other != inputs).any()
