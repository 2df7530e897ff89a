"""Smaller models: centroids, codes, and which rows stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.tasks.fasttext.product_quantizer import ProductQuantizer
from tests.tasks.fasttext.texts import labelled_texts

TEXTS, LABELS = labelled_texts()


@pytest.fixture(scope="module")
def classifier() -> FastTextClassifier:
    settings = {"dim": 17, "lr": 0.5, "epochs": 10, "workers": 1}
    return FastTextClassifier(**settings, word_ngrams=2, bucket=5_000).fit(TEXTS, LABELS)


@pytest.mark.parametrize("dsub", [1, 2, 4, 7])
def test_few_vectors_come_back_as_they_were(dsub: int) -> None:
    vectors = np.random.default_rng(0).normal(size=(200, 7)).astype(np.float32)
    quantizer = ProductQuantizer.learn(vectors, dsub, seed=1)
    codes = quantizer.encode(vectors)
    assert codes.shape == (200, quantizer.num_parts)
    np.testing.assert_allclose(quantizer.decode(codes), vectors, atol=1e-3)


def test_codes_are_of_the_nearest_centroids() -> None:
    vectors = np.random.default_rng(0).normal(size=(3000, 6)).astype(np.float32)
    quantizer = ProductQuantizer.learn(vectors, 2, seed=1)
    codes = quantizer.encode(vectors[:500])
    parts = vectors[:500].reshape(500, 3, 1, 2)
    distances = ((parts - quantizer.centroids) ** 2).sum(axis=3)  # (500, 3, 256)
    chosen = np.take_along_axis(distances, codes[:, :, None].astype(int), axis=2)[..., 0]
    np.testing.assert_allclose(chosen, distances.min(axis=2), atol=1e-3)
    assert (distances.argmin(axis=2) == codes).mean() > 0.99
    errors = (quantizer.decode(codes) - vectors[:500]) ** 2
    assert errors.mean() < 0.03


def test_long_vectors_get_centroids_where_short_ones_are_many() -> None:
    rng = np.random.default_rng(0)
    short = rng.normal(0, 1e-3, (20_000, 4))
    vectors = np.concatenate([short, rng.normal(0, 1, (300, 4))]).astype(np.float32)
    quantizer = ProductQuantizer.learn(vectors, 2, seed=1)
    long = vectors[-300:]
    assert ((quantizer.decode(quantizer.encode(long)) - long) ** 2).mean() < 0.01


@pytest.mark.parametrize("qnorm", [False, True])
def test_codes_answer_like_numbers(classifier: FastTextClassifier, qnorm: bool) -> None:
    small = classifier.quantize(qnorm=qnorm)
    assert small.score(TEXTS, LABELS) >= classifier.score(TEXTS, LABELS) - 0.01
    agree = small.predict(TEXTS) == classifier.predict(TEXTS)
    assert agree.mean() > 0.98


def test_the_longest_rows_stay(classifier: FastTextClassifier) -> None:
    small = classifier.quantize(cutoff=120, qnorm=True).model
    model = classifier.model
    lengths = {
        word: np.linalg.norm(model.rows.take(model.word_rows[at : at + 1]))
        for at, word in enumerate(model.dictionary.words)
    }
    kept = set(small.dictionary.words)
    assert len(kept) + len(small.buckets) == 120
    assert "</s>" in kept
    dropped = set(model.dictionary.words) - kept
    assert dropped
    assert max(lengths[word] for word in dropped) <= min(lengths[word] for word in kept - {"</s>"})


def test_what_was_left_out_counts_as_nothing(classifier: FastTextClassifier) -> None:
    small = classifier.quantize(cutoff=120)
    dropped = sorted(set(classifier.model.dictionary.words) - set(small.model.dictionary.words))
    with_it, without = small.predict_proba([f"music1é {dropped[0]}", "music1é"])
    np.testing.assert_allclose(with_it, without, atol=1e-6)


def test_learning_on_after_rows_are_gone(classifier: FastTextClassifier) -> None:
    left = classifier.quantize(cutoff=60)
    again = classifier.quantize(TEXTS, LABELS, cutoff=60, epochs=10)
    assert again.model.dictionary.words == left.model.dictionary.words
    assert again.score(TEXTS, LABELS) >= left.score(TEXTS, LABELS)
    assert (again.model.outputs != classifier.model.outputs).any()


def test_files_get_small(classifier: FastTextClassifier, tmp_path: Path) -> None:
    classifier.save(tmp_path / "whole")
    classifier.quantize(cutoff=150).save(tmp_path / "small")
    sizes = [(tmp_path / name / "model.safetensors").stat().st_size for name in ("whole", "small")]
    assert sizes[1] < sizes[0] / 3


def test_what_has_no_effect_is_refused(classifier: FastTextClassifier) -> None:
    with pytest.raises(SettingError, match="quantised already"):
        classifier.quantize().quantize()
    with pytest.raises(SettingError, match="no effect without cutoff"):
        classifier.quantize(TEXTS, LABELS)
    with pytest.raises(SettingError, match="cutoff = 0, dsub = 2: both must be"):
        classifier.quantize(cutoff=0)
    with pytest.raises(SettingError, match="epochs and lr have no effect"):
        classifier.quantize(cutoff=50, epochs=3)
