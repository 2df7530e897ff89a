"""fastText's model files: real ones load, ours load in the real program, damaged ones say so.

``fasttext/`` holds two small models of the real program and the vectors it gives.
"""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError, UnknownWordError, VectorFileError
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

REAL = Path(__file__).parent / "fasttext"
EXPECTED = json.loads((REAL / "expected.json").read_text(encoding="utf-8"))
WHOLE = (REAL / "skipgram.bin").read_bytes()
SETTINGS = 8 + 12 * 4 + 8  # bytes of magic, version and settings; the dictionary follows
ASKED = ["banana", "naïve", "北京", "bananarama", "singer", "北海", "tönung"]


def vectors_with_ngrams(dim: int = 5) -> WordVectors:
    rng = np.random.default_rng(0)
    words = ["the", "naïve", "banana", "北京", "singing"]
    ngrams = CharacterNgrams(2, 5, 300)
    buckets = np.unique(ngrams.buckets(words)[1]).astype(np.int64)
    rows = (np.arange(len(buckets)) // 2).astype(np.int32)  # two buckets share a row
    vectors = rng.standard_normal((rows.max() + 1, dim)).astype(np.float32)
    subwords = SubwordVectors(ngrams, buckets, rows, vectors)
    own = rng.standard_normal((len(words), dim)).astype(np.float32)
    return WordVectors(words, subwords.word_vectors(words, own), [9, 7, 5, 3, 1], subwords)


def test_a_model_of_the_real_program() -> None:
    vectors = ft.load(REAL / "skipgram.bin")
    assert vectors.index_to_key == EXPECTED["words"]
    assert vectors.counts.tolist()[-1] == 20
    for word, expected in EXPECTED["skipgram"].items():
        np.testing.assert_allclose(vectors[word], expected, atol=1e-6, err_msg=word)
    assert "bananarama" not in vectors


def test_a_supervised_model_of_the_real_program() -> None:
    vectors = ft.load(REAL / "supervised.bin")
    assert set(vectors.index_to_key) == set(EXPECTED["supervised"])
    for word, expected in EXPECTED["supervised"].items():
        np.testing.assert_allclose(vectors[word], expected, atol=1e-6, err_msg=word)
    with pytest.raises(UnknownWordError):
        vectors["boat"]


@pytest.mark.parametrize("name", ["v.bin", "v.bin.gz"])
def test_what_is_written_reads_back(tmp_path: Path, name: str) -> None:
    ours = vectors_with_ngrams()
    ours.save(tmp_path / name)
    again = ft.load(tmp_path / name)
    assert again.index_to_key == ours.index_to_key
    assert again.counts.tolist() == ours.counts.tolist()
    np.testing.assert_allclose(again.vectors, ours.vectors, atol=1e-6)
    for word in ASKED:
        np.testing.assert_allclose(again[word], ours[word], atol=1e-6, err_msg=word)


def test_a_real_model_goes_through_unharmed(tmp_path: Path) -> None:
    ft.load(REAL / "skipgram.bin").save(tmp_path / "v.bin")
    again = ft.load(tmp_path / "v.bin")
    for word, expected in EXPECTED["skipgram"].items():
        np.testing.assert_allclose(again[word], expected, atol=1e-6, err_msg=word)


@pytest.mark.parametrize("ngrams", [True, False])
def test_the_real_program_reads_what_we_write(tmp_path: Path, ngrams: bool) -> None:
    fasttext = pytest.importorskip("fasttext")
    ours = vectors_with_ngrams()
    if not ngrams:
        ours = WordVectors(ours.index_to_key, ours.vectors)
    ours.save(tmp_path / "v.bin", "fasttext")
    theirs = fasttext.load_model(str(tmp_path / "v.bin"))
    assert theirs.words == ours.index_to_key
    for word in ASKED if ngrams else ours.index_to_key:
        np.testing.assert_allclose(theirs.get_word_vector(word), ours[word], atol=1e-5)


def test_we_read_what_the_real_program_writes(tmp_path: Path) -> None:
    fasttext = pytest.importorskip("fasttext")
    text = tmp_path / "text.txt"
    text.write_text("the naïve banana sang to 北京 while the singer slept\n" * 30, encoding="utf-8")
    for model in ("skipgram", "cbow"):
        theirs = fasttext.train_unsupervised(
            str(text), model=model, dim=7, bucket=500, minCount=1, thread=12, verbose=0
        )
        theirs.save_model(str(tmp_path / "v.bin"))
        ours = ft.load(tmp_path / "v.bin")
        for word in [*theirs.words, *ASKED]:
            np.testing.assert_allclose(ours[word], theirs.get_word_vector(word), atol=1e-6)


def test_a_limit_keeps_all_ngrams() -> None:
    vectors = WordVectors.load(REAL / "skipgram.bin", limit=2)
    assert len(vectors) == 2
    np.testing.assert_allclose(vectors["singer"], EXPECTED["skipgram"]["singer"], atol=1e-6)


def test_both_kinds_of_bin_are_told_apart(tmp_path: Path) -> None:
    ours = vectors_with_ngrams()
    ours.save(tmp_path / "fasttext.bin")
    ours.save(tmp_path / "word2vec.bin", "word2vec-bin")
    assert ft.load(tmp_path / "fasttext.bin").subwords is not None
    assert ft.load(tmp_path / "word2vec.bin").subwords is None
    assert ft.load(tmp_path / "word2vec.bin").index_to_key == ours.index_to_key


def test_safetensors_keep_ngrams_to_the_bit(tmp_path: Path) -> None:
    ours = vectors_with_ngrams()
    ours.save(tmp_path / "v.safetensors")
    again = ft.load(tmp_path / "v.safetensors")
    np.testing.assert_array_equal(again.vectors, ours.vectors)
    for word in ASKED:
        np.testing.assert_array_equal(again[word], ours[word])


def patched(offset: int, layout: str, *values: float) -> bytes:
    content = bytearray(WHOLE)
    struct.pack_into(layout, content, offset, *values)
    return bytes(content)


DAMAGED = {
    "another version": (patched(4, "<i", 13), r"this is version 13 of fastText's files, and"),
    "no dimensions": (patched(8, "<i", 0), r"0 dimensions, 20 buckets .* the file is damaged"),
    "other dimensions": (patched(8, "<i", 5), r"a matrix of 34 x 4 stands where rows of 5 do"),
    "more buckets": (patched(8 + 8 * 4, "<i", 21), r"34 rows are too few for 14 words"),
    "no words": (patched(SETTINGS, "<i", 0), r"14 words and 0 labels are not 0 entries"),
    "a label among words": (
        patched(SETTINGS + 28 + WHOLE[SETTINGS + 28 :].index(b"\0") + 9, "<b", 1),
        r"entry 1 of the dictionary is not of the kind it must",
    ),
}
QUANTISED = WHOLE.index(struct.pack("<2q", 34, 4)) - 1


@pytest.mark.parametrize("case", DAMAGED)
def test_damage(tmp_path: Path, case: str) -> None:
    content, sentence = DAMAGED[case]
    (tmp_path / "v.bin").write_bytes(content)
    with pytest.raises(VectorFileError, match=sentence) as caught:
        ft.load(tmp_path / "v.bin")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [6, 40, SETTINGS + 5, SETTINGS + 40, 500, len(WHOLE) - 1])
