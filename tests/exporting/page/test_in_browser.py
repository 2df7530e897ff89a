"""Pages in Chromium: from a web server and as local files, by keyboard and on a telephone."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.exporting.page import checking, export_page, folder
from foretext.tasks.fasttext.classifier import FastTextClassifier
from tests.exporting.page.models import MODELS, TEXTS, saved_vectors
from tests.exporting.page.test_search import made
from tests.report.browser import Browser
from tests.serving.browser.visit import Visit

pytestmark = [pytest.mark.slow]

DONE = """
const answer = document.querySelector(".answer");
return answer && answer.childElementCount > 0 && !document.querySelector("[aria-busy=true]");
"""
ANSWER = "section.answer"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Hand out a folder as `python -m http.server` does."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of word vectors and of what reads texts, in folders of their own."""
    folder = tmp_path_factory.mktemp("pages")
    for name, kind in (
        ("vectors", "fasttext vectors"),
        ("classifier", "softmax"),
        ("words", "vectors"),
        ("tagger", "linear tagger"),
        ("pairs", "linear matcher"),
        ("auto", "embedding classifier"),
    ):
        (folder / f"{name}-model").mkdir()
        path = MODELS[kind](folder / f"{name}-model")
        export_page(path, folder / name, texts=list(TEXTS), quiet=True)
    return folder


@pytest.fixture(scope="module")
def address(pages: Path) -> Iterator[str]:
    with served(pages) as found:
        yield found


def visited(
    browser: Browser,
    address: str,
    *,
    width: int = 1280,
    scheme: str = "light",
    language: str = "en",
) -> Visit:
    """Open a page as somebody who has never been there."""
    driver = browser.driver
    agent = driver.execute_script("return navigator.userAgent;")
    accepted = {"userAgent": agent, "acceptLanguage": language}
    driver.execute_cdp_cmd("Emulation.setUserAgentOverride", accepted)
    visit = Visit(browser, address, width, scheme)
    visit.run("localStorage.clear()")
    driver.refresh()
    visit.find("button.main")
    return visit


def answered(visit: Visit) -> str:
    """Press the button, and return what the page shows."""
    visit.find("button.main").click()
    visit.wait(lambda: visit.run(DONE), "an answer")
    text: str = visit.find(ANSWER).text
    return text


def type_into(visit: Visit, name: str, text: str) -> None:
    visit.find(f"#field-{name}").clear()
    visit.find(f"#field-{name}").send_keys(text)


def test_neighbours_are_those_of_python(browser: Browser, address: str) -> None:
    visit = visited(browser, f"{address}/vectors/")
    type_into(visit, "words", "ship 1914")
    shown = answered(visit).split()

    vectors = saved_vectors(with_ngrams=True)
    for word in ("ship", "1914"):
        names = [name for name, _ in vectors.most_similar(word, topn=10)]
        places = [shown.index(name, shown.index(word)) for name in names]
        assert places == sorted(places), (names, shown)
    visit.look()
    assert visit.messages == []
    assert visit.strangers() == []


def test_labels_are_those_of_python(browser: Browser, address: str, pages: Path) -> None:
    visit = visited(browser, f"{address}/classifier/")
    text = "the judge and a ship 😀"
    type_into(visit, "text", text.removesuffix(" 😀"))  # a driver types no emoji
    shown = answered(visit).split()
    model = FastTextClassifier.load(pages / "classifier-model" / "model")
    ((label, share), *_) = model.predict_top([text.removesuffix(" 😀")], k=2)[0]
    assert abs(float(shown[shown.index(str(label)) + 1]) - share) < 0.002
    assert visit.strangers() == []


@pytest.mark.parametrize("name", ["auto", "pairs"])
def test_probabilities_of_linear_models_are_those_of_python(
    browser: Browser, address: str, pages: Path, name: str
) -> None:
    visit = visited(browser, f"{address}/{name}/")
    pair = ("the judge and the jury", "the judge of the court in 1914")
    fields = ("text_a", "text_b") if name == "pairs" else ("text",)
    for field, text in zip(fields, pair, strict=False):
        type_into(visit, field, text)
    shown = answered(visit).split()
    model = ft.load(pages / f"{name}-model" / "model")
    asked = pair if name == "pairs" else pair[0]
    for label, share in zip(model.classes_, model.predict_proba(asked), strict=True):
        known = str(label).lower() if name == "pairs" else str(label)
        assert abs(float(shown[shown.index(known) + 1]) - share) < 0.002
    assert visit.faults() == []
    visit.look()
    assert visit.messages == []
    assert visit.strangers() == []


