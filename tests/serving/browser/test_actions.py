"""Every action of the playground by click and by keyboard, wide and narrow, and by its code."""

from __future__ import annotations

import re

import pytest

from tests.report.browser import Browser
from tests.serving.browser.cases import CASES, Case
from tests.serving.browser.playground import Playground, curl_answers, python_answers
from tests.serving.conftest import Server

WIDTHS = (1280, 390)  # pixels


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_action_by_click_and_by_keyboard(
    case: Case, width: int, browser: Browser, server: Server
) -> None:
    page = Playground(browser, server.url, case.model, case.action, width=width)
    for field, text in case.clicked.items():
        page.type(field, text)
    page.run_by_click()
    by_click = page.exchange(case.path).answer()
    case.holds(page, by_click)
    page.check()

    page.run("document.activeElement.blur();")
    for field, text in case.pressed.items():
        page.type_by_keyboard(field, text)
    page.run_by_keyboard()
    by_keyboard = page.exchange(case.path).answer()
    assert by_keyboard != by_click
    case.holds(page, by_keyboard)
    page.check()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_code_that_is_shown_gives_the_same_answers(
    case: Case, browser: Browser, server: Server
) -> None:
    page = Playground(browser, server.url, case.model, case.action, typed=case.clicked)
    page.run_by_click()
    seen = [page.exchange(path).answer() for path in (case.path, *case.further)]
    curl, python = page.code()
    assert curl_answers(curl) == seen
    assert python_answers(python) == seen


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_text_is_written_as_it_streams_by_click_and_by_keyboard(
    width: int, browser: Browser, server: Server
) -> None:
    page = Playground(browser, server.url, "causal", "generate", width=width)
    page.type("prompt", "the king")
    page.type("max_tokens", "8")
    page.type("seed", "1")
    page.run_by_click()
    page.wait(lambda: re.match(r"8 tokens", page.find(".status").text), "the end of the text")
    by_click = page.find(".writing").text
    assert by_click.startswith("the king")
    page.check()
    page.run("document.activeElement.blur();")
    page.type_by_keyboard("prompt", "a ship")
    page.run_by_keyboard()
    page.wait(lambda: re.match(r"8 tokens", page.find(".status").text), "the end of the text")
    assert page.find(".writing").text.startswith("a ship")
    page.check()


SHOWN = {"answer": "passage", "search": "query", "search_text": "query"}  # the field of a text


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_first_example_is_that_of_the_model_and_has_an_answer(
    case: Case, browser: Browser, server: Server
) -> None:
    page = Playground(browser, server.url, case.model, case.action)
    field = SHOWN.get(case.action) or next(iter(case.clicked))
    shown = page.find(f"#field-{field}").get_attribute("value")
    examples = server.client.get(f"/models/{case.model}/info").json()["examples"]
    known = [each for value in examples.values() for each in ([value], value)[type(value) is list]]
    assert shown
    assert all(any(part in each for each in known) for part in shown.splitlines()[0].split())
    page.run_by_click()
    answer = page.exchange(case.path).answer()
    assert "error" not in answer or "tokens, and the model" in answer["error"]  # it sees 30 at once


def test_every_action_has_a_test(browser: Browser, server: Server) -> None:
    page = Playground(browser, server.url)
    names = page.driver.execute_async_script(
        "const [done] = arguments; import('/playground/actions/index.js')"
        ".then(({actions}) => done(actions.map(({name}) => name)));"
    )
    assert set(names) == {case.action for case in CASES} | {"generate"}
