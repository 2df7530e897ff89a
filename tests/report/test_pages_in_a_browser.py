"""Pages in a real browser: all is drawn, nothing is fetched, no error, on a telephone as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from foretext.corpus import Corpus
from foretext.corpus.inspection import inspect_corpus
from foretext.report import write_corpus_report
from foretext.report.charts import map_chart
from foretext.report.comparison_report import write_comparison_report
from foretext.report.page import write_page
from foretext.report.run_report import report_run
from foretext.report.showing import Showing
from foretext.shown import Grid, Grids, Note, Shown, Table, TokenLine, TokenLines
from tests.report.browser import Browser, opened_browser
from tests.report.comparison_content import candidate, content, label_curve
from tests.report.run_folders import make_run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened_browser() as found:
        yield found


def comparison(folder: Path) -> Path:
    write_comparison_report(content(), folder / "report.html")
    return folder / "report.html"


def small_comparison(folder: Path) -> Path:
    """Of one candidate, whose learning curve is not continued by a forecast."""
    some = content(candidates=[candidate("modern-bert", 0.9)], disagreements=[])
    write_comparison_report(some, folder / "report.html")
    return folder / "report.html"


def label_comparison(folder: Path) -> Path:
    """With scores by number of labels, of candidates with Chinese names."""
    some = content(label_curve=label_curve("runs/新闻向量", "linear"))
    write_comparison_report(some, folder / "report.html")
    return folder / "report.html"


def task(folder: Path) -> Path:
    return report_run(make_run(folder / "run", "labels"))


def corpus(folder: Path) -> Path:
    text = folder / "text.txt"
    text.write_text("".join(f"a king and {number} queens\n" for number in range(40)))
    found = inspect_corpus(Corpus(text)).as_dict()
    write_corpus_report(folder / "corpus.html", found, title="text.txt")
    return folder / "corpus.html"


def shown(folder: Path) -> Path:
    """All kinds of parts, with Chinese tokens and a row that is wider than a telephone."""
    names = [*"老船在黎明离开了港口员们甲", "<extra_id_0>"]
    lines = TokenLines("输入行", (TokenLine.of("词元", names, ["masked", *[""] * 13]),))
    grid = Grid.of("谁能看到谁", names, names, np.tril(np.ones((14, 14))))
    weights = Grid.of("注意力", names, names, np.full((14, 14), 1 / 14))
    table = Table.of("形状", ["张量", "形状"], [["ids", "(2, 14)"]])
    parts = (Note("这一行有 14 个词元。"), lines, grid, weights, table)
    Showing("bert", (Shown("样本 1", parts),), "zh").save(folder / "shown.html")
    return folder / "shown.html"


PAGES: dict[str, Callable[[Path], Path]] = {
    "comparison": comparison,
    "small comparison": small_comparison,
    "comparison by labels": label_comparison,
    "task": task,
    "corpus": corpus,
}


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PAGES[request.param](tmp_path_factory.mktemp("page"))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_all_is_drawn_and_nothing_is_fetched(
    page: Path, browser: Browser, width: int, scheme: str
) -> None:
    seen = browser.look(page, width=width, scheme=scheme)
    assert seen.messages == []
    assert seen.requests == [page.as_uri()]
    assert seen.charts
    for chart in seen.charts:
        assert chart["marks"] > 0, chart
        assert chart["said"], chart
        assert 100 < chart["width"] <= width
        assert chart["height"] > 40
    assert seen.tables
    assert all(min(table) > 0 for table in seen.tables)  # rows, width and height
    assert seen.width <= seen.window, "the page is wider than its window"


@pytest.mark.slow
def test_the_keyboard_reaches_tables_that_scroll_and_the_choice_of_curves(
    browser: Browser, tmp_path: Path
) -> None:
    reached = browser.look(comparison(tmp_path), width=390).focus_all()
    for each in ("Candidates", "select", "Where the time went"):
        assert each in reached


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_what_is_shown_fits_and_the_keyboard_reaches_it(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    page = shown(tmp_path)
    seen = browser.look(page, width=width, scheme=scheme)
    assert seen.messages == []
    assert seen.requests == [page.as_uri()]
    assert seen.width <= seen.window, "the page is wider than its window"
    assert seen.tables
    assert all(min(table) > 0 for table in seen.tables)
    assert seen.focus_all()[-2:] == ["注意力", "形状"]  # below where the page was clicked


@pytest.mark.parametrize("width", [1280, 390])
def test_heads_of_attention_fit_and_the_keyboard_reaches_them(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    names = [*"老船在黎明离开了港口"]
    weights = np.random.default_rng(0).dirichlet(np.ones(10), (4, 10))
    heads = Grids.of("所有头的注意力", ["1.1", "1.2", "2.1", "2.2"], names, names, weights, 2)
    Showing("bert", (Shown("文本", (heads,)),), "zh", "insight").save(tmp_path / "heads.html")
    seen = browser.look(tmp_path / "heads.html", width=width, scheme="dark")
    assert seen.messages == []
    fetched = [address for address in seen.requests if not address.startswith("data:")]
    assert fetched == [(tmp_path / "heads.html").as_uri()]
    assert seen.width <= seen.window, "the page is wider than its window"
    assert len(seen.focus_all()) >= 4


FOUND = "return document.querySelectorAll('.word.found').length"
NAMES = """
return [...document.querySelectorAll(".name text")].filter((text) => text.getClientRects().length)
  .map((text) => text.textContent);
