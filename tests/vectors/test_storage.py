"""Fewer bytes a number: what the files hold, how far they are off, and what is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import load_file, save_file

from foretext.base.errors import SettingError, VectorFileError
from foretext.vectors.storage import pack_vectors, storage_loss, unpack_vectors
from foretext.vectors.word_vectors import WordVectors
from tests.vectors.spaces import random_space, with_ngrams

FLOAT32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
MATRICES = arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=FLOAT32)


@given(MATRICES)
@example(np.array([[np.finfo(np.float32).max]], np.float32))  # its step, rounded up, is too large
def test_int8_is_off_by_half_a_step_at_most(vectors):
    packed = pack_vectors(vectors, "int8")
    assert packed["codes"].dtype == np.int8
    assert packed["codes"].min() >= -127
    stored = unpack_vectors(packed)["vectors"]
    step = np.abs(vectors).max(axis=1, keepdims=True).astype(np.float64) / 127
    slack = 127 * 2.0**-149  # of a scale that is no normal number
    assert (np.abs(stored.astype(np.float64) - vectors) <= step * 0.501 + slack).all()


def test_int8_by_hand():
    packed = pack_vectors(np.array([[1.27, -0.5, 0.004], [0, 0, 0]], np.float32), "int8")
    assert packed["codes"].tolist() == [[127, -50, 0], [0, 0, 0]]
    np.testing.assert_allclose(packed["scales"], [0.01, 0])


@pytest.mark.parametrize(("dtype", "share"), [("float32", 1.0), ("float16", 0.5), ("int8", 0.25)])
def test_files_shrink_and_load_by_their_content(tmp_path, dtype, share):
    space = random_space(2000, 64)
    space.save(tmp_path / "f", "safetensors")
    space.save(tmp_path / "any.name", "safetensors", dtype=dtype)
    numbers = (tmp_path / "f").stat().st_size - (tmp_path / "any.name").stat().st_size
    assert numbers / space.vectors.nbytes == pytest.approx(1 - share, abs=0.02)
    loaded = WordVectors.load(tmp_path / "any.name")
    assert loaded.vectors.dtype == np.float32
    assert loaded.index_to_key == space.index_to_key
    assert loaded.counts.tolist() == space.counts.tolist()
    np.testing.assert_allclose(
        loaded.vectors, space.vectors, atol=np.abs(space.vectors).max() / 250
    )


def test_the_tensors_are_of_the_types_they_say(tmp_path):
    random_space().save(tmp_path / "half.safetensors", dtype="float16")
    random_space().save(tmp_path / "codes.safetensors", dtype="int8")
    assert load_file(tmp_path / "half.safetensors")["vectors"].dtype == np.float16
    tensors = load_file(tmp_path / "codes.safetensors")
    assert {name: str(tensor.dtype) for name, tensor in tensors.items()} == {
        "codes": "int8",
        "scales": "float32",
        "words": "uint8",
        "counts": "int64",
    }


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_ngrams_shrink_too(tmp_path, dtype):
    space = with_ngrams()
    space.save(tmp_path / "v.safetensors", dtype=dtype)
    assert load_file(tmp_path / "v.safetensors").keys() & {"ngram_codes", "ngram_vectors"}
    loaded = WordVectors.load(tmp_path / "v.safetensors")
    np.testing.assert_allclose(loaded["cats"], space["cats"], atol=0.02)


def test_the_first_words_alone(tmp_path):
    random_space().save(tmp_path / "v.safetensors", dtype="int8")
    assert len(WordVectors.load(tmp_path / "v.safetensors", limit=3)) == 3


def test_loss():
    vectors = random_space(500, 16).vectors
    exact, half, codes = (storage_loss(vectors, t) for t in ("float32", "float16", "int8"))
    assert exact.mean_cosine == pytest.approx(1)
    assert exact.neighbors_kept_rate == 1
    assert 0.999999 < half.mean_cosine <= 1
    assert half.neighbors_kept_rate > 0.99
    assert 0.9999 < codes.mean_cosine < half.mean_cosine
    assert 0.9 < codes.neighbors_kept_rate < half.neighbors_kept_rate


def test_loss_by_hand():
    """One large number leaves nothing of the small one: (1, 0.001) is stored as (1, 0)."""
    loss = storage_loss(np.array([[1, 0.5], [0, 0]], np.float32), "int8", topn=1)
    stored = np.array([127, 64]) / np.hypot(127, 64)  # 63.5 steps are 64
    expected = stored @ np.array([1, 0.5]) / np.hypot(1, 0.5)
    assert loss.mean_cosine == pytest.approx((expected + 1) / 2)  # a row of zeros loses nothing
    assert loss.neighbors_kept_rate == 1
    assert storage_loss(np.ones((1, 2), np.float32), "int8").neighbors_kept_rate == 1


def test_numbers_beyond_float16(tmp_path):
    vectors = WordVectors(["a", "b"], [[1, 2], [-70_000, 0]])
    with pytest.raises(SettingError, match=r"70000 is among the numbers.*65504; choose 'int8'"):
        vectors.save(tmp_path / "v.safetensors", dtype="float16")
    assert list(tmp_path.iterdir()) == []
    vectors.save(tmp_path / "v.safetensors", dtype="int8")
    assert WordVectors.load(tmp_path / "v.safetensors")["b"].tolist() == [-70_000, 0]


def test_types_that_are_not_there(tmp_path):
    with pytest.raises(SettingError, match=r"dtype = 'int4': .* Did you mean 'int8'\?"):
        random_space().save(tmp_path / "v.safetensors", dtype="int4")
    with pytest.raises(SettingError, match=r"There are: float32, float16, int8"):
        storage_loss(random_space().vectors, "double")


@pytest.mark.parametrize("name", ["v.txt", "v.bin", "v.glove.txt"])
def test_other_formats_hold_float32_alone(tmp_path, name):
    with pytest.raises(SettingError, match=r"only safetensors holds .* end in \.safetensors"):
        random_space().save(tmp_path / name, dtype="int8")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "scales", [np.ones(3, np.float32), np.ones(2, np.float64), np.ones((2, 1), np.float32), None]
)
def test_codes_without_their_scales(tmp_path, scales):
    tensors = {"codes": np.ones((2, 3), np.int8), "words": np.frombuffer(b"a\nb", np.uint8)}
    save_file(tensors | ({} if scales is None else {"scales": scales}), tmp_path / "v.safetensors")
    with pytest.raises(
        VectorFileError, match=r"no tensor 'vectors' .* only .*'codes' \(2, 3\) int8"
    ):
        WordVectors.load(tmp_path / "v.safetensors")


def test_a_scale_that_is_no_number(tmp_path):
    tensors = pack_vectors(np.ones((2, 3), np.float32), "int8")
    tensors["scales"] = np.array([1, np.nan], np.float32)
    tensors["words"] = np.frombuffer(b"a\nb", np.uint8)
    save_file(tensors, tmp_path / "v.safetensors")
    with pytest.raises(VectorFileError, match="row 2: the vector of 'b' holds NaN"):
        WordVectors.load(tmp_path / "v.safetensors")
