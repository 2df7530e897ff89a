"""Cosines of vectors near the largest float, and of vectors smaller than any normal one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.vectors.neighbors import comparable_rows, nearest_others, unit_rows
from foretext.vectors.text_cosines import text_cosines
from foretext.vectors.text_embedding import shortened

WORDS = ["ship", "boat", "court", "farm"]
DIRECTIONS = np.array([[3, 4, 0], [4, 3, 0], [0, 0, 1], [-3, -4, 0]], np.float32)
LARGEST = float(np.finfo(np.float32).max) / 4
SCALES = [1.0, LARGEST, 1e30, 1e-30, 1e-38, 4e-44]


def scaled(scale: float) -> ft.WordVectors:
    """Vectors of these directions; the smallest ones have few digits left."""
    return ft.WordVectors(WORDS, (DIRECTIONS.astype(np.float64) * scale).astype(np.float32))


@pytest.mark.parametrize("scale", SCALES)
def test_cosines_do_not_depend_on_the_size_of_vectors(scale: float) -> None:
    vectors, exact = scaled(scale), 1e-5 if scale > 1e-40 else 0.02
    assert vectors.similarity("ship", "boat") == pytest.approx(0.96, abs=exact)
    assert vectors.similarity("ship", "farm") == pytest.approx(-1.0, abs=exact)
    near = dict(vectors.most_similar("ship", topn=None))
    assert near == pytest.approx({"boat": 0.96, "court": 0.0, "farm": -1.0}, abs=exact)
    assert dict(vectors.neighbors(WORDS)[0]) == pytest.approx(near, abs=exact)
    assert vectors.distances("ship")[1] == pytest.approx(0.04, abs=exact)
    assert vectors.closer_than("ship", "court") == ["boat"]
    assert vectors.most_similar_cosmul("ship", topn=1)[0][0] == "boat"
    assert vectors.most_similar(["ship", "boat"], topn=1)[0][0] == "court"
    assert vectors.n_similarity(["ship", "court"], ["boat"]) > 0.5
    assert vectors.get_vector("ship", norm=True) == pytest.approx([0.6, 0.8, 0], abs=exact)


@pytest.mark.parametrize("scale", SCALES)
def test_texts_have_unit_vectors_of_any_size(scale: float) -> None:
    found = scaled(scale).embed(["ship ship ship ship ship", "boat"], normalize=True)
    exact = 1e-5 if scale > 1e-40 else 0.02
    assert found == pytest.approx(np.array([[0.6, 0.8, 0], [0.8, 0.6, 0]]), abs=exact)
    vectors = scaled(scale)
    cosines = text_cosines(vectors.embed, 3, "ship", ["boat", "farm"])
    assert cosines == pytest.approx([0.96, -1.0], abs=exact)


def test_rows_of_every_size_stand_side_by_side() -> None:
    sizes = np.array([1.0, LARGEST, 1e-42, 0.0], np.float32)
    rows = DIRECTIONS * sizes[:, None]
    lengths = np.linalg.norm(unit_rows(rows), axis=1)
    assert lengths == pytest.approx([1, 1, 1, 0], abs=1e-6)
    usual = DIRECTIONS.copy()
    assert comparable_rows(usual) is usual
    assert nearest_others(rows, np.array([0, 1]), 1).tolist() == [[1], [0]]
    kept = shortened(rows.copy(), 2, normalize=True)
    assert kept[1] == pytest.approx([0.8, 0.6], abs=1e-6)


def test_a_search_finds_the_nearest_of_large_vectors(tmp_path: Path) -> None:
    scaled(LARGEST).save(tmp_path / "large.safetensors")
    texts = ["ship ship", "court", "farm"]
    index = ft.index(tmp_path / "large.safetensors", texts, out=tmp_path / "index", quiet=True)
    [best] = index.search("boat", 1)
    assert best.text == "ship ship"
    assert best.score == pytest.approx(0.96, abs=1e-3)


@pytest.mark.parametrize("topn", [1.5, "3", True, [1]])
def test_a_number_of_words_is_whole(topn: Any) -> None:
    vectors = scaled(1.0)
    for verb in (vectors.most_similar, vectors.neighbors, vectors.most_similar_cosmul):
        with pytest.raises(SettingError, match="give a whole number"):
            verb(["ship"], topn=topn)


def test_any_whole_number_of_words_is_right() -> None:
    vectors = scaled(1.0)
    assert len(vectors.most_similar("ship", topn=None)) == 3
    assert len(vectors.most_similar("ship", topn=np.int64(2))) == 2
    assert vectors.most_similar("ship", topn=0) == vectors.most_similar("ship", topn=-1) == []
    assert vectors.neighbors("ship", 2) == vectors.neighbors(["ship"], 2)[0]


@pytest.mark.parametrize(
    "given",
    [3, [None], [("ship", "boat")], [np.array([np.nan] * 3)], object(), b"ship"],
)
def test_what_is_no_word_is_one_sentence(given: Any) -> None:
    with pytest.raises(ft.ForetextError, match=r"\.$"):
        scaled(1.0).most_similar(given)
