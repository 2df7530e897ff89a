from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from foretext.report.word_map import MAP_SIZE, NAME_HEIGHT, content_words, example_word, word_points
from foretext.vectors.word_vectors import WordVectors


def letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:04}")


def two_kinds(number: int, size: int = 12) -> WordVectors:
    """Words around two far directions in turn, and vectors (V, D)."""
    rng = np.random.default_rng(0)
    centres = np.eye(size)[:2] * 4
    vectors = centres[np.arange(number) % 2] + 0.3 * rng.normal(size=(number, size))
    return WordVectors([letters(i) for i in range(number)], vectors, np.arange(number, 0, -1))


def test_content_words_in_order() -> None:
    words = ["the", "king", "42", ",", "of", "don't", "New_York", "我", "in", "Straße", "x2", "ab"]
    vectors = WordVectors(words, np.eye(len(words)))
    assert content_words(vectors) == ["king", "don't", "我", "Straße"]
    assert content_words(vectors, 1) == ["king"]


@pytest.mark.parametrize("number", [20, 80])  # principal components alone, and t-SNE
def test_like_words_lie_together(number: int) -> None:
    vectors = two_kinds(number)
    points = word_points(vectors, vectors.index_to_key)
    places = np.array([(point["x"], point["y"]) for point in points])
    assert places.min() == 0
    assert places.max() == 1
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(number)
    assert np.mean(apart.argmin(axis=1) % 2 == np.arange(number) % 2) > 0.95
    assert points[0]["count"] == number
    assert points[0]["nearest"].split(", ")[0] == vectors.most_similar(points[0]["word"])[0][0]


def test_a_seed_gives_one_map() -> None:
    vectors = two_kinds(60)
    first, second, other = (word_points(vectors, vectors.index_to_key, seed=s) for s in (1, 1, 2))
    assert first == second
    assert first != other


def test_names_shown_at_first_do_not_overlap() -> None:
    vectors = two_kinds(120)
    shown = [p for p in word_points(vectors, vectors.index_to_key) if p["level"] == 1]
    assert shown[0]["word"] == vectors.index_to_key[0]  # the most frequent comes first
    assert 1 < len(shown) < 120
    boxes = np.array([(p["x"] * MAP_SIZE[0], p["y"] * MAP_SIZE[1]) for p in shown])
    apart = np.abs(boxes[:, None] - boxes[None])
    width = 4 * 6.2
    overlap = (apart[..., 0] < width) & (apart[..., 1] < NAME_HEIGHT - 1)
    assert not np.any(overlap & ~np.eye(len(shown), dtype=bool))


def test_odd_vocabularies_have_a_map_too() -> None:
    same = WordVectors([letters(i) for i in range(60)], np.ones((60, 5)))
    assert len(word_points(same, same.index_to_key)) == 60
    thin = WordVectors([letters(i) for i in range(60)], np.arange(60.0)[:, None])
    assert len(word_points(thin, thin.index_to_key)) == 60
    assert word_points(thin, thin.index_to_key[:2]) == []
    assert word_points(thin, thin.index_to_key[:4])[0]["count"] is None


def zipf(words: list[str], number: int = 600) -> WordVectors:
    """The words in this order, then others that nobody would choose."""
    every = [*words, *(f"{i}" for i in range(number - len(words)))]
    return WordVectors(every, np.ones((number, 2)))


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (["the", "of", *(f"{i}x" for i in range(60)), "have", "cat", "house", "tree"], "house"),
        (["der", "nicht", "werden", *(f"{i}x" for i in range(60)), "Zeit", "Haus"], "Zeit"),
        (["的", "我们", *(f"{i}x" for i in range(60)), "是", "中国"], "中国"),
        (["the", "cat"], "cat"),
        (["the", "of"], "the"),
    ],
)
def test_the_example_is_a_word_that_means_something(words: list[str], example: str) -> None:
    assert example_word(zipf(words)) == example


def test_a_tiny_vocabulary_has_an_example_too() -> None:
    assert example_word(WordVectors(["the", "of"], np.ones((2, 2)))) == "the"


@pytest.mark.slow
def test_the_map_imports_no_library_of_learning(tmp_path: Path) -> None:
    """scikit-learn took three CPU-seconds to import, half of what writing a page took."""
    code = """
from sys import modules

import numpy as np

from foretext.report.word_map import word_points
from foretext.vectors.word_vectors import WordVectors

words = [chr(97 + i // 26) + chr(97 + i % 26) + "x" for i in range(60)]
vectors = WordVectors(words, np.random.default_rng(0).normal(size=(60, 5)))
assert len(word_points(vectors, words)) == 60
assert not {"sklearn", "scipy", "torch"} & modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_colours_are_those_of_like_words() -> None:
    vectors = two_kinds(120)
    points = word_points(vectors, vectors.index_to_key)
    assert [point["group"] for point in points] in ([0, 1] * 60, [1, 0] * 60)
