"""Codes in the place of word vectors, beside principal components."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from scipy.linalg import subspace_angles

from foretext.base.errors import SettingError
from foretext.pretraining.reduction import code_vectors
from foretext.vectors.principal_components import principal_components
from foretext.vectors.word_vectors import WordVectors
from tests.vectors.spaces import random_space, with_ngrams


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small lose time with more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
def test_linear_codes_keep_what_principal_components_keep() -> None:
    space = random_space()
    coded = code_vectors(space, 3, "linear")
    assert coded.variance_rate == pytest.approx(coded.components_rate, abs=2e-3)
    assert coded.variance_rate <= coded.components_rate + 1e-6
    components = principal_components(space.vectors, 3, remove_mean=True)
    projected = (space.vectors - components.mean) @ components.directions
    codes = coded.vectors.vectors - coded.vectors.vectors.mean(axis=0)
    assert np.rad2deg(subspace_angles(codes, projected)).max() < 5
    assert coded.vectors.index_to_key == space.index_to_key
    assert coded.vectors.counts.tolist() == space.counts.tolist()


@pytest.mark.slow
def test_denoising_codes_bend_where_vectors_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a circle one number says all, but no line holds it."""
    monkeypatch.setattr("foretext.pretraining.reduction.FEWEST_STEPS", 1_000)
    angles = np.random.default_rng(0).uniform(0, 1.5 * np.pi, 400)
    circle = np.stack([np.cos(angles), np.sin(angles)] + [np.zeros(400)] * 2, axis=1)
    coded = code_vectors(
        WordVectors([str(number) for number in range(400)], circle), 1, "denoising"
    )
    assert coded.components_rate < 0.75
    assert coded.variance_rate > coded.components_rate + 0.05


def test_what_cannot_be() -> None:
    with pytest.raises(SettingError, match=r"method = 'umap': .* There are: pca, linear, denoisin"):
        code_vectors(random_space(), 3, "umap")
    for dim in (0, 8):
        with pytest.raises(SettingError, match=rf"dim = {dim}: vectors of 8 .* in 1 to 7 numbers"):
            code_vectors(random_space(), dim, "linear")
    with pytest.raises(SettingError, match="an autoencoder has no vectors for n-grams; take 'pca'"):
        code_vectors(with_ngrams(), 2, "linear")