def test_a_file_that_is_cut_off(tmp_path: Path, size: int) -> None:
    (tmp_path / "v.bin").write_bytes(WHOLE[:size])
    with pytest.raises(VectorFileError, match="this fastText model is cut off"):
        ft.load(tmp_path / "v.bin")


def test_a_quantised_model(tmp_path: Path) -> None:
    (tmp_path / "v.ftz").write_bytes(patched(QUANTISED, "<b", 1))
    with pytest.raises(VectorFileError, match="is quantised"):
        ft.load(tmp_path / "v.ftz")


def test_another_file_under_this_name(tmp_path: Path) -> None:
    (tmp_path / "v.bin").write_bytes(b"2 3\n" + bytes(100))
    with pytest.raises(VectorFileError, match="this is no fastText model"):
        WordVectors.load(tmp_path / "v.bin", "fasttext")


def test_packed(tmp_path: Path) -> None:
    (tmp_path / "v.bin.gz").write_bytes(gzip.compress(WHOLE))
    assert ft.load(tmp_path / "v.bin.gz").index_to_key == EXPECTED["words"]


def test_words_that_the_format_cannot_hold(tmp_path: Path) -> None:
    vectors = WordVectors(["New York"], np.ones((1, 3)))
    with pytest.raises(VectorFileError, match="the word 'New York' cannot be written"):
        vectors.save(tmp_path / "v.bin", "fasttext")


def test_vectors_without_ngrams_have_none(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="these vectors have no n-grams"):
        WordVectors(["a"], np.ones((1, 3))).nearest_ngrams("a")


def test_ngrams_that_do_not_go_together(tmp_path: Path) -> None:
    ours = vectors_with_ngrams()
    ours.subwords.rows[0] = 99
    ours.save(tmp_path / "v.safetensors")
    with pytest.raises(VectorFileError, match="the tensors of its n-grams do not go together"):
        ft.load(tmp_path / "v.safetensors")
