from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError, UnknownWordError
from foretext.vectors.word_vectors import WordVectors
from tests.lazy_import import lazy_import

gensim_models = lazy_import("gensim.models")

WORDS = [f"word{number}" for number in range(200)]
MATRIX = np.random.default_rng(0).standard_normal((200, 12)).astype(np.float32)


@pytest.fixture
def ours() -> WordVectors:
    return WordVectors(WORDS, MATRIX)


@pytest.fixture(scope="module")
def gensim() -> Any:
    vectors = gensim_models.KeyedVectors(12)
    vectors.add_vectors(WORDS, MATRIX)
    return vectors


def assert_same(found: list[tuple[str, float]], expected: list[tuple[str, float]]) -> None:
    assert [word for word, _ in found] == [word for word, _ in expected]
    np.testing.assert_allclose([s for _, s in found], [s for _, s in expected], atol=1e-6)


QUERIES = [
    {"positive": "word7"},
    {"positive": ["word7"], "topn": 3},
    {"positive": ["word1", "word2"], "negative": ["word3"]},
    {"positive": ["word1"], "negative": "word2", "topn": 199},
    {"negative": ["word5"]},
    {"positive": [("word1", 0.3), "word2"], "negative": [("word3", -2.0)]},
    {"positive": MATRIX[3] * 5},
    {"positive": [MATRIX[3], "word9"], "negative": [(MATRIX[4], -0.5)]},
    {"positive": MATRIX[:2]},
    {"positive": ["word150"], "restrict_vocab": 40},
    {"positive": ["word1", "word1"]},
    {"positive": ["word1"], "topn": 0},
]


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_most_similar_as_in_gensim(ours, gensim, query):
    assert_same(ours.most_similar(**query), gensim.most_similar(**query))


def test_comparisons_as_in_gensim(ours, gensim):
    assert ours.similarity("word1", "word2") == pytest.approx(gensim.similarity("word1", "word2"))
    for words in (WORDS[:4], WORDS[5:9], WORDS[10:30]):
        assert ours.doesnt_match(words) == gensim.doesnt_match(words)
    assert ours.closer_than("word1", "word2") == gensim.closer_than("word1", "word2")
    assert ours.rank("word1", "word2") == gensim.rank("word1", "word2")
    np.testing.assert_allclose(
        ours.get_vector("word3", norm=True), gensim.get_vector("word3", norm=True), atol=1e-6
    )


def test_neighbors_are_most_similar_for_many(ours):
    found = ours.neighbors(WORDS, topn=5)
    assert len(found) == 200
    for word, expected in zip(WORDS, found, strict=True):
        assert_same(ours.most_similar(word, topn=5), expected)
    assert ours.neighbors([], topn=5) == []
    assert [len(pairs) for pairs in ours.neighbors(WORDS[:3], topn=1000)] == [199] * 3


def test_analogy_by_hand():
    vectors = WordVectors(
        ["man", "woman", "son", "daughter", "tree"],
        [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [-1, 0, 0]],
    )
    assert vectors.analogy("man", "woman", "son", topn=1)[0][0] == "daughter"
    assert len(vectors.analogy("man", "woman", "son")) == 2  # without the three asked for


def test_looking_up(ours):
    assert len(ours) == 200
    assert list(ours) == WORDS
    assert "word1" in ours
    assert "word" not in ours
    assert 3 not in ours
    assert ours.vector_size == 12
    np.testing.assert_array_equal(ours["word5"], MATRIX[5])
    np.testing.assert_array_equal(ours[["word5", "word0"]], MATRIX[[5, 0]])
    assert repr(ours) == "<WordVectors: 200 words x 12: 'word0', 'word1', 'word2', ...>"


def test_nothing_can_be_changed(ours):
    for array in (ours.vectors, ours["word1"], ours[["word1"]], ours.get_vector("word1", True)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    MATRIX[0, 0] += 0  # the caller's own array stays as it was


def test_a_vector_of_zeros_is_like_nothing():
    vectors = WordVectors(["a", "b", "zero"], [[1, 0], [1, 1], [0, 0]])
    assert vectors.similarity("a", "zero") == 0
    assert vectors.most_similar("zero", topn=1) == [("a", 0.0)]
    assert vectors.most_similar("a")[-1] == ("zero", 0.0)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_cosines_do_not_depend_on_the_length_of_vectors(scale):
    vectors = WordVectors(["a", "b"], np.array([[3, 4], [4, 3]]) * scale)
    assert vectors.similarity("a", "b") == pytest.approx(0.96)


def test_unknown_words_come_with_close_ones():
    vectors = WordVectors(["king", "USA", "queen", "kings"], np.eye(4))
    with pytest.raises(UnknownWordError, match=r"^'King' is not .* Did you mean 'king'\?$"):
        vectors["King"]
    with pytest.raises(UnknownWordError, match=r"'usa' is not .* Did you mean 'USA'\?"):
        vectors.most_similar(["king", "usa"])
    with pytest.raises(UnknownWordError, match=r"'quen' is not .* Did you mean 'queen'\?"):
        vectors.neighbors(["quen"])
    with pytest.raises(KeyError, match=r"'zzz' is not in the vocabulary\.$"):
        vectors.similarity("king", "zzz")


@pytest.mark.parametrize(
    ("words", "matrix", "counts", "sentence"),
    [
        ([], np.empty((0, 3)), None, "0 words and vectors of shape"),
        (["a"], [[]], None, r"1 word and vectors of shape \(1, 0\)"),
        (["a", "b"], [[1, 2]], None, r"2 words and vectors of shape \(1, 2\)"),
        (["a"], [1, 2], None, r"vectors of shape \(2,\)"),
        (["a"], [[1, 2]], [1, 2], r"1 word and counts of shape \(2,\)"),
        (["a", "b", "a"], np.eye(3), None, "'a' is 2 times among the words"),
        (["a", "b"], [[1, 2], [np.nan, 0]], None, "'b' holds NaN or an infinity"),
    ],
)
def test_what_does_not_go_together(words, matrix, counts, sentence):
    with pytest.raises(SettingError, match=sentence):
        WordVectors(words, matrix, counts)


def test_queries_that_cannot_be_answered(ours):
    with pytest.raises(SettingError, match="at least one word or vector"):
        ours.most_similar()
    with pytest.raises(SettingError, match=r"shape \(3,\) cannot be compared with .* 12 dim"):
        ours.most_similar(np.ones(3))
    with pytest.raises(SettingError, match="needs words to choose from"):
        ours.doesnt_match([])
