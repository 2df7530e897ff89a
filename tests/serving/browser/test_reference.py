"""The page of all routes in a browser: whole, from nowhere else, and every route can be tried."""

from __future__ import annotations

import json

import pytest

from tests.report.browser import Browser
from tests.serving.browser.visit import Visit
from tests.serving.conftest import Server

Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="no selenium").Keys


def visit(browser: Browser, server: Server, width: int = 1280, scheme: str = "light") -> Visit:
    seen = Visit(browser, f"{server.url}/docs", width, scheme)
    seen.address = f"{server.url}/"  # of all that the page may ask for
    seen.find("article.route")
    return seen


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_stands_in_the_way(
    browser: Browser, server: Server, width: int, scheme: str
) -> None:
    seen = visit(browser, server, width, scheme)
    assert seen.faults() == []
    assert seen.strangers() == []
    assert seen.messages == []


@pytest.mark.slow
def test_every_route_is_there_with_its_calls(browser: Browser, server: Server) -> None:
    seen = visit(browser, server)
    paths = server.client.get("/openapi.json").json()["paths"]
    titles = [text.split()[-1] for text in seen.texts("article.route h3")]
    assert sorted(set(titles)) == sorted(paths)
    assert len(titles) == sum(map(len, paths.values()))
    calls = seen.run(
        "return [...document.querySelectorAll('[aria-label=curl]')].map((pre) => pre.textContent)"
    )
    assert len(calls) == len(titles)
    assert all(server.url in call.partition("\n")[0] for call in calls)


def test_the_example_of_a_route_is_sent_and_answered(browser: Browser, server: Server) -> None:
    seen = visit(browser, server)
    body = seen.find("#post-neighbors textarea")
    assert json.loads(body.get_attribute("value")) == {"words": ["ship", "wave"]}
    body.clear()
    body.send_keys('{"words": ["king"], "k": 1}')
    body.send_keys(Keys.TAB, Keys.ENTER)
    assert list(seen.exchange("/neighbors").answer()) == ["king"]
    shown = json.loads(seen.find("#post-neighbors form pre").text)
    assert list(shown) == ["king"]
    assert seen.find("#post-neighbors .status").text.startswith("200 in ")
    curl = seen.run(
        "return document.querySelector('#post-neighbors [aria-label=curl]').textContent"
    )
    assert '"k": 1' in curl


@pytest.mark.slow
def test_what_is_no_json_is_not_sent(browser: Browser, server: Server) -> None:
    seen = visit(browser, server)
    body = seen.find("#post-analogy textarea")
    body.clear()
    body.send_keys("{")
    seen.find("#post-analogy button").click()
    assert seen.find("#post-analogy .status").text == "The body is not JSON."
    seen.look()
    assert not [each for each in seen.exchanges if each.path == "/analogy"]
