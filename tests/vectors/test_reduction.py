"""Fewer dimensions: the projections of scikit-learn, and what stays with the words."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import StandardScaler

from foretext.base.errors import SettingError
from foretext.vectors import alignment, principal_components
from foretext.vectors.reduction import reduce_dimensions
from foretext.vectors.word_vectors import WordVectors
from tests.vectors.spaces import random_space, with_ngrams


def up_to_sign(found, expected):
    return found * np.sign((found * expected).sum(axis=0)), expected


def test_with_the_mean_removed_it_is_scikit_learns_pca():
    space = random_space()
    theirs = PCA(3, svd_solver="full").fit(space.vectors.astype(np.float64))
    ours = reduce_dimensions(space, 3, remove_mean=True)
    found, expected = up_to_sign(ours.vectors.vectors, theirs.transform(space.vectors))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(*up_to_sign(ours.directions, theirs.components_.T), atol=1e-9)
    np.testing.assert_allclose(ours.mean, theirs.mean_)
    assert ours.variance_rate == pytest.approx(theirs.explained_variance_ratio_.sum())


def test_standardised_it_is_scikit_learns_pca_of_standardised_numbers():
    space = random_space()
    space = WordVectors(
        space.index_to_key, space.vectors * [1, 30, 0.1, *[1] * (space.vector_size - 3)]
    )
    rows = StandardScaler().fit_transform(space.vectors.astype(np.float64))
    theirs = PCA(3, svd_solver="full").fit(rows)
    ours = reduce_dimensions(space, 3, standardize=True)
    found, expected = up_to_sign(ours.vectors.vectors, theirs.transform(rows))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert ours.variance_rate == pytest.approx(theirs.explained_variance_ratio_.sum(), abs=1e-6)
    again = (space.vectors - ours.mean) @ ours.directions
    np.testing.assert_allclose(again, ours.vectors.vectors, atol=1e-4)


def test_a_constant_dimension_counts_nothing_when_standardised():
    space = WordVectors(["a", "b", "c"], [[5, 1, 0], [5, -1, 2], [5, 0, 4]])
    reduced = reduce_dimensions(space, 3, standardize=True)
    assert np.isfinite(reduced.vectors.vectors).all()
    assert reduced.variance_rate == pytest.approx(1)


def test_around_the_origin_it_is_the_truncated_decomposition():
    space = random_space()
    theirs = TruncatedSVD(3, algorithm="arpack").fit(space.vectors.astype(np.float64))
    ours = reduce_dimensions(space, 3)
    np.testing.assert_allclose(*up_to_sign(ours.directions, theirs.components_.T), atol=1e-9)
    squares = np.square(space.vectors, dtype=np.float64).sum()
    assert ours.variance_rate == pytest.approx(np.square(theirs.singular_values_).sum() / squares)
    assert ours.mean is None


def test_by_hand():
    space = WordVectors(["a", "b", "c"], [[3, 0, 0], [0, 0, -4], [0, 0, 0]])
    reduced = reduce_dimensions(space, 1)
    np.testing.assert_allclose(reduced.vectors.vectors, [[0], [-4], [0]], atol=1e-6)
    assert reduced.variance_rate == pytest.approx(16 / 25)


def test_all_dimensions_change_no_cosine():
    space = random_space()
    reduced = reduce_dimensions(space, space.vector_size)
    assert reduced.variance_rate == pytest.approx(1)
    assert reduced.vectors.similarity("w3", "w9") == pytest.approx(space.similarity("w3", "w9"))


def test_of_no_variance_nothing_is_lost():
    assert reduce_dimensions(WordVectors(["a", "b"], np.zeros((2, 3))), 2).variance_rate == 1


def test_a_large_mean_costs_no_accuracy():
    """Moments around the origin less those of the mean would lose all digits here."""
    rng = np.random.default_rng(0)
    vectors = (rng.standard_normal((500, 4)) * [8, 4, 2, 1] + 10_000).astype(np.float32)
    found = reduce_dimensions(WordVectors(map(str, range(500)), vectors), 2, remove_mean=True)
    theirs = PCA(2, svd_solver="full").fit(vectors.astype(np.float64))
    assert found.variance_rate == pytest.approx(theirs.explained_variance_ratio_.sum(), rel=1e-9)


def test_blocks_of_rows_do_not_matter(monkeypatch):
    whole = reduce_dimensions(random_space(), 3, remove_mean=True)
    monkeypatch.setattr(principal_components, "_BLOCK_ROWS", 7)
    monkeypatch.setattr(alignment, "_BLOCK_ROWS", 7)
    parts = reduce_dimensions(random_space(), 3, remove_mean=True)
    np.testing.assert_allclose(parts.vectors.vectors, whole.vectors.vectors, atol=1e-5)


def test_the_error_of_going_there_and_back():
    space = random_space()
    found = principal_components.principal_components(space.vectors, 3, remove_mean=True)
    theirs = PCA(3, svd_solver="full").fit(space.vectors.astype(np.float64))
    back = theirs.inverse_transform(theirs.transform(space.vectors))
    assert found.squared_error(space.vectors) == pytest.approx(
        np.square(back - space.vectors).mean(), rel=1e-5
    )


def test_words_counts_and_splitting_stay():
    space = random_space()
    space.split = str.split
    reduced = reduce_dimensions(space, 2).vectors
    assert reduced.index_to_key == space.index_to_key
    assert reduced.counts.tolist() == space.counts.tolist()
    assert reduced.split is str.split
    assert reduced.vectors.dtype == np.float32


def test_unseen_words_are_reduced_with_their_ngrams():
    space = with_ngrams()
    reduced = reduce_dimensions(space, 2)
    assert "cats" not in space
    np.testing.assert_allclose(
        reduced.vectors["cats"], space["cats"] @ reduced.directions, atol=1e-6
    )


@pytest.mark.parametrize("dim", [0, -1, 9])
def test_dimensions_that_cannot_be(dim):
    sentence = rf"^dim = {dim}: 200 words of 8 dimensions can be reduced to 1 to 8\.$"
    with pytest.raises(SettingError, match=sentence):
        reduce_dimensions(random_space(), dim)
    with pytest.raises(SettingError, match="5 words of 8 dimensions can be reduced to 1 to 5"):
        reduce_dimensions(random_space(5), 6)


def test_the_mean_stays_in_ngrams():
    with pytest.raises(SettingError, match=r"mean cannot be taken out of n-grams; .* such as"):
        reduce_dimensions(with_ngrams(), 2, remove_mean=True)
