"""What a person who comes from gensim or fastText asks of word vectors has the same answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError, UnknownWordError
from foretext.vectors.neighbor_graph import NeighborIndex
from foretext.vectors.word_vectors import WordVectors
from tests.lazy_import import lazy_import
from tests.vectors.test_fasttext_files import vectors_with_ngrams

gensim_models = lazy_import("gensim.models")

WORDS = [f"word{number}" for number in range(40)]
MATRIX = np.random.default_rng(1).standard_normal((40, 6)).astype(np.float32)
COUNTS = np.arange(40, 0, -1)


@pytest.fixture(scope="module")
def ours() -> WordVectors:
    return WordVectors(WORDS, MATRIX, COUNTS)


@pytest.fixture
def theirs() -> Any:
    vectors = gensim_models.KeyedVectors(6)
    vectors.add_vectors(WORDS, MATRIX)
    for word, count in zip(WORDS, COUNTS.tolist(), strict=True):
        vectors.set_vecattr(word, "count", count)
    return vectors


def same_pairs(found: list[Any], expected: list[Any]) -> None:
    assert [word for _, word in found] == [word for _, word in expected]
    scores = [float(score) for score, _ in expected]
    assert [score for score, _ in found] == pytest.approx(scores, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("use_norm", [True, False])
def test_central_words(ours: WordVectors, theirs: Any, use_norm: bool) -> None:
    words = ["word3", "word1", "word17", "word5"]
    expected = theirs.rank_by_centrality(words, use_norm)
    same_pairs(ours.rank_by_centrality(words, use_norm), expected)
    with pytest.raises(SettingError, match="needs words"):
        ours.rank_by_centrality([])
    with pytest.raises(UnknownWordError):
        ours.rank_by_centrality(["word1", "none"])


@pytest.mark.parametrize("topn", [3, 10])
def test_relative_cosines(ours: WordVectors, theirs: Any, topn: int) -> None:
    expected = theirs.relative_cosine_similarity("word1", "word4", topn)
    found = ours.relative_cosine_similarity("word1", "word4", topn)
    assert found == pytest.approx(float(expected), rel=1e-5)
    with pytest.raises(SettingError, match="no neighbour"):
        ours.relative_cosine_similarity("word1", "word4", 0)


def test_unit_vectors(ours: WordVectors, theirs: Any) -> None:
    np.testing.assert_allclose(ours.get_normed_vectors(), theirs.get_normed_vectors(), rtol=1e-6)


def test_vectors_of_other_words(ours: WordVectors, theirs: Any) -> None:
    words = ["word9", "none", "word2", "word9"]
    expected = theirs.vectors_for_all(words, copy_vecattrs=True)
    found = ours.vectors_for_all(iter(words), copy_vecattrs=True)
    assert found.index_to_key == expected.index_to_key == ["word9", "word2"]
    np.testing.assert_array_equal(found.vectors, expected.vectors)
    assert [expected.get_vecattr(word, "count") for word in found] == found.counts.tolist()
    assert ours.vectors_for_all(words).counts is None
    with pytest.raises(SettingError, match="none of these 1 words"):
        ours.vectors_for_all(["none"])


def test_vectors_of_words_that_ngrams_compose() -> None:
    ours = vectors_with_ngrams()
    known, unseen = ours.index_to_key[0], ours.index_to_key[0] + "s"
    found = ours.vectors_for_all([unseen, known], copy_vecattrs=True)
    assert found.index_to_key == [unseen, known]
    np.testing.assert_allclose(found[unseen], ours[unseen])
    assert ours.vectors_for_all([unseen, known], allow_inference=False).index_to_key == [known]


@pytest.mark.parametrize("replace", [False, True])
def test_more_words(ours: WordVectors, theirs: Any, replace: bool) -> None:
    words, more = ["new", "word3", "newer"], np.arange(18, dtype=np.float32).reshape(3, 6)
    theirs.add_vectors(words, more, replace=replace)
    found = ours.with_vectors(words, more, replace=replace)
    assert found.index_to_key == theirs.index_to_key
    np.testing.assert_array_equal(found.vectors, theirs.vectors)
    assert found.get_vecattr("new", "count") == 0
    assert found.get_vecattr("word0", "count") == 40
    assert "new" not in ours
    assert (ours.vectors == MATRIX).all()
    assert (ours.with_vectors("new", more[0])["new"] == more[0]).all()


def test_more_words_of_another_size(ours: WordVectors) -> None:
    with pytest.raises(SettingError, match="vectors of 3 numbers cannot join vectors of 6"):
        ours.with_vectors("new", [1, 2, 3])
    with pytest.raises(SettingError, match="'a' is 2 times"):
        ours.with_vectors(["a", "a"], np.ones((2, 6)))


@pytest.mark.parametrize("binary", [False, True])
def test_gensims_name_of_a_file(
    ours: WordVectors, theirs: Any, tmp_path: Path, binary: bool
) -> None:
    ours.save_word2vec_format(tmp_path / "ours", binary=binary)
    theirs.save_word2vec_format(str(tmp_path / "theirs"), binary=binary)
    load = gensim_models.KeyedVectors.load_word2vec_format
    found, expected = (load(str(tmp_path / name), binary=binary) for name in ("ours", "theirs"))
    assert found.index_to_key == expected.index_to_key
    np.testing.assert_allclose(found.vectors, expected.vectors, rtol=1e-6)


def test_an_index_answers_in_place_of_the_exact_search(ours: WordVectors) -> None:
    pytest.importorskip("usearch")
    index = NeighborIndex.build(ours, quiet=True)
    query: dict[str, Any] = {"positive": ["word1", "word2"], "negative": ["word3"], "topn": 4}
    found, expected = ours.most_similar(**query, indexer=index), ours.most_similar(**query)
    assert [word for word, _ in found] == [word for word, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected])
    assert ours.most_similar("word1", topn=0, indexer=index) == []
    with pytest.raises(SettingError, match="of other vectors"):
        ours.with_vectors("new", MATRIX[0]).most_similar("new", indexer=index)
    with pytest.raises(SettingError, match="no effect on an index"):
        ours.most_similar("word1", restrict_vocab=5, indexer=index)
    with pytest.raises(SettingError, match="6 dimensions"):
        index.similar_by_vector([1.0, 2.0])


def test_gensim_has_the_vectors_without_a_file(ours: WordVectors) -> None:
    vectors = gensim_models.KeyedVectors(ours.vector_size)
    vectors.add_vectors(ours.index_to_key, ours.vectors)
    expected = vectors.most_similar("word1", topn=5)
    found = WordVectors(vectors.index_to_key, vectors.vectors).most_similar("word1", topn=5)
    assert [word for word, _ in found] == [word for word, _ in expected]


def test_answers_of_fasttexts_module(tmp_path: Path) -> None:
    fasttext = pytest.importorskip("fasttext", reason="fasttext is not installed: make clients")
    ours = vectors_with_ngrams()
    ours.save(tmp_path / "v.bin", "fasttext")
    theirs = fasttext.load_model(str(tmp_path / "v.bin"))
    a, b, c = ours.index_to_key[:3]
    assert theirs.get_dimension() == ours.vector_size
    assert [theirs.get_word_id(word) for word in ours] == [ours.get_index(word) for word in ours]
    same_pairs(
        [pair[::-1] for pair in ours.most_similar(a, topn=3)], theirs.get_nearest_neighbors(a, k=3)
    )
    # theirs is a - b + c, ours is b - a + c: names of countries and capitals change places
    same_pairs(
        [pair[::-1] for pair in ours.analogy(b, a, c, topn=2)], theirs.get_analogies(a, b, c, k=2)
    )
    sentence = ours.get_mean_vector([a, b, c])
    np.testing.assert_allclose(theirs.get_sentence_vector(f"{a} {b} {c}"), sentence, atol=1e-5)
    assert theirs.get_subwords(a)[0] == [a, *ours.subwords.ngrams.of(a)]