def test_entities_of_a_linear_tagger_are_marked(
    browser: Browser, address: str, pages: Path
) -> None:
    visit = visited(browser, f"{address}/tagger/")
    text = "the ship of O'Neil met J. Smith in New-York, 1914"
    type_into(visit, "inputs", text)
    shown = answered(visit)
    spans = ft.load(pages / "tagger-model" / "model").spans(text)
    listed = "return [...document.querySelectorAll('.answer mark')].map((x) => x.textContent)"
    assert visit.run(listed) == [f"{span.text}{span.label}" for span in spans]
    assert len(spans) > 2
    for span in spans:
        assert f"{span.text} {span.label} {span.probability:.3f}"[:-1] in shown
    assert visit.faults() == []
    visit.look()
    assert visit.messages == []
    assert visit.strangers() == []


def test_an_unknown_word_is_said_in_the_language_of_the_reader(
    browser: Browser, address: str
) -> None:
    visit = visited(browser, f"{address}/words/")
    type_into(visit, "words", "%%%")
    assert "does not know the word “%%%”" in answered(visit)
    visit.find("#language").click()
    visit.wait(lambda: "近邻词" in visit.find("h1").text, "Chinese")
    type_into(visit, "words", "%%%")
    assert "模型不认识“%%%”这个词" in answered(visit)


def test_a_page_opens_from_a_disk(browser: Browser, pages: Path) -> None:
    visit = visited(browser, (pages / "vectors" / "index.html").as_uri())
    assert "ship" in answered(visit)
    visit.look()
    assert visit.messages == []
    assert {x.url.split(":")[0] for x in visit.exchanges} == {"file"}


@pytest.mark.parametrize("name", ["vectors", "classifier"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark"), (390, "light")])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_stands_in_the_way(
    browser: Browser, address: str, name: str, width: int, scheme: str, language: str
) -> None:
    visit = visited(browser, f"{address}/{name}/", width=width, scheme=scheme, language=language)
    answered(visit)
    assert visit.faults() == []
    stops = visit.tab_stops()
    assert {"a", "button", "select"} <= {stop["tag"] for stop in stops}
    assert [stop for stop in stops if not stop["isSeen"]] == []
    assert (
        visit.run("return document.documentElement.lang") == {"en": "en", "zh": "zh-Hans"}[language]
    )


def test_it_is_used_by_keyboard(browser: Browser, address: str) -> None:
    from selenium.webdriver.common.keys import Keys

    visit = visited(browser, f"{address}/vectors/")
    visit.find("#field-words").send_keys(Keys.END, " king", Keys.ENTER)
    visit.wait(lambda: visit.run(DONE), "an answer")
    assert "king" in visit.find(ANSWER).text


def test_a_visitor_loads_what_the_export_says(browser: Browser, address: str, pages: Path) -> None:
    visit = visited(browser, f"{address}/classifier/")
    answered(visit)
    visit.look()
    names = {x.path.removeprefix("/classifier/") or "index.html" for x in visit.exchanges}
    assert names | {"icon.svg"} == set(folder.LOADED)  # browsers without a window ask for no icon
    said = json.loads((pages / "classifier" / "export.json").read_text())
    sizes = [(pages / "classifier" / name).stat().st_size for name in folder.LOADED]
    assert said["loaded_bytes"] == sum(sizes)


def test_the_check_runs_in_a_browser(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    export_page(MODELS["linear words"](tmp_path), tmp_path / "page", quiet=True)
    wanted = tmp_path / "page" / "wanted.js"
    assert "Yes. 5" in verdict(browser, tmp_path / "page")
    wanted.write_text(wanted.read_text().replace('"parts": [[]', '"parts": [["odd"]', 1))
    assert "No. 5" in verdict(browser, tmp_path / "page")


def verdict(browser: Browser, folder: Path) -> str:
    """Return what the page of the check says."""
    visit = Visit(browser, (folder / "check.html").as_uri(), 390, "light")
    visit.wait(lambda: " texts " in visit.find("main").text, "a verdict")
    visit.look()
    assert visit.messages == []
    assert visit.run("return document.documentElement.scrollWidth") <= 390
    text: str = visit.find("main").text
    return text


def test_an_index_is_searched(browser: Browser, tmp_path: Path) -> None:
    found = made(tmp_path)
    export_page(tmp_path / "index", tmp_path / "page", quiet=True)
    with served(tmp_path / "page") as address:
        visit = visited(browser, f"{address}/")
        type_into(visit, "query", "the judge of the court")
        shown = answered(visit)
        hits = found.search("the judge of the court").hits
        places = [shown.index(hit.text) for hit in hits[:3]]
        assert places == sorted(places)
        assert f"texts.txt, lines {hits[0].place.first}" in shown
        assert visit.faults() == []
        visit.look()
        assert visit.messages == []
        assert visit.strangers() == []
