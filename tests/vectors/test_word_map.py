"""Words as points of a plane."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import SettingError, UnknownWordError
from foretext.vectors.word_map import word_map
from foretext.vectors.word_vectors import WordVectors

RNG = np.random.default_rng(0)
WORDS = [f"w{number}" for number in range(30)]
VECTORS = WordVectors(WORDS, RNG.standard_normal((30, 8)))


def test_points_are_the_two_principal_components() -> None:
    points = word_map(VECTORS, WORDS[:9])
    unit = np.array([VECTORS.get_vector(word, norm=True) for word in WORDS[:9]])
    left, scale, _ = np.linalg.svd(unit - unit.mean(axis=0), full_matrices=False)
    expected = left[:, :2] * scale[:2]
    found = np.array([(point.x, point.y) for point in points])
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-5)
    assert points == word_map(VECTORS, WORDS[:9])


def test_words_that_are_near_come_along_once() -> None:
    points = word_map(VECTORS, ["w1", "w2", "w1"], 3)
    assert [point.word for point in points[:2]] == ["w1", "w2"]
    assert [point.given for point in points] == [True] * 2 + [False] * (len(points) - 2)
    near = {word for found in VECTORS.neighbors(["w1", "w2"], 3) for word, _ in found}
    assert {point.word for point in points} == near | {"w1", "w2"}
    assert len({point.word for point in points}) == len(points)


def test_a_word_alone_is_in_the_middle() -> None:
    [point] = word_map(VECTORS, ["w1"])
    assert (point.x, point.y) == (0.0, 0.0)


def test_vectors_of_one_number_lie_on_a_line() -> None:
    points = word_map(WordVectors(["a", "b"], [[1.0], [-1.0]]), ["a", "b"])
    assert [abs(point.x) for point in points] == [1.0, 1.0]
    assert [point.y for point in points] == [0.0, 0.0]


def test_what_has_no_vector_is_refused() -> None:
    with pytest.raises(UnknownWordError):
        word_map(VECTORS, ["w1", "xyzzy"])
    with pytest.raises(SettingError, match="at least one word"):
        word_map(VECTORS, [])
