"""Searching: by vectors, by words, by both; what is said of a result and of a query."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import read_tensors, write_tensors
from foretext.search import Place, SearchIndex
from foretext.search.bm25 import BM25
from foretext.search.index import index as make_index
from tests.search.indexes import TEXTS, VECTORS, made


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return made(tmp_path_factory.mktemp("index"))


def test_by_vectors(index: SearchIndex) -> None:
    found = index.search("wave ship", 2)
    assert [hit.text for hit in found] == [
        "A wave, and then another wave.", "The ship left the harbour.",
    ]  # fmt: skip
    assert all(hit.score == hit.cosine and hit.bm25 is None for hit in found)
    assert found[0].score > found[1].score > 0.9


def test_passages_without_a_vector_are_not_found_by_vectors(index: SearchIndex) -> None:
    assert len(index) == 4
    assert len(index.search("ship", 10)) == 3


def test_by_words_finds_numbers(index: SearchIndex) -> None:
    found = index.search("what is room 4711", by="words")
    assert found[0].text == "Room 4711 is closed."
    assert found[0].score == found[0].bm25 > 0
    assert found[0].cosine is None


def test_by_both_has_the_results_of_each(index: SearchIndex) -> None:
    found = index.search("wave room 4711", by="both")
    assert {hit.text for hit in found[:2]} == {
        "A wave, and then another wave.", "Room 4711 is closed.",
    }  # fmt: skip
    assert found[0].score == pytest.approx(1 / 61 + 1 / 62)
    assert all(hit.cosine is not None and hit.bm25 is not None for hit in found)


def test_the_place_of_a_passage_and_of_its_repetition(index: SearchIndex) -> None:
    [hit] = index.search("ship harbour", 1)
    assert hit.source.endswith("texts.txt")
    assert str(hit.place).endswith("texts.txt:1")
    assert [place.first for place in hit.others] == [6]
    for place in (hit.place, *hit.others):
        assert TEXTS[place.start : place.end] == hit.text


def test_several_queries_are_what_each_is_alone(index: SearchIndex) -> None:
    queries = ["ship", "law", "zebra", "wave judge"]
    for by in ("vectors", "words", "both"):
        assert index.search(queries, 3, by=by) == [index.search(each, 3, by=by) for each in queries]
    assert index.search([]) == []


def test_a_query_of_unknown_words_is_told(index: SearchIndex) -> None:
    assert index.search("zebra").notes == ("the model knows no word of this query",)
    assert len(index.search("zebra")) == 0
    both = index.search("zebra", by="both")
    assert both.notes[1] == "no word of this query is in the passages"
    assert index.search("", by="words").notes == both.notes[1:]
    found = index.search("closed", by="both")
    assert found.notes == ("the model knows no word of this query",)
    assert found[0].text == "Room 4711 is closed."


def test_settings_of_bm25(index: SearchIndex) -> None:
    once = index.search("wave", by="words", bm25=BM25(k1=0, b=0))[0].score
    assert index.search("wave", by="words")[0].score > once


def test_what_json_shows(index: SearchIndex) -> None:
    shown = index.search("ship harbour", 1).as_dict()
    [hit] = shown["results"]
    assert hit["lines"] == [1, 1]
    assert hit["characters"] == [0, 26]
    assert hit["others"][0]["lines"] == [6, 6]
    assert shown["query"] == "ship harbour"


def test_opened_again(index: SearchIndex) -> None:
    again = ft.load(index._folder.path, SearchIndex)
    assert again.search("law", by="both") == index.search("law", by="both")
    assert "passages=4" in repr(again)


def test_what_cannot_be_asked(index: SearchIndex) -> None:
    with pytest.raises(SettingError, match="k = 0: ask for at least one passage"):
        index.search("a", 0)
    with pytest.raises(SettingError, match="by = 'sense': there are"):
        index.search("a", by="sense")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_scores_are_cosines_in_every_type(tmp_path: Path, dtype: str) -> None:
    index = made(tmp_path, settings={"dtype": dtype, "weighting": "mean"})
    query = VECTORS["wave"] / np.linalg.norm(VECTORS["wave"])
    tolerance = {"float32": 1e-6, "float16": 1e-3, "int8": 1e-2}[dtype]
    for hits in (index.search("wave"), *index.search(["wave", "ship"])[:1]):
        for hit in hits:
            [vector] = VECTORS.embed([hit.text])
            expected = vector @ query / np.linalg.norm(vector)
            assert hit.score == pytest.approx(expected, abs=tolerance)


def test_by_the_graph(tmp_path: Path) -> None:
    pytest.importorskip("usearch")
    index = made(tmp_path, settings={"approximate": True})
    assert index.is_approximate
    assert index.graph_recall() == 1
    assert index.search("wave ship") == index.search("wave ship", exact=True)


def test_without_usearch_the_search_is_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("usearch")
    index = made(tmp_path, settings={"approximate": True})
    expected = index.search("wave ship", exact=True)
    monkeypatch.setitem(sys.modules, "usearch", None)
    assert index.has_graph
    assert not index.is_approximate
    assert index.search("wave ship") == expected


def test_an_index_without_a_model(tmp_path: Path) -> None:
    index = made(tmp_path, settings={"keep_model": False})
    assert index.search("4711", by="words")[0].text == "Room 4711 is closed."
    with pytest.raises(ModelFileError, match="without a copy of its model; give the model"):
        index.search("wave")
    other = tmp_path / "other.safetensors"
    ft.WordVectors(VECTORS.index_to_key, VECTORS.vectors[:, ::-1]).save(other)
    with pytest.raises(ModelFileError, match="is not the model that"):
        index.use_model(other)
    assert index.use_model(tmp_path / "vectors.safetensors").search("wave")[0].score > 0.9


def test_another_model_in_the_place_of_its_own(tmp_path: Path) -> None:
    index = made(tmp_path)
    ft.WordVectors(VECTORS.index_to_key, VECTORS.vectors[:, ::-1]).save(index._folder.kept_model)
    with pytest.raises(ModelFileError, match="is not the model that the index was made with"):
        index.search("wave")


def test_places_are_written_as_editors_read_them() -> None:
    assert str(Place("a.txt", "line", 3, 3, 0, 1)) == "a.txt:3"
    assert str(Place("a.txt", "line", 3, 5, 0, 1)) == "a.txt:3-5"
    assert str(Place("a.csv", "row", 3, 3, 0, 1)) == "a.csv, row 3"


def test_numbers_that_are_none_are_left_out(tmp_path: Path) -> None:
    rows = [hit.row for hit in made(tmp_path).search("wave ship")]
    path = tmp_path / "index" / "embeddings.safetensors"
    tensors = dict(read_tensors(path, ModelFileError).tensors)
    tensors["vectors"][0] = np.nan
    write_tensors(path, tensors)
    damaged = ft.load(tmp_path / "index", SearchIndex)
    assert 0 in rows
    expected = [row for row in rows if row != 0]
    assert [hit.row for hit in damaged.search("wave ship")] == expected
    assert [hit.row for hit in damaged.search(["wave ship", "law"])[0]] == expected


@pytest.mark.parametrize(
    ("file", "tensor"),
    [("passages", "starts"), ("passages", "places"), ("embeddings", "scales")],
)
def test_tensors_of_another_size(tmp_path: Path, file: str, tensor: str) -> None:
    made(tmp_path)
    path = tmp_path / "index" / f"{file}.safetensors"
    tensors = dict(read_tensors(path, ModelFileError).tensors)
    tensors[tensor] = tensors[tensor][:-1].copy()
    write_tensors(path, tensors)
    with pytest.raises(ModelFileError, match=r"is damaged: .*--overwrite"):
        ft.load(tmp_path / "index", SearchIndex).search("ship")


@pytest.mark.parametrize(("column", "value"), [(1, 7), (1, -1), (0, 99)])
def test_places_that_lead_elsewhere(tmp_path: Path, column: int, value: int) -> None:
    made(tmp_path)
    path = tmp_path / "index" / "passages.safetensors"
    tensors = dict(read_tensors(path, ModelFileError).tensors)
    tensors["places"][:, column] = value
    write_tensors(path, tensors)
    index = ft.load(tmp_path / "index", SearchIndex)
    with pytest.raises(ModelFileError, match="its passages are not where it says"):
        index.search("ship")


def test_names_of_files_are_never_opened(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "texts.txt").unlink()
    path = tmp_path / "index" / "sources.json"
    path.write_text(path.read_text().replace("texts.txt", "../../etc/passwd"))
    found = ft.load(tmp_path / "index", SearchIndex).search("ship", 1)
    assert found[0].source.endswith("../../etc/passwd")
    assert found[0].text == "The ship left the harbour."


WIDE = "Room ４７１１ is closed.\nThe ﬁnal day.\nWe sell ｶﾒﾗ here.\nnothing else\n"


@pytest.mark.parametrize(
    ("query", "at"),
    [("4711", 0), ("ROOM ４７１１", 0), ("final", 1), ("ﬁnal", 1), ("カメラ", 2), ("ｶﾒﾗ", 2)],
)
def test_words_are_found_in_every_form_of_their_letters(
    tmp_path: Path, query: str, at: int
) -> None:
    found = made(tmp_path, WIDE).search(query, by="words")
    assert [hit.text for hit in found] == [WIDE.splitlines()[at]]


def test_an_index_of_an_earlier_edition_still_answers(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("job", "word_index"):
            patch.setattr(f"foretext.search.{module}.WORD_FORM", "NFC")
        made(tmp_path, WIDE)
    config = tmp_path / "index" / "config.json"
    facts = json.loads(config.read_text(encoding="utf-8"))
    assert facts.pop("words_form") == "NFC"  # which earlier versions did not write
    config.write_text(json.dumps(facts), encoding="utf-8")
    kept = ft.load(tmp_path / "index")
    assert kept.search("４７１１", by="words")[0].text.startswith("Room")
    assert not kept.search("4711", by="words")
    (tmp_path / "more.txt").write_text("Room 4712 is open.\n", encoding="utf-8")
    both = [tmp_path / "texts.txt", tmp_path / "more.txt"]
    grown = make_index(
        tmp_path / "vectors.safetensors", both, tmp_path / "index", text={"documents": "line"},
        add=True, quiet=True,
    )  # fmt: skip
    assert grown.search("4711", by="words")[0].text.startswith("Room")  # all words are counted anew
