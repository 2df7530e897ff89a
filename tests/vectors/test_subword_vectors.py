"""Words that were never met: their vectors, neighbours and texts."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import UnknownWordError
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

NGRAMS = CharacterNgrams(3, 4, 100_000)
WORDS = ["walk", "walks", "talk", "sing", "北京"]


@pytest.fixture
def vectors() -> WordVectors:
    rng = np.random.default_rng(0)
    buckets = np.unique(NGRAMS.buckets(WORDS)[1]).astype(np.int64)
    rows = rng.standard_normal((len(buckets), 8)).astype(np.float32)
    subwords = SubwordVectors(NGRAMS, buckets, np.arange(len(buckets), dtype=np.int32), rows)
    own = rng.standard_normal((len(WORDS), 8)).astype(np.float32)
    return WordVectors(WORDS, subwords.word_vectors(WORDS, own), [9, 8, 7, 6, 5], subwords)


def mean_of(vectors: WordVectors, word: str) -> np.ndarray:
    """By hand: the known n-grams' vectors over the number of all n-grams."""
    known = [vector for _, vector in vectors.subwords.of(word)]
    return np.sum(known, axis=0) / len(NGRAMS.of(word))


def test_an_unseen_word_is_the_mean_of_its_ngrams(vectors: WordVectors) -> None:
    known = [ngram for ngram, _ in vectors.subwords.of("talks")]
    assert known == ["<ta", "<tal", "tal", "talk", "alk", "alks", "lks", "lks>", "ks>"]
    np.testing.assert_allclose(vectors["talks"], mean_of(vectors, "talks"), atol=1e-6)
    assert np.linalg.norm(vectors.get_vector("talks", norm=True)) == pytest.approx(1, abs=1e-5)


def test_ngrams_that_never_occurred_count_as_zero(vectors: WordVectors) -> None:
    assert len(vectors.subwords.of("walkman")) < len(NGRAMS.of("walkman"))
    np.testing.assert_allclose(vectors["walkman"], mean_of(vectors, "walkman"), atol=1e-6)


def test_own_rows_come_back(vectors: WordVectors) -> None:
    own = vectors.subwords.word_rows(WORDS, vectors.vectors)
    np.testing.assert_allclose(
        vectors.subwords.word_vectors(WORDS, own), vectors.vectors, atol=1e-6
    )


def test_in_means_in_the_vocabulary(vectors: WordVectors) -> None:
    assert "walk" in vectors
    assert "talks" not in vectors


def test_a_word_without_known_ngrams_is_unknown(vectors: WordVectors) -> None:
    with pytest.raises(UnknownWordError, match="'xyz' is not in the vocabulary"):
        vectors["xyz"]
    with pytest.raises(UnknownWordError):
        vectors.most_similar("xyz")
    with pytest.raises(UnknownWordError):
        vectors.neighbors(["walk", "xyz"])


def test_search_takes_unseen_words(vectors: WordVectors) -> None:
    near = vectors.most_similar("talks", topn=len(WORDS))
    assert len(near) == len(WORDS)  # nothing is left out: the query is not among them
    assert near[0][1] == pytest.approx(vectors.similarity("talks", near[0][0]), abs=1e-6)
    batch = vectors.neighbors(["talks", "walk"], topn=3)
    assert [word for word, _ in batch[0]] == [word for word, _ in near[:3]]
    assert "walk" not in dict(batch[1])
    assert vectors.analogy("walk", "walks", "talks", topn=1)
    assert vectors.doesnt_match(["walk", "talks", "sing"])
    assert vectors[["talks", "walk"]].shape == (2, 8)
    assert vectors.rank("talks", near[0][0]) == 1


def test_nearest_ngrams(vectors: WordVectors) -> None:
    names = {ngram for word in WORDS for ngram in NGRAMS.of(word)}
    near = vectors.nearest_ngrams("walking", topn=4)
    assert {ngram for ngram, _ in near} <= names
    scores = [score for _, score in near]
    assert scores == sorted(scores, reverse=True)
    by_hand = {
        ngram: float(
            vector
            @ vectors["walking"]
            / np.linalg.norm(vector)
            / np.linalg.norm(vectors["walking"])
        )
        for word in WORDS
        for ngram, vector in vectors.subwords.of(word)
    }
    assert near[0][1] == pytest.approx(max(by_hand.values()), abs=1e-5)
    assert by_hand[near[0][0]] == pytest.approx(near[0][1], abs=1e-5)


def test_texts_with_unseen_words(vectors: WordVectors) -> None:
    found = vectors.embed(["walk talks, xyz", "xyz", "Walk"])
    np.testing.assert_allclose(found[0], (vectors["walk"] + vectors["talks"]) / 2, atol=1e-6)
    assert not found[1].any()
    np.testing.assert_allclose(found[2], vectors["walk"], atol=1e-6)
    assert vectors.embed([]).shape == (0, 8)


def test_an_unseen_word_weighs_one_in_sif(vectors: WordVectors) -> None:
    found = vectors.embed(["walk talks"], "sif", a=0.1)
    weight = 0.1 / (0.1 + 9 / 35)
    np.testing.assert_allclose(
        found[0], (weight * vectors["walk"] + vectors["talks"]) / 2, atol=1e-6
    )


def test_no_buckets_at_all() -> None:
    empty = SubwordVectors(
        NGRAMS, np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros((0, 8), np.float32)
    )
    assert empty.vector("walk") is None
