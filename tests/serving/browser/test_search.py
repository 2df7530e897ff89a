"""Searching in a text of one's own: files, passages, and the words that are marked in hits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import Browser
from tests.serving.browser.playground import Playground
from tests.serving.conftest import Server

PASSAGES = """
const [text, done] = arguments;
import("/playground/passages.js").then(({passages}) => done(passages(text)));
"""
MARKS = "return [...document.querySelectorAll('.hits mark')].map((mark) => mark.textContent);"
SIZE = "return document.querySelector('#field-texts').value.length;"


def searching(browser: Browser, server: Server, **options: Any) -> Playground:
    return Playground(browser, server.url, "words", "search_text", **options)


def open_file(page: Playground, path: Path) -> str:
    """Give the page a file; return what it says of it."""
    before = page.find(".helpers [role=status]").text
    page.driver.find_element("css selector", ".helpers input[type=file]").send_keys(str(path))
    page.wait(lambda: page.find(".helpers [role=status]").text != before, "a word on the file")
    said: str = page.find(".helpers [role=status]").text
    return said


@pytest.mark.slow
def test_a_file_is_opened_and_searched(browser: Browser, server: Server, tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text("a ship sails\n\nthe king and\nthe queen\n\n", encoding="utf-8")
    page = searching(browser, server, typed={"query": "king"})
    assert page.find(".helpers [role=status]").text == "Text files up to 2 MB."
    assert open_file(page, path) == "stories.txt, 1 kB, read as utf-8."
    page.run_by_click()
    found = page.exchange("/search").answer()["results"]
    assert {hit["text"] for hit in found} == {"a ship sails", "the king and the queen"}
    assert "2 passages were searched." in page.texts(".answer p")
    assert page.run(MARKS) == ["king"]
    page.check()


@pytest.mark.slow
def test_the_button_that_opens_a_file_is_reached_by_the_keyboard(
    browser: Browser, server: Server
) -> None:
    page = searching(browser, server, width=390)
    assert "Open a text file: Text to search in" in [stop["name"] for stop in page.tab_stops()]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("large.txt", b"a" * 2_300_000, "large.txt has 2.3 MB; at most 2 MB can be opened."),
        ("a.png", b"\x89PNG\x00\x00", "a.png is not a text file."),
    ],
)
def test_what_is_no_text_or_too_large_is_refused(
    name: str, content: bytes, sentence: str, browser: Browser, server: Server, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    page = searching(browser, server)
    before = page.run(SIZE)
    assert open_file(page, tmp_path / name) == sentence
    assert page.run(SIZE) == before


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("language", "encoding", "text"),
    [("zh", "gb18030", "城市的历史"), ("en", "windows-1252", "café"), ("en", "utf-16", "naïve 城")],
)
def test_old_encodings_are_read_and_named(
    language: str, encoding: str, text: str, browser: Browser, server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "old.txt"
    path.write_text(text, encoding=encoding)
    page = searching(browser, server, language=language)
    assert encoding in open_file(page, path)
    assert page.find("#field-texts").get_attribute("value") == text


def test_words_of_the_query_are_marked_but_not_the_most_frequent_ones(
    browser: Browser, server: Server
) -> None:
    typed = {"texts": "The King, and the queen.\na ship", "query": "who is the king", "by": "words"}
    page = searching(browser, server, typed=typed)
    page.run_by_click()
    assert page.run(MARKS) == ["King"]
    assert '"by": "words"' in page.code()[0]


@pytest.mark.slow
def test_chinese_words_are_marked(browser: Browser, server: Server) -> None:
    pytest.importorskip("jieba", reason="Chinese words are found by jieba")
    typed = {
        "texts": "这座城市的历史很长。\n火车从车站发出。",
        "query": "城市的历史",
        "by": "words",
    }
    page = searching(browser, server, typed=typed)
    page.run_by_click()
    assert page.run(MARKS) == ["城市", "历史"]


def test_nothing_found_says_why(browser: Browser, server: Server) -> None:
    page = searching(browser, server, typed={"texts": "a ship", "query": "zzz"})
    page.run_by_click()
    said = page.texts(".answer p")
    assert "Nothing was found." in said
    assert any(line.startswith("Note: ") for line in said)
    page.check()


def test_a_hit_of_an_index_says_where_it_stands(browser: Browser, server: Server) -> None:
    page = Playground(browser, server.url, "index", "search", typed={"query": "the ship"})
    page.run_by_click()
    [first, *_] = page.exchange("/search").answer()["results"]
    place = page.texts(".hits .row .soft")[0]
    assert place == f"{first['source']}, lines {first['lines'][0]} and 1 more places"


def test_a_text_becomes_its_paragraphs_its_lines_or_parts_of_them(
    browser: Browser, server: Server
) -> None:
    page = searching(browser, server)

    def passages(text: str) -> list[str]:
        found: list[str] = page.driver.execute_async_script(PASSAGES, text)
        return found

    assert passages("") == passages(" \n\n ") == []
    assert passages("one\r\ntwo\n") == ["one", "two"]
    assert passages("one\ntwo\n \nthree") == ["one two", "three"]
    sentences = [f"This is sentence {number}, which is not the last." for number in range(40)]
    parts = passages(" ".join(sentences))
    assert " ".join(parts) == " ".join(sentences)
    assert all(len(part) <= 600 and part.endswith(".") for part in parts)
    chinese = passages("这是一个很长的句子。" * 100)
    assert all(len(part) <= 600 and part.endswith("。") for part in chinese)
    unbroken = passages("a" * 1500)
    assert [len(part) for part in unbroken] == [600, 600, 300]
