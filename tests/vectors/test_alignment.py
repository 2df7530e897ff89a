"""Turning one space onto another: scipy's rotation, and rotations that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from foretext.base.errors import SettingError, UnknownWordError
from foretext.vectors import alignment
from foretext.vectors.alignment import align_vectors, best_rotation, common_words
from foretext.vectors.word_vectors import WordVectors
from tests.vectors.spaces import random_space, rotation, with_ngrams


def turned(space: WordVectors, by: np.ndarray) -> WordVectors:
    return WordVectors(space.index_to_key, space.vectors @ by, space.counts, space.subwords)


def test_the_rotation_is_scipys():
    source, target = random_space(seed=1).vectors, random_space(seed=2).vectors
    theirs, scale = orthogonal_procrustes(source.astype(np.float64), target.astype(np.float64))
    np.testing.assert_allclose(best_rotation(source, target), theirs, atol=1e-10)
    found = align_vectors(random_space(seed=1), random_space(seed=2), unit_length=False)
    squares = np.square(source).sum() + np.square(target).sum() - 2 * scale
    assert found.residual == pytest.approx(np.sqrt(squares / 200), rel=1e-5)


def test_blocks_of_rows_do_not_matter(monkeypatch):
    whole = align_vectors(random_space(seed=1), random_space(seed=2))
    monkeypatch.setattr(alignment, "_BLOCK_ROWS", 7)
    parts = align_vectors(random_space(seed=1), random_space(seed=2))
    np.testing.assert_allclose(parts.rotation, whole.rotation, atol=1e-10)
    assert parts.residual == pytest.approx(whole.residual)


def test_a_space_that_was_turned_comes_back():
    target = random_space()
    found = align_vectors(turned(target, rotation(8)), target)
    np.testing.assert_allclose(found.rotation, rotation(8).T, atol=1e-6)
    np.testing.assert_allclose(found.vectors.vectors, target.vectors, atol=1e-5)
    assert found.residual < 1e-6


def test_lengths_count_only_when_asked():
    source, target = random_space(seed=1), random_space(seed=2)
    longer = WordVectors(target.index_to_key, target.vectors * np.arange(1, 201)[:, None])
    by_direction = align_vectors(source, target).rotation
    np.testing.assert_allclose(align_vectors(source, longer).rotation, by_direction, atol=1e-6)
    by_length = align_vectors(source, longer, unit_length=False).rotation
    assert np.abs(by_length - by_direction).max() > 0.01


def test_the_rotation_is_found_on_common_words_and_turns_all():
    target = random_space()
    keys = [*target.index_to_key[:150], *(f"other{number}" for number in range(50))]
    source = WordVectors(keys, target.vectors @ rotation(8))
    found = align_vectors(source, target)
    assert found.words == common_words(source, target) == target.index_to_key[:150]
    assert found.vectors.index_to_key == keys
    np.testing.assert_allclose(found.vectors["other49"], target["w199"], atol=1e-5)


def test_words_may_be_chosen():
    source, target = random_space(seed=1), random_space(seed=2)
    words = source.index_to_key[:20]
    expected = align_vectors(WordVectors(words, source[words]), target).rotation
    np.testing.assert_allclose(align_vectors(source, target, words=words).rotation, expected)
    with pytest.raises(UnknownWordError, match="'nowhere' is not in the vocabulary"):
        align_vectors(source, target, words=[*words, "nowhere"])


def test_unseen_words_are_turned_with_their_ngrams():
    space = with_ngrams()
    found = align_vectors(space, turned(space, rotation(4)))
    np.testing.assert_allclose(found.vectors["cats"], space["cats"] @ rotation(4), atol=1e-5)


def test_spaces_that_cannot_be_aligned():
    with pytest.raises(SettingError, match=r"of 8 and of 5 dimensions cannot be aligned; reduce"):
        align_vectors(random_space(), random_space(dim=5))
    with pytest.raises(SettingError, match=r"only 7 words to align 8 dimensions by, .* check that"):
        align_vectors(random_space(), random_space(7))
    strangers = WordVectors(["x"] + [f"y{i}" for i in range(199)], random_space().vectors)
    with pytest.raises(SettingError, match="only 0 words"):
        align_vectors(random_space(), strangers)
