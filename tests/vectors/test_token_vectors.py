"""Static vectors of tokens: means of texts, words of several tokens, and searching."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError, SettingError
from foretext.vectors import token_vectors
from foretext.vectors.token_vectors import TokenVectors
from tests.vectors.static_folders import DIM, TEXTS, drawn_vectors


def by_hand(vectors: TokenVectors, text: str) -> np.ndarray:
    unknown = vectors.tokenizer.special.unknown
    ids = [token for token in vectors.tokenizer.encode(text) if token != unknown]
    return vectors.vectors[ids].mean(axis=0) if ids else np.zeros(DIM, np.float32)


@pytest.mark.parametrize("kind", ["wordpiece", "bpe", "word"])
def test_a_text_is_the_mean_of_its_tokens(kind: str) -> None:
    vectors = drawn_vectors(kind)
    expected = np.array([by_hand(vectors, text) for text in TEXTS])
    np.testing.assert_allclose(vectors.embed(TEXTS, normalize=False), expected, atol=1e-6)
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    unit = expected / np.where(lengths, lengths, 1)
    np.testing.assert_allclose(vectors.embed(TEXTS), unit, atol=1e-6)
    np.testing.assert_array_equal(vectors.transform(TEXTS), vectors.embed(TEXTS))


def test_many_texts_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = drawn_vectors()
    whole = vectors.embed(TEXTS * 5)
    monkeypatch.setattr(token_vectors, "TEXTS_AT_ONCE", 3)
    np.testing.assert_array_equal(vectors.embed(text for text in TEXTS * 5), whole)


def test_an_unknown_token_counts_where_it_is_said() -> None:
    plain, counting = drawn_vectors(), drawn_vectors(counts_unknown=True)
    unknown = counting.vectors[counting.tokenizer.special.unknown]
    assert not plain.embed(["☃"]).any()
    np.testing.assert_allclose(counting.embed(["☃"], normalize=False)[0], unknown, atol=1e-6)


def test_no_texts_and_what_is_no_text() -> None:
    vectors = drawn_vectors()
    assert vectors.embed([]).shape == (0, DIM)
    np.testing.assert_array_equal(vectors.embed("a ship"), vectors.embed(["a ship"])[0])
    with pytest.raises(SettingError, match="needs at least two texts"):
        vectors.embed("a ship", remove_component=True)
    with pytest.raises(CorpusError):
        vectors.embed([3])
    with pytest.raises(SettingError, match=r"weighting = 'sif' has no effect on vectors of tokens"):
        vectors.embed(["a ship"], weighting="sif")


def test_the_common_direction_is_taken_out() -> None:
    vectors = drawn_vectors()
    texts = TEXTS[:2] + TEXTS[4:]
    plain = vectors.embed(texts, normalize=False, remove_component=True)
    assert np.linalg.svd(plain)[1][-1] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("kind", ["wordpiece", "bpe"])
def test_a_word_of_several_tokens_has_their_mean(kind: str) -> None:
    vectors = drawn_vectors(kind)
    ship = vectors.tokenizer.tokens.index("ship" if kind == "wordpiece" else "Ġship")
    np.testing.assert_array_equal(vectors["ship"], vectors.vectors[ship])
    assert "kingship" not in vectors
    assert vectors.has_index_for("kingship")
    pieces = vectors.tokenizer.encode(" kingship")
    assert len(pieces) > 1
    np.testing.assert_allclose(vectors["kingship"], vectors.vectors[pieces].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(
        vectors[["ship", "kingship"]], [vectors["ship"], vectors["kingship"]], atol=1e-6
    )


def test_words_are_spelled_as_the_tokenizer_does() -> None:
    vectors = drawn_vectors()
    assert vectors.tokenizer.library.normalizer.normalize_str("Ship") == "ship"
    assert "Ship" in vectors
    np.testing.assert_array_equal(vectors["Ship"], vectors["ship"])
    assert vectors.most_similar("Ship", topn=2) == vectors.most_similar("ship", topn=2)


def test_pairs_of_words_that_are_no_tokens_are_compared(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("ship\tkingship\t9\nking\tqueen\t5\nseaship\tcastle\t1\n")
    found = drawn_vectors().evaluate_word_pairs(pairs)
    assert (found.num_pairs, found.num_composed) == (3, 2)


def test_a_row_for_each_token() -> None:
    vectors = drawn_vectors()
    with pytest.raises(SettingError, match="do not go together"):
        TokenVectors(vectors.tokenizer, vectors.vectors[1:])
    with pytest.raises(SettingError, match="NaN or an infinity"):
        TokenVectors(vectors.tokenizer, vectors.vectors * np.float32(np.nan))


def test_the_names_go_to_vector_files(tmp_path: Path) -> None:
    vectors = drawn_vectors("bpe")
    vectors.save(tmp_path / "vectors.safetensors")
    again = ft.load(tmp_path / "vectors.safetensors")
    np.testing.assert_array_equal(again["ship"], vectors["ship"])


def test_what_a_notebook_shows() -> None:
    vectors = drawn_vectors()
    assert repr(vectors).startswith(f"<TokenVectors: {len(vectors)} tokens x {DIM}: '[PAD]'")
    assert vectors.summary()["texts of length 1"] == "yes"
