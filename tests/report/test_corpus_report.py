from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import OutputError
from foretext.corpus import Corpus
from foretext.corpus.inspection import inspect_corpus
from foretext.report import write_corpus_report
from foretext.report.corpus_report import lengths_chart
from tests.report.parsed_page import Page, chart_of

HOSTILE = "</script><script>alert(1)</script> <img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text("".join(f"a king and {i} queens {HOSTILE}\n" for i in range(9)) + "Да\nДа\n")
    return inspect_corpus(Corpus(path)).as_dict()


@pytest.fixture(scope="module")
def page(found: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Page:
    path = tmp_path_factory.mktemp("page") / "corpus.html"
    write_corpus_report(path, found, title=HOSTILE)
    return Page(path.read_text(encoding="utf-8"))


def test_the_page_shows_what_was_found(page: Page, found: dict[str, Any]) -> None:
    assert list(page.charts) == ["growth", "lengths"]
    drawn = [each["distinct words"] for each in page.charts["growth"].values()]
    assert drawn == [f"{each['distinct_words']:,}" for each in found["growth"]]
    texts = [f"{found['tokens']:,}", "Cyrillic", "Exact duplicates", "min count", "word2vec"]
    assert all(text in page.text for text in texts)
    assert found["problems"]
    assert all(problem["sentence"] in page.text for problem in found["problems"])


def test_the_page_shows_the_settings_that_suit_the_text(page: Page) -> None:
    assert "--set corpus.documents=line" in page.text


def test_lengths_are_drawn_from_one_token_on(page: Page, found: dict[str, Any]) -> None:
    rows = page.charts["lengths"].values()
    assert [row["tokens of a"] for row in rows] == ["document", "sentence"]
    assert float(rows[0]["median"]) == found["document_lengths"]["median"]
    nothing = dict.fromkeys(("least", "p05", "p25", "median", "p75", "p95", "most"), 0)
    shown = chart_of(lengths_chart({"document": nothing}))
    assert shown.texts[0] == "1"
    assert shown.number("box") == 1


def test_texts_stay_text_and_nothing_is_fetched(page: Page) -> None:
    assert HOSTILE in page.text
    assert "img" not in page.tags
    assert "script" not in page.tags
    assert "script-src" not in page.policy
    assert not {"src", "href", "onerror"} & {name for name, _ in page.attributes}


def test_an_unknown_size_is_left_out(found: dict[str, Any], tmp_path: Path) -> None:
    write_corpus_report(tmp_path / "c.html", found | {"bytes": None, "problems": []}, title="-")
    text = Page((tmp_path / "c.html").read_text(encoding="utf-8")).text
    assert "txt, utf-8" in text
    assert "No problem was found" in text


def test_a_place_that_cannot_be_written_is_named(found: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"c\.html cannot be written"):
        write_corpus_report(tmp_path / "file" / "c.html", found, title="text")
