"""The built site in a browser, from disk: it is searched, fetches nothing, and fits a telephone."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.markdown import blocks_of
from tests.report.browser import Browser, opened_browser
from tools.site.building import build
from tools.site.checking import dead_links, foreign_requests
from tools.site.inputs import is_up_to_date
from tools.site.tree import DOCS, ROOT

pytestmark = pytest.mark.slow
KINDS = [  # a page of each kind, in both languages
    *("index.html", "course/index.html", "course/01-word2vec.html", "guides/index.html"),
    *("guides/fine-tuning.html", "guides/objectives.html", "extending/task.html"),
    *("glossary.html", "reference/index.html", "reference/api.html", "reference/api/learn.html"),
    *("reference/api/models.html", "reference/api/extend.html", "reference/verbs.html"),
    *("reference/verbs/foretext-pretrain.html", "reference/settings/bert.html", "project.html"),
]
RECORDS = ["results.html", "log.html", "decisions/index.html", "project/CHANGELOG.html"]
PAGES = [*KINDS, *(f"zh/{page}" for page in KINDS), *RECORDS]
PATIENCE = 60  # seconds for a search, on a busy machine too
WIDE = """
return [...document.querySelectorAll("article *")].filter((element) => {
  for (let outer = element; outer; outer = outer.parentElement)
    if (["auto", "scroll", "hidden"].includes(getComputedStyle(outer).overflowX)) return false;
  return element.getBoundingClientRect().right > window.innerWidth + 1;
}).map((element) => element.outerHTML.slice(0, 80));
"""
RESULTS = """
const inside = (root) => [...root.querySelectorAll("*")].flatMap(
  (element) => [element, ...(element.shadowRoot ? inside(element.shadowRoot) : [])]);
return inside(document).filter((element) => element.matches("a[href*='?h=']"))
  .map((element) => element.href);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site: what `make site` has built from what is here, or else built once."""
    for package in ("zensical", "mkdocstrings", "latex2mathml"):
        pytest.importorskip(package, reason=f"{package} is not installed: make site")
    if is_up_to_date(ROOT / "site"):
        return ROOT / "site"
    folder = tmp_path_factory.mktemp("built") / "site"
    build(folder)
    return folder


@pytest.fixture(scope="module")
def browser(site: Path) -> Iterator[Browser]:
    with opened_browser() as opened:
        yield opened


def test_no_link_is_dead_and_nothing_is_fetched(site: Path) -> None:
    assert list(dead_links(site)) == []
    assert list(foreign_requests(site)) == []


def test_every_page_is_there(site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        assert (site / page.relative_to(DOCS)).with_suffix(".html").is_file()


def test_blocks_are_on_the_page(site: Path) -> None:
    page = (site / "guides" / "word2vec.html").read_text(encoding="utf-8")
    blocks = [block for block in blocks_of(DOCS / "guides" / "word2vec.md") if block.text]
    assert page.count("<pre>") == len(blocks)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_and_fetches_nothing(site: Path, browser: Browser, page: str) -> None:
    for width, scheme in ((1280, "light"), (390, "dark")):
        seen = browser.look(site / page, width=width, scheme=scheme)
        assert seen.messages == []
        assert [each for each in seen.requests if not each.startswith(("file:", "data:"))] == []
        assert seen.width <= seen.window
        assert browser.driver.execute_script(WIDE) == []


def find(browser: Browser, page: Path, words: str) -> list[str]:
    """What a reader finds who opens the search by a key, and types."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    browser.look(page)
    browser.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.CONTROL, "k")
    time.sleep(1)
    browser.driver.switch_to.active_element.send_keys(words)
    until = time.monotonic() + PATIENCE
    while not (found := browser.driver.execute_script(RESULTS)) and time.monotonic() < until:
        time.sleep(0.5)
    return found


@pytest.mark.parametrize(
    ("page", "words", "wanted"),
    [
        ("index.html", "hierarchical softmax", r"/(course/01-word2vec|guides/word2vec)\.html"),
        ("zh/index.html", "词向量", r"/zh/(course|guides|index)"),
        ("guides/corpus.html", "mask_rate", r"/reference/settings/.+\.html"),
        ("zh/guides/index.html", "跳元模型", r"/zh/course/01-word2vec\.html"),
    ],
)
def test_the_search_finds_words(
    site: Path, browser: Browser, page: str, words: str, wanted: str
) -> None:
    found = find(browser, site / page, words)
    assert any(re.search(wanted, each) for each in found), found
    assert [entry["message"] for entry in browser.driver.get_log("browser")] == []


def test_a_link_leads_to_the_page_in_the_other_language(site: Path, browser: Browser) -> None:
    from selenium.webdriver.common.by import By

    browser.look(site / "course" / "01-word2vec.html")
    for there in ("zh/course/01-word2vec.html", "course/01-word2vec.html"):
        browser.driver.find_element(By.CLASS_NAME, "other-language").click()
        assert browser.driver.current_url == (site / there).as_uri()


@pytest.mark.parametrize("page", ["index.html", "zh/course/01-word2vec.html"])
def test_the_tabulator_key_reaches_the_page(site: Path, browser: Browser, page: str) -> None:
    reached = browser.look(site / page).focus_all()
    assert len(reached) > 10
