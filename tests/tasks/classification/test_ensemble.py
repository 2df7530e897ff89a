"""A network and a linear model that answer together: weights, answers, and what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError, SettingError
from foretext.data.rows import LabelledText
from foretext.heads.classification import ClassificationHead
from foretext.metrics import softmax
from foretext.tasks.classification.ensemble import Ensemble, Weights, fit_weights
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_storage import FILE
from foretext.tasks.classification.network import TextClassifier
from tests.text_bodies import labelled_texts, word_body


def drawn(probabilities: Any, rng: np.random.Generator) -> Any:
    """A class of each row by its probabilities."""
    return (probabilities.cumsum(1) < rng.random((len(probabilities), 1))).sum(1)


def test_weights_find_who_is_right() -> None:
    rng = np.random.default_rng(0)
    true, noise = rng.normal(size=(2, 20_000, 3)) * 2
    gold = drawn(softmax(true), rng)
    np.testing.assert_allclose(fit_weights(np.stack([true, noise]), gold), [1, 0], atol=0.05)
    np.testing.assert_allclose(fit_weights(np.stack([noise, true / 2]), gold), [0, 2], atol=0.05)
    halves = np.stack([true - noise, true + noise])  # each is wrong as the other is not
    np.testing.assert_allclose(fit_weights(halves, gold), [0.5, 0.5], atol=0.05)


def test_no_weight_is_below_nothing() -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(size=(5000, 2)) * 2
    liar = -true
    assert fit_weights(np.stack([true + liar, liar]), drawn(softmax(true), rng))[1] == 0


def test_no_other_weights_are_likelier() -> None:
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(2, 300, 4))
    gold = drawn(softmax(logits.sum(0)), rng)

    def loss(weights: Any) -> float:
        chosen = softmax(np.tensordot(weights, logits, 1))[np.arange(300), gold]
        return float(-np.log(chosen).mean())

    best = fit_weights(logits, gold)
    for change in ([1e-2, 0], [-1e-2, 0], [0, 1e-2], [0, -1e-2]):
        assert loss(best) < loss(best + np.array(change))


def rows_of_two_kinds(multi_label: bool) -> list[LabelledText]:
    rows = labelled_texts(48)
    if not multi_label:
        return rows
    return [
        row._replace(labels=row.labels if line % 3 else (*row.labels, "third"))
        for line, row in enumerate(rows)
    ]


@pytest.fixture(params=[False, True], ids=["one label", "several"])
def rows(request: pytest.FixtureRequest) -> list[LabelledText]:
    return rows_of_two_kinds(request.param)


@pytest.fixture
def model(rows: list[LabelledText]) -> TextClassifier:
    torch.manual_seed(0)
    return TextClassifier.begin(word_body("textcnn"), ClassificationHead.Config(), rows)


@pytest.fixture
def linear(rows: list[LabelledText]) -> LinearClassifier:
    return LinearClassifier().fit([row.text for row in rows], [row.labels for row in rows])


def test_who_knows_nothing_counts_nothing(
    model: TextClassifier, linear: LinearClassifier, rows: list[LabelledText]
) -> None:
    texts = [row.text for row in rows]
    weights = model.join(linear, rows)
    assert weights.linear > 10 * weights.network
    assert model.figures(rows)["accuracy"] == linear.figures(rows)["accuracy"] > 0.9
    if not linear.is_multi_label:
        np.testing.assert_allclose(model.predict_proba(texts).sum(1), 1)


def test_both_are_multiplied(
    model: TextClassifier, linear: LinearClassifier, rows: list[LabelledText]
) -> None:
    texts = [row.text for row in rows][:8]
    own, other = model.predict_proba(texts), linear.predict_proba(texts)
    model.ensemble = Ensemble(linear, Weights(0.5, 2.0))
    product = own**0.5 * other**2
    if linear.is_multi_label:
        expected = product / (product + (1 - own) ** 0.5 * (1 - other) ** 2)
    else:
        expected = product / product.sum(1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(texts), expected, rtol=1e-6)


def test_the_folder_keeps_both(
    model: TextClassifier, linear: LinearClassifier, rows: list[LabelledText], tmp_path: Path
) -> None:
    texts = [row.text for row in rows]
    model.join(linear, rows)
    model.save(tmp_path)
    kept = ft.load(tmp_path)
    np.testing.assert_allclose(kept.predict_proba(texts), model.predict_proba(texts), atol=1e-6)
    assert kept.ensemble.weights == model.ensemble.weights  # type: ignore[union-attr]
    other = LinearClassifier().fit(["a", "b"], ["x", "y"])
    other.write_file(tmp_path / FILE)
    with pytest.raises(ModelFileError, match="other labels than the network beside it"):
        ft.load(tmp_path)
    (tmp_path / FILE).unlink()
    with pytest.raises(ModelFileError, match=r"linear\.safetensors is missing"):
        ft.load(tmp_path)


def test_a_model_alone_heeds_no_file_of_another(
    model: TextClassifier, linear: LinearClassifier, rows: list[LabelledText], tmp_path: Path
) -> None:
    model.join(linear, rows)
    model.save(tmp_path)
    model.ensemble = None
    model.save(tmp_path)
    assert ft.load(tmp_path).ensemble is None


def test_who_is_weighed_is_calibrated(
    model: TextClassifier, linear: LinearClassifier, rows: list[LabelledText]
) -> None:
    model.join(linear, rows)
    with pytest.raises(SettingError, match="The weights of the ensemble calibrate already"):
        model.calibrate(rows)


def test_what_cannot_be_joined(
    model: TextClassifier, linear: LinearClassifier, rows: list[LabelledText]
) -> None:
    other = LinearClassifier().fit(["a", "b"], ["x", "y"])
    with pytest.raises(SettingError, match="other labels than the network"):
        model.join(other, rows)
    strange = [row._replace(labels=("strange",)) for row in rows]
    with pytest.raises(CorpusError, match="No held-out row has a label that was learned"):
        model.join(linear, strange)
    assert model.ensemble is None
