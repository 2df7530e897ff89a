"""Vectors that are cut to their first numbers."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.vectors.text_embedding import idf_weights, shortened
from foretext.vectors.word_vectors import WordVectors

WORDS = ["the", "king", "sleeps", "U.S."]
MATRIX = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 3], [4, 4, 4]], np.float32)
VECTORS = WordVectors(WORDS, MATRIX, counts=[60, 30, 9, 1])

LONG_VECTORS = np.array([[3.0, 4.0, 12.0], [0.0, 0.0, 1.0]], np.float32)


def test_the_mean_of_known_words():
    found = VECTORS.embed(["the king", "the   the zebra", "zebra", ""])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[0.5, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize("text", ["king", "King", "“King”,", "(king)", "U.S.", "U.S.)"])
def test_words_are_tried_as_written_small_and_bare(text):
    word = "U.S." if "U" in text and text != "U.S.)" else "king"
    expected = np.zeros(3) if text == "U.S.)" else VECTORS[word]  # bare it is U.S, another word
    np.testing.assert_array_equal(VECTORS.embed([text])[0], expected)


def test_texts_of_length_1_where_that_is_wanted():
    texts = ["the king", "zebra"]
    found = VECTORS.embed(texts, normalize=True)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1, 0])
    np.testing.assert_allclose(found[0] * np.linalg.norm(VECTORS.embed(texts)[0]), [0.5, 1, 0])


def test_weights_of_words_that_are_given():
    weights = np.array([0, 1, 0.5, 0], np.float32)
    found = VECTORS.embed(["the king", "the king sleeps king"], weights)
    np.testing.assert_allclose(found, [[0, 1, 0], [0, 1, 0.375]])


def test_idf_of_words():
    num_with = VECTORS.num_texts_with(["the king the", "the", "zebra", ""])
    assert num_with.tolist() == [2, 1, 0, 0]
    weights = idf_weights(num_with, 4)
    assert weights[2] == weights[3] == 1
    assert weights[0] == pytest.approx(np.log(1 + 2.5 / 2.5) / np.log(1 + 4.5 / 0.5))
    assert weights[0] < weights[1] < 1


def test_sizes_of_texts_in_words():
    assert VECTORS.text_sizes(["the zebra  sleeps", ""]) == [3, 0]


def test_a_tokenizer_of_ones_own_is_taken_at_its_word():
    vectors = WordVectors(WORDS, MATRIX, split=lambda text: text.split("|"))
    np.testing.assert_allclose(vectors.embed(["the|king|King"]), [[0.5, 1, 0]])


def test_sif_by_hand():
    found = VECTORS.embed(["the king"], "sif", a=0.1)
    weights = 0.1 / (0.1 + np.array([0.6, 0.3]))
    np.testing.assert_allclose(found, [[weights[0] / 2, 2 * weights[1] / 2, 0]], rtol=1e-6)


def test_nothing_is_left_along_the_common_direction():
    texts = ["the king", "the sleeps", "king sleeps", "the"]
    plain, removed = VECTORS.embed(texts), VECTORS.embed(texts, remove_component=True)
    direction = np.linalg.eigh(plain.T @ plain)[1][:, -1]
    np.testing.assert_allclose(removed @ direction, 0, atol=1e-6)
    np.testing.assert_allclose(removed, plain - np.outer(plain @ direction, direction), atol=1e-6)


def test_no_texts_give_no_rows():
    assert VECTORS.embed([]).shape == (0, 3)


def test_what_cannot_be_embedded():
    assert VECTORS.embed("the king").tolist() == VECTORS.embed(["the king"])[0].tolist()
    with pytest.raises(SettingError, match="there are 'mean' and 'sif'"):
        VECTORS.embed(["a"], "tfidf")
    with pytest.raises(SettingError, match="needs counts of the words"):
        WordVectors(WORDS, MATRIX).embed(["a"], "sif")
    with pytest.raises(SettingError, match="at least two texts"):
        VECTORS.embed(["the"], remove_component=True)


@pytest.mark.parametrize("weighting", ["mean", np.ones(3, np.float32)])
def test_a_sum_that_is_too_large_changes_only_its_own_text(weighting):
    rows = np.array([[3e38, 1], [2e38, 3], [1, 2]], np.float32)
    embedded = WordVectors(["a", "b", "c"], rows).embed(["c", "a b", ""], weighting=weighting)
    np.testing.assert_allclose(embedded, [[1, 2], [2.5e38, 2], [0, 0]], rtol=1e-6)


def test_they_are_cut_first_and_scaled_then() -> None:
    found = shortened(LONG_VECTORS.copy(), 2, normalize=True)
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_array_equal(
        shortened(LONG_VECTORS.copy(), 2, normalize=False), LONG_VECTORS[:, :2]
    )
    np.testing.assert_array_equal(
        shortened(LONG_VECTORS.copy(), None, normalize=False), LONG_VECTORS
    )


@pytest.mark.parametrize("dim", [0, 4, -1])
def test_there_are_so_many_numbers(dim: int) -> None:
    with pytest.raises(SettingError, match=rf"dim = {dim}: the vectors have 3 numbers; use 1 to 3"):
        shortened(LONG_VECTORS.copy(), dim, normalize=True)
