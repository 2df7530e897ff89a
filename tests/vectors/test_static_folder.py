"""Folders of static vectors: written, read, shared with other libraries, and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.artifact import load_language_model, load_vectors
from foretext.base.errors import CorpusError, ForetextError, ModelFileError
from foretext.vectors.formats.static_layout import holds_static_vectors
from foretext.vectors.token_vectors import TokenVectors
from tests.vectors.static_folders import (
    DIM,
    TEXTS,
    drawn_vectors,
    model2vec_folder,
    sentence_folder,
)

ROWS = np.random.default_rng(3).standard_normal((drawn_vectors().vectors.shape[0], DIM))
V = len(ROWS)


def rows_of(dtype: str) -> dict[str, np.ndarray]:
    scaled = ROWS * 20 if dtype == "int8" else ROWS
    return {"embeddings": scaled.astype(dtype)}


def shared_rows() -> dict[str, np.ndarray]:
    """A quantised vocabulary: seven rows for all tokens, each with a weight of its own."""
    rng = np.random.default_rng(4)
    return {
        "embeddings": ROWS[:7].astype(np.float32),
        "mapping": rng.integers(0, 7, V),
        "weights": rng.random(V),
    }


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_what_is_written_is_read(tmp_path: Path, dtype: Any, normalize: bool) -> None:
    vectors = drawn_vectors(normalize=normalize, facts={"teacher": "somebody"})
    vectors.save(tmp_path / "static", dtype=dtype)
    for again in (ft.load(tmp_path / "static"), load_vectors(tmp_path / "static")):
        assert (type(again), again.normalize) == (TokenVectors, normalize)
        assert again.facts == {"teacher": "somebody"}
        tolerance = {"float32": 0, "float16": 1e-3, "int8": 2e-2}[dtype]
        np.testing.assert_allclose(again.vectors, vectors.vectors, atol=tolerance)
        assert again.tokenizer == vectors.tokenizer


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_model2vec_computes_the_same_of_ours(tmp_path: Path, dtype: Any, normalize: bool) -> None:
    library = pytest.importorskip("model2vec")
    vectors = drawn_vectors(normalize=normalize)
    vectors.save(tmp_path / "static", dtype=dtype)
    theirs = library.StaticModel.from_pretrained(tmp_path / "static")
    texts = [*TEXTS, "the king " * 600]  # none is cut at 512 tokens
    expected = ft.load(tmp_path / "static").embed(texts)
    np.testing.assert_allclose(theirs.encode(texts), expected, atol=1e-6)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("tensors", [rows_of("float32"), rows_of("int8"), shared_rows()])
def test_we_compute_the_same_of_theirs(
    tmp_path: Path, tensors: dict[str, np.ndarray], normalize: bool
) -> None:
    library = pytest.importorskip("model2vec")
    folder = model2vec_folder(tmp_path / "older", tensors, normalize=normalize)
    theirs = library.StaticModel.from_pretrained(folder)
    np.testing.assert_allclose(ft.load(folder).embed(TEXTS), theirs.encode(TEXTS), atol=1e-6)
    theirs.save_pretrained(tmp_path / "newer")  # as the installed release writes it
    assert json.loads((tmp_path / "newer/config.json").read_text())["max_length"] == 512
    again = ft.load(tmp_path / "newer")
    np.testing.assert_allclose(again.embed(TEXTS), theirs.encode(TEXTS), atol=1e-6)


def test_halves_are_computed_as_float32(tmp_path: Path) -> None:
    """model2vec takes means of half-precision numbers in half precision."""
    library = pytest.importorskip("model2vec")
    folder = model2vec_folder(tmp_path / "half", rows_of("float16"))
    theirs = library.StaticModel.from_pretrained(folder)
    np.testing.assert_allclose(ft.load(folder).embed(TEXTS), theirs.encode(TEXTS), atol=2e-3)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("normalize", [True, False])
def test_sentence_transformers_both_ways(tmp_path: Path, normalize: bool) -> None:
    library = pytest.importorskip("sentence_transformers")
    rows = ROWS.astype(np.float32)
    theirs_here = ft.load(sentence_folder(tmp_path / "st", rows, normalize=normalize))
    theirs = library.SentenceTransformer(str(tmp_path / "st"), device="cpu")
    texts = [text for text in TEXTS if text != ""]
    np.testing.assert_allclose(theirs_here.embed(texts), theirs.encode(texts), atol=1e-6)
    known = [text for text in texts if "☃" not in text]  # which it counts in our folders, too
    vectors = drawn_vectors(normalize=normalize)
    vectors.save(tmp_path / "ours", dtype="int8")
    ours = library.SentenceTransformer(str(tmp_path / "ours"), device="cpu")
    expected = ft.load(tmp_path / "ours").embed(known)
    np.testing.assert_allclose(ours.encode(known), expected, atol=1e-6)


def test_it_is_no_language_model(tmp_path: Path) -> None:
    drawn_vectors().save(tmp_path / "static")
    with pytest.raises(ModelFileError, match="holds word vectors, no language model"):
        load_language_model(tmp_path / "static")
    assert not holds_static_vectors(tmp_path)
    assert not holds_static_vectors(tmp_path / "static" / "config.json")


WRONG = {
    "no rows": {"weights": np.ones(V)},
    "too few": {"embeddings": ROWS[:-1].astype(np.float32)},
    "no numbers": {"embeddings": np.zeros((V, 0), np.float32)},
    "one axis": {"embeddings": np.zeros(V, np.float32)},
    "bools": {"embeddings": np.zeros((V, DIM), np.bool_)},
    "row that is not there": shared_rows() | {"mapping": np.full(V, 7)},
    "negative row": shared_rows() | {"mapping": np.full(V, -1)},
    "rows as floats": shared_rows() | {"mapping": np.zeros(V)},
    "short mapping": shared_rows() | {"mapping": np.zeros(V - 1, np.int64)},
    "mapping of two axes": shared_rows() | {"mapping": np.zeros((V, 1), np.int64)},
    "short weights": shared_rows() | {"weights": np.ones(V - 1)},
    "weights as numbers of something": shared_rows() | {"weights": np.ones(V, np.int64)},
    "rows of which there are none": shared_rows() | {"embeddings": np.zeros((0, DIM), np.float32)},
    "NaN": {"embeddings": np.full((V, DIM), np.nan, np.float32)},
    "too large": {"embeddings": np.full((V, DIM), 1e300)},
    "a bomb": {
        "embeddings": np.zeros((1, 1 << 20), np.int8),
        "mapping": np.zeros(V, np.int64),
    },
}


@pytest.mark.parametrize("wrong", WRONG)
def test_tensors_that_do_not_go_together(tmp_path: Path, wrong: str) -> None:
    folder = model2vec_folder(tmp_path / "wrong", WRONG[wrong])
    with pytest.raises(ModelFileError, match=r"model\.safetensors"):
        ft.load(folder)


@pytest.mark.parametrize("name", ["..", "../other", "/etc", "a/b", "..\\x", "a\0b"])
def test_modules_elsewhere(tmp_path: Path, name: str) -> None:
    folder = sentence_folder(tmp_path / "st", ROWS.astype(np.float32))
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["path"] = name
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelFileError, match="which lies outside its folder"):
        ft.load(folder)


def test_modules_that_change_the_vectors(tmp_path: Path) -> None:
    folder = sentence_folder(tmp_path / "st", ROWS.astype(np.float32))
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "sentence_transformers.models.Dense"
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelFileError, match="StaticEmbedding, Dense are not supported"):
        ft.load(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_files_that_are_damaged_or_missing(tmp_path: Path, name: str) -> None:
    folder = model2vec_folder(tmp_path / "damaged", rows_of("float32"))
    (folder / name).write_bytes(b"{")
    with pytest.raises((ModelFileError, CorpusError), match=name.replace(".", r"\.")):
        ft.load(folder)
    (folder / name).unlink()
    with pytest.raises(ForetextError):
        ft.load(folder)