"""
WHEEL = """
const plot = document.querySelector("svg.clip"), box = plot.getBoundingClientRect();
plot.dispatchEvent(new WheelEvent("wheel", {
  deltaY: -1000, clientX: box.left, clientY: box.top, cancelable: true}));
"""


def test_the_map_is_searched_and_zoomed(browser: Browser, tmp_path: Path) -> None:
    from selenium.webdriver.common.by import By

    point = {"count": 3, "group": 0, "nearest": "-"}
    words = [("ship", 0.1, 1), ("shore", 0.12, 4), ("field", 0.9, 1)]
    points = [{**point, "word": word, "x": x, "y": 0.9, "level": level} for word, x, level in words]
    parts = {
        "summary": "",
        "tiles": [],
        "evaluation": {"body": []},
        "neighbors": [],
        "settings": [],
    }
    charts, path = {"map": map_chart(points)}, tmp_path / "map.html"
    write_page(path, "vectors.html.j2", charts, title="map", num_map_words=3, **parts)
    seen = browser.look(path)
    assert seen.messages == []
    assert browser.driver.execute_script(NAMES) == ["ship", "field"]  # of shore there is no room
    field = browser.driver.find_element(By.CSS_SELECTOR, "input[type=search]")
    field.send_keys("sH")
    assert browser.driver.execute_script(FOUND) == 2
    assert browser.driver.execute_script(NAMES) == ["ship", "shore"]
    field.clear()
    field.send_keys(" ")
    field.send_keys("\b")
    browser.driver.execute_script(WHEEL)
    assert "shore" in browser.driver.execute_script(NAMES)
    assert browser.driver.get_log("browser") == []


@pytest.mark.slow
def test_a_chosen_curve_stands_out(browser: Browser, tmp_path: Path) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    browser.look(label_comparison(tmp_path))
    script = """
    return [...document.querySelectorAll("[data-chart=labels] .series")]
      .map((each) => [each.classList.contains("s1"), Number(getComputedStyle(each).opacity)]);
    """
    assert {opacity for _, opacity in browser.driver.execute_script(script)} == {1}
    found = browser.driver.find_element(By.CSS_SELECTOR, "[data-chart=labels] select")
    Select(found).select_by_visible_text("linear")
    after = {tuple(each) for each in browser.driver.execute_script(script)}
    assert after == {(True, 1), (False, 0.1)}


def test_a_page_with_faults_is_seen_as_one(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "wrong.html"
    path.write_text("<img src='https://example.com/a.png'><script>nothing.here()</script>")
    seen = browser.look(path)
    assert any("nothing is not defined" in message for message in seen.messages)
    assert "https://example.com/a.png" in seen.requests
