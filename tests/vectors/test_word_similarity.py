"""Similarities of words are gensim's, and queries follow the case of the vocabulary."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError, UnknownWordError
from foretext.vectors.example_words import example_words
from foretext.vectors.word_vectors import WordVectors
from tests.lazy_import import lazy_import

gensim_models = lazy_import("gensim.models")

WORDS = [f"word{number}" for number in range(40)]


@pytest.fixture(scope="module")
def matrix() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((40, 6)).astype(np.float32)


@pytest.fixture(scope="module")
def ours(matrix: np.ndarray) -> WordVectors:
    return WordVectors(WORDS, matrix, np.arange(40, 0, -1))


@pytest.fixture(scope="module")
def theirs(matrix: np.ndarray) -> Any:
    vectors = gensim_models.KeyedVectors(6)
    vectors.add_vectors(WORDS, matrix)
    return vectors


def same_ranking(found: list[tuple[str, float]], expected: list[tuple[str, float]]) -> None:
    assert [word for word, _ in found] == [word for word, _ in expected]
    scores = [score for _, score in expected]
    assert [score for _, score in found] == pytest.approx(scores, rel=1e-5, abs=1e-6)


@pytest.mark.filterwarnings("ignore:Call to deprecated")  # gensim's own call of its own method
@pytest.mark.parametrize(
    ("positive", "negative", "more"),
    [
        (["word1"], [], {}),
        ("word1", "word2", {"topn": 3}),
        (["word1", "word2"], ["word3"], {"restrict_vocab": None}),
    ],
)
def test_products_of_similarities(
    ours: WordVectors, theirs: Any, positive: list[str], negative: list[str], more: dict
) -> None:
    expected = theirs.most_similar_cosmul(positive, negative, **more)
    same_ranking(ours.most_similar_cosmul(positive, negative, **more), expected)


@pytest.mark.filterwarnings("ignore:Call to deprecated")
def test_products_of_similarities_with_a_vector(ours: WordVectors, theirs: Any) -> None:
    vector = ours.get_vector("word5", norm=True)
    expected = theirs.most_similar_cosmul([vector, "word1"])
    same_ranking(ours.most_similar_cosmul([vector, "word1"]), expected)
    with pytest.raises(SettingError, match="at least one positive"):
        ours.most_similar_cosmul(negative=["word1"])
    with pytest.raises(SettingError, match="no weights"):
        ours.most_similar_cosmul([("word1", 0.5)])


@pytest.mark.parametrize("restrict_vocab", [None, 20])
def test_neighbours_by_word_and_by_vector(
    ours: WordVectors, theirs: Any, matrix: np.ndarray, restrict_vocab: int | None
) -> None:
    for name in ("similar_by_word", "similar_by_key"):
        expected = getattr(theirs, name)("word3", 4, restrict_vocab)
        same_ranking(getattr(ours, name)("word3", 4, restrict_vocab), expected)
    query = matrix[3] + matrix[4]
    expected = theirs.similar_by_vector(query, 4, restrict_vocab)
    same_ranking(ours.similar_by_vector(query, 4, restrict_vocab), expected)


def test_distances(ours: WordVectors, theirs: Any, matrix: np.ndarray) -> None:
    assert ours.distance("word1", "word2") == pytest.approx(theirs.distance("word1", "word2"))
    for query in ("word1", matrix[7]):
        np.testing.assert_allclose(ours.distances(query), theirs.distances(query), atol=1e-6)
        some = ["word4", "word2"]
        np.testing.assert_allclose(
            ours.distances(query, some), theirs.distances(query, some), atol=1e-6
        )


def test_means_and_sets_of_words(ours: WordVectors, theirs: Any) -> None:
    some, others = ["word1", "word2", "word3"], ["word9", "unknown", "word1"]
    assert ours.n_similarity(some, others) == pytest.approx(
        float(theirs.n_similarity(some, others)), abs=1e-6
    )
    for options in (
        {},
        {"pre_normalize": False},
        {"post_normalize": True},
        {"weights": [1, -2, 3]},
    ):
        np.testing.assert_allclose(
            ours.get_mean_vector(others, **options),
            theirs.get_mean_vector(others, **options),
            atol=1e-6,
        )
    with pytest.raises(SettingError, match="0 words"):
        ours.n_similarity([], some)
    with pytest.raises(UnknownWordError):
        ours.get_mean_vector(others, ignore_missing=False)
    given = ["word7", "word8", "word9"]
    assert ours.most_similar_to_given("word1", given) == theirs.most_similar_to_given(
        "word1", given
    )


def test_ranks(ours: WordVectors, theirs: Any) -> None:
    assert ours.rank("word1", "word2") == theirs.rank("word1", "word2")
    assert ours.closer_than("word1", "word2") == theirs.closer_than("word1", "word2")


def test_rows_and_counts(ours: WordVectors, theirs: Any) -> None:
    assert ours.get_index("word4") == theirs.get_index("word4") == ours.vocab["word4"]
    assert ours.get_index("unknown", default=-1) == -1
    assert ours.has_index_for("word4")
    assert not ours.has_index_for("unknown")
    assert ours.get_vecattr("word4", "count") == 36
    with pytest.raises(UnknownWordError):
        ours.get_index("unknown")
    with pytest.raises(SettingError, match="these vectors do not have it"):
        ours.get_vecattr("word4", "sample")


def test_word_movers_distance_is_the_best_plan(ours: WordVectors) -> None:
    """Of equally many words that occur once, the best plan is the best assignment."""
    first, second = WORDS[:4], WORDS[2:6]
    unit = ours.vectors / np.linalg.norm(ours.vectors, axis=1, keepdims=True)
    distances = np.linalg.norm(unit[:4, None] - unit[None, 2:6], axis=-1)
    best = min(
        distances[range(4), order].mean() for order in map(list, itertools.permutations(range(4)))
    )
    assert ours.wmdistance(first, second) == pytest.approx(best, abs=1e-6)
    raw = np.linalg.norm(ours.vectors[0] - ours.vectors[1])
    assert ours.wmdistance(["word0"], ["word1", "unknown"], norm=False) == pytest.approx(raw)
    assert ours.wmdistance("word0 word0 word1", "word1") == pytest.approx(
        2 / 3 * np.linalg.norm(unit[0] - unit[1]), abs=1e-6
    )
    assert ours.wmdistance(first, first) == pytest.approx(0, abs=1e-6)
    assert ours.wmdistance(first, ["unknown"]) == float("inf")


def test_word_movers_distance_is_a_metric(ours: WordVectors) -> None:
    texts = ["word1 word2 word2", "word3 word4", "word5 word1"]
    far = ours.wmdistance(texts[0], texts[1])
    assert far == pytest.approx(ours.wmdistance(texts[1], texts[0]))
    assert far <= ours.wmdistance(texts[0], texts[2]) + ours.wmdistance(texts[2], texts[1])


class TestCase:
    """Where no word of the vocabulary has a capital, queries are in lower case."""

    lower = WordVectors(["merkel", "kohl", "café", "berlin"], np.eye(4)[:, ::-1] + 0.1)
    mixed = WordVectors(["Merkel", "kohl", "berlin"], np.eye(3) + 0.1)

    def test_queries_follow_the_vocabulary(self) -> None:
        assert "Merkel" in self.lower
        assert (self.lower["MERKEL"] == self.lower["merkel"]).all()
        assert (self.lower[["Merkel", "Kohl"]] == self.lower[["merkel", "kohl"]]).all()
        assert self.lower.most_similar("Merkel") == self.lower.most_similar("merkel")
        assert self.lower.neighbors(["Merkel"]) == self.lower.neighbors(["merkel"])
        assert self.lower.analogy("Merkel", "Kohl", "Berlin", 1)[0][0] == "café"
        assert self.lower.closer_than("Merkel", "Kohl") == self.lower.closer_than("merkel", "kohl")
        assert self.lower.get_index("Kohl") == 1
        assert self.lower.spelled("Merkel") == "merkel"
        assert self.lower.spelled("Brandt") == "Brandt"
        assert self.lower.spelled("Cafe\u0301") == "café"

    def test_a_vocabulary_with_capitals_is_taken_as_it_is(self) -> None:
        assert "Kohl" not in self.mixed
        assert "Merkel" in self.mixed
        with pytest.raises(UnknownWordError, match="Did you mean 'kohl'"):
            self.mixed.get_vector("Kohl")

    def test_unknown_words_stay_unknown(self) -> None:
        with pytest.raises(UnknownWordError, match="Brandt"):
            self.lower.most_similar("Brandt")
        assert 3 not in self.lower


def test_examples_are_frequent_words_with_a_topic_in_any_script() -> None:
    function_words = [f"the{number}" for number in range(100)]
    words = [*function_words, "city", "music", "1984", "river", "的", "经济", "well-known", "école"]
    assert example_words(words) == ["music", "river", "经济", "école"]


def test_examples_are_spread_over_the_frequent_words() -> None:
    letters = "abcdefghij"
    words = [f"word{one}{two}{three}" for one in letters for two in letters for three in letters]
    assert example_words(words, 3) == [words[100], words[400], words[700]]


def test_a_small_vocabulary_gives_what_it_has() -> None:
    assert example_words(["a", "an"]) == ["a", "an"]
    assert example_words([]) == []
