"""Pages of networks in Chromium: answers of Python, by keyboard, on a telephone, offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.exporting.page import PageReport, export_page
from foretext.search.index import index
from tests.exporting.models import saved_model
from tests.exporting.page.networks import NODE_MODULES, needs_runtime
from tests.exporting.page.test_in_browser import answered, served, type_into, visited
from tests.report.browser import Browser

pytestmark = [pytest.mark.slow, needs_runtime]
MODELS = {
    "classifier": "classifier",
    "encoder": "sentence encoder",
    "tagger": "crf",
    "pairs": "matcher",
    "reader": "abstaining reader",
}
WORDS = "the king lives in a castle by sea ship sails to an island dog barks at night"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("networks")
    (folder / "models").mkdir()
    for name, model in MODELS.items():
        path = saved_model(model, folder / "models")
        export_page(path, folder / name, texts=["a ship"], runtime=NODE_MODULES, quiet=True)
        path.rename(folder / f"{name}-model")
    return folder


@pytest.fixture(scope="module")
def searched(pages: Path) -> PageReport:
    """The page of an index of the sentence encoder, with 500 passages and more."""
    rng = np.random.default_rng(1)
    drawn = (" ".join(rng.choice(WORDS.split(), rng.integers(2, 16))) for _ in range(560))
    lines = dict.fromkeys(drawn)
    texts = [*lines, "the 😀 of café no. 9", "a ship sails to an island " * 12]
    (pages / "passages.txt").write_text("\n".join(texts), encoding="utf-8")
    given: dict[str, Any] = {"quiet": True, "text": {"documents": "line"}}
    index(pages / "encoder-model", pages / "passages.txt", pages / "index", **given)
    return export_page(pages / "index", pages / "search", runtime=NODE_MODULES, quiet=True)


@pytest.fixture(scope="module")
def address(pages: Path) -> Iterator[str]:
    with served(pages) as found:
        yield found


def test_labels_are_those_of_python(browser: Browser, address: str, pages: Path) -> None:
    visit = visited(browser, f"{address}/classifier/")
    text = "the king lives in a castle by the sea"
    type_into(visit, "text", text)
    shown = answered(visit).split()
    model = ft.load(pages / "classifier-model")
    model.use_precision("fp32")
    for label, share in zip(model.label_names, model.predict_proba(text), strict=True):
        assert abs(float(shown[shown.index(str(label)) + 1]) - share) < 0.002
    visit.look()
    assert visit.messages == []
    assert visit.strangers() == []


def test_similarities_and_search_are_those_of_python(
    browser: Browser, address: str, pages: Path
) -> None:
    model = ft.load(pages / "encoder-model")
    model.use_precision("fp32")
    visit = visited(browser, f"{address}/encoder/")
    texts = ["the king lives in a castle", "a ship sails to an island"]
    type_into(visit, "inputs", "\n".join(texts))
    assert f"{model.similarity(*texts):.2f}"[:4] in answered(visit)

    visit.run(
        "location.hash = arguments[0]", visit.find("#menu li:last-child a").get_attribute("hash")
    )
    visit.wait(lambda: visit.find("#field-query"), "the form of the search")
    passages = ["the king lives in a castle", "a ship sails to an island", "the dog barks"]
    type_into(visit, "texts", "\n".join(passages))
    type_into(visit, "query", "a ship on the sea")
    shown = answered(visit)
    order = np.argsort(-model.similarity("a ship on the sea", passages))
    places = [shown.index(passages[row]) for row in order]
    assert places == sorted(places)
    assert visit.strangers() == []


def test_500_queries_find_what_python_finds(searched: PageReport, pages: Path) -> None:
    assert searched.check is not None
    assert searched.check.texts >= 500
    assert searched.check.numbers > 500 * 10
    assert searched.check.largest < 1e-5 or searched.dtype != "float32"
    assert "found passages are equal to Python's" in (pages / "search" / "README.md").read_text()


def test_passages_are_those_of_python(
    browser: Browser, address: str, pages: Path, searched: PageReport
) -> None:
    visit = visited(browser, f"{address}/search/")
    query = "a king in a castle by the sea, and his dog"
    type_into(visit, "query", query)
    shown = answered(visit)
    found = ft.load(pages / "index").search(query)
    places = [shown.index(hit.text[:60]) for hit in found]
    assert places == sorted(places)
    assert f"{found[0].score:.2f}" in shown
    assert visit.faults() == []
    assert visit.messages == []
    assert visit.strangers() == []


def test_labels_of_pairs_are_those_of_python(browser: Browser, address: str, pages: Path) -> None:
    visit = visited(browser, f"{address}/pairs/")
    pair = ("the king lives in a castle", "a ship sails to an island")
    for name, text in zip(("text_a", "text_b"), pair, strict=True):
        type_into(visit, name, text)
    shown = answered(visit).split()
    model = ft.load(pages / "pairs-model")
    model.use_precision("fp32")
    for label, share in zip(model.label_names, model.predict_proba(pair), strict=True):
        assert abs(float(shown[shown.index(str(label)) + 1]) - share) < 0.002
    assert visit.strangers() == []


def test_entities_are_marked_where_they_stand(browser: Browser, address: str, pages: Path) -> None:
    visit = visited(browser, f"{address}/tagger/")
    text = "the king of England's ships, J. Smith and the dog"
    type_into(visit, "inputs", text)
    shown = answered(visit)
    model = ft.load(pages / "tagger-model")
    model.use_precision("fp32")
    spans = model.spans(text)
    listed = "return [...document.querySelectorAll('.answer mark')].map((x) => x.textContent)"
    marks = visit.run(listed)
    assert marks == [f"{span.text}{span.label}" for span in spans]
    for span in spans:
        assert f"{span.text} {span.label} {span.probability:.3f}"[:-1] in shown
    visit.look()
    assert visit.messages == []
    assert visit.strangers() == []


def test_an_answer_is_marked_where_it_stands(browser: Browser, address: str, pages: Path) -> None:
    visit = visited(browser, f"{address}/reader/")
    question, text = (
        "who is in the castle?",
        "A 😀 sails 🚢. the king lives in a castle by the sea.",
    )
    type_into(visit, "question", question)
    type_into(visit, "passage", text)
    shown = answered(visit)
    model = ft.load(pages / "reader-model")
    model.use_precision("fp32")
    answers = model.predict_top((question, text), 3)
    marks = "return [...document.querySelectorAll('.answer mark')].map((x) => x.textContent)"
    assert visit.run(marks) == [each.text for each in answers[:1] if each.text]
    for rank, each in enumerate(answers, 1):
        assert f"{rank}. {each.text or 'The passage has no answer.'}" in shown
    assert visit.messages == []
    assert visit.strangers() == []


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("width", "scheme", "language"), [(1280, "light", "en"), (390, "dark", "zh")]
)
def test_nothing_stands_in_the_way(
    browser: Browser, address: str, name: str, width: int, scheme: str, language: str
) -> None:
    visit = visited(browser, f"{address}/{name}/", width=width, scheme=scheme, language=language)
    answered(visit)
    assert visit.faults() == []
    stops = visit.tab_stops()
    assert {"a", "button"} <= {stop["tag"] for stop in stops}
    assert [stop for stop in stops if not stop["isSeen"]] == []


def test_it_is_used_by_keyboard(browser: Browser, address: str) -> None:
    from selenium.webdriver.common.keys import Keys

    visit = visited(browser, f"{address}/classifier/")
    type_into(visit, "text", "a ship")
    visit.find("#field-text").send_keys(Keys.CONTROL, Keys.ENTER)
    visit.wait(
        lambda: visit.run("return !!document.querySelector('.answer table, .answer li')"), "labels"
    )
