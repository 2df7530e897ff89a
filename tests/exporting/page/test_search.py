"""A search index as a page, which finds what Python finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import ModelFileError, SettingError
from foretext.exporting.page import checking, export_page, passages
from foretext.exporting.page import search as page_search
from foretext.exporting.page.passages import NUM_HITS
from foretext.search import SearchIndex
from foretext.search.index import index
from tests.exporting.page.models import TEXTS, WORDS, saved_vectors
from tests.exporting.page.node import change_wanted, needs_node


def made(folder: Path, *, with_ngrams: bool = False, **options: Any) -> SearchIndex:
    """Make an index of short lines: the texts, an unknown word, emoji, and drawn words."""
    rng = np.random.default_rng(4)
    drawn = [" ".join(rng.choice(WORDS, rng.integers(2, 9))) for _ in range(120)]
    lines = [*TEXTS, "zzz 😀", "the ship, 👩‍👩‍👧", "été 北 京", *drawn]
    (folder / "texts.txt").write_text("\n".join([*lines, lines[0]]), encoding="utf-8")
    name = "vectors.bin" if with_ngrams else "vectors.txt"
    saved_vectors(with_ngrams=with_ngrams, dim=8).save(folder / name)
    given: dict[str, Any] = {"quiet": True, "text": {"documents": "line"}, "settings": options}
    return index(folder / name, folder / "texts.txt", folder / "index", **given)


@needs_node
@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"with_ngrams": True}, marks=pytest.mark.slow),
        pytest.param({"weighting": "mean", "dtype": "int8"}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_page_finds_what_python_finds(options: dict[str, Any], tmp_path: Path) -> None:
    found = made(tmp_path, **options)
    report = export_page(tmp_path / "index", tmp_path / "page", quiet=True)
    assert report.check is not None
    assert report.kind == "search index"
    assert report.check.lists >= page_search.NUM_QUERIES
    assert report.check.numbers > page_search.NUM_QUERIES * NUM_HITS
    assert any(f"all {len(found):,} passages" in note for note in report.notes)
    assert (tmp_path / "page" / "model.js").is_file()
    assert json.loads((tmp_path / "page" / "export.json").read_text())["dtype"] == report.dtype


@needs_node
def test_another_passage_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path)

    def wrong(wanted: dict[str, Any]) -> None:
        hits = next(hits for _, hits in wanted["hits"] if len(hits) > 5)
        hits[0], hits[5] = (hits[5][0], hits[0][1]), (hits[0][0], hits[5][1])

    change_wanted(monkeypatch, wrong)
    with pytest.raises(ModelFileError, match=r"search for .*, rank 1: passage \d+ here"):
        export_page(tmp_path / "index", tmp_path / "page", quiet=True)
    assert not (tmp_path / "page").exists()


def test_without_node_the_page_compares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    found = made(tmp_path)
    report = export_page(tmp_path / "index", tmp_path / "page", quiet=True)
    assert report.check is None
    text = (tmp_path / "page" / "wanted.js").read_text().split("globalThis.foretextWanted = ")[1]
    for query, hits in json.loads(text.rstrip(";\n"))["hits"][:5]:
        assert [row for row, _ in hits] == [hit.row for hit in found.search(query)]
    assert any("open check.html" in note for note in report.notes)


def test_what_no_page_holds_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path)
    with pytest.raises(SettingError, match=r"no effect on this kind of model \(search index\)"):
        export_page(tmp_path / "index", tmp_path / "page", limit=3, quiet=True)
    monkeypatch.setattr(passages, "MOST_BYTES", 1000)
    with pytest.raises(SettingError, match=r"A page holds 1\S* \S+ of passages.*index fewer files"):
        export_page(tmp_path / "index", tmp_path / "page", quiet=True)


def test_an_index_without_its_model_is_refused(tmp_path: Path) -> None:
    made(tmp_path, keep_model=False)
    with pytest.raises(SettingError, match="has no copy of its model"):
        export_page(tmp_path / "index", tmp_path / "page", quiet=True)
