"""The page around the actions: languages, colours, links, keys, stopping, and what goes wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.routing import Mount

from foretext.serving.routes.pages import router
from tests.report.browser import Browser
from tests.serving.browser.playground import Playground
from tests.serving.conftest import Server, running
from tests.serving.models import WORDS

Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="no selenium").Keys

NOT_SAVED = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


def visit(browser: Browser, url: str, **options: Any) -> Playground:
    return Playground(browser, url, "words", "neighbors", typed={"words": WORDS[0]}, **options)


def reload(page: Playground) -> None:
    page.driver.refresh()
    page.find("h1")


def network(page: Playground, **conditions: Any) -> None:
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**NOT_SAVED, **conditions})


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Run an application of a test's own; yield its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


def small_app(num_unready: int = 0) -> FastAPI:
    """A page whose server knows one word, and is loading the first times that it is asked."""
    app = FastAPI()
    app.include_router(router)
    asked = []

    @app.get("/info")
    async def info() -> JSONResponse:
        asked.append(time.time())
        if len(asked) <= num_unready:
            return JSONResponse({"error": "Loading.", "error_type": "Unhealthy"}, 503)
        words = {
            "name": "words",
            "kind": "word vectors",
            "abilities": ["neighbors"],
            "examples": {"words": ["ship", "boat"]},
        }
        return JSONResponse({"models": [words]})

    @app.post("/neighbors")
    async def neighbors(body: dict[str, Any]) -> dict[str, Any]:
        return {word: {"near": 0.5} for word in body["words"]}

    return app


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("language", "title"), [("en-GB,en", "Neighbours"), ("zh-CN,zh", "近邻词")]
)
def test_the_page_speaks_the_language_of_the_browser(
    language: str, title: str, browser: Browser, server: Server
) -> None:
    page = visit(browser, server.url, language=language)
    assert page.texts("h1") == [title]
    assert page.run("return document.documentElement.lang;") == language[:2].replace(
        "zh", "zh-Hans"
    )


@pytest.mark.slow
def test_another_language_is_remembered_and_keeps_the_answer(
    browser: Browser, server: Server
) -> None:
    page = visit(browser, server.url)
    page.run_by_click()
    numbers = page.texts(".answer .number")
    page.click("#language")
    assert page.texts("h1") == ["近邻词"]
    assert page.wait(lambda: page.texts(".answer .number"), "the answer") == numbers
    reload(page)
    assert page.texts("h1") == ["近邻词"]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_until_somebody_chooses(
    scheme: str, browser: Browser, server: Server
) -> None:
    page = visit(browser, server.url, scheme=scheme)
    shown = "return document.documentElement.dataset.theme;"
    assert page.run(shown) == scheme
    page.click("#dark")
    other = {"light": "dark", "dark": "light"}[scheme]
    assert page.run(shown) == other
    reload(page)
    assert page.run(shown) == other
    pressed = page.find("#dark").get_attribute("aria-pressed")
    assert pressed == str(other == "dark").lower()


@pytest.mark.slow
def test_the_address_is_a_link_to_what_is_typed(browser: Browser, server: Server) -> None:
    page = visit(browser, server.url)
    page.type("words", WORDS[1])
    page.type("k", "3")
    page.run_by_click()
    link = page.driver.current_url
    page.driver.get("about:blank")
    page.driver.get(link)
    assert page.find("#field-words").get_property("value") == WORDS[1]
    assert page.find("#field-k").get_property("value") == "3"
    assert page.find("#model").get_property("value") == "words"


def test_a_long_text_stays_out_of_the_address_and_in_the_form(
    browser: Browser, server: Server
) -> None:
    page = Playground(browser, server.url, "causal", "tokenize")
    text = "the sea " * 200
    page.run(
        "const field = document.querySelector('#field-inputs'); field.value = arguments[0];"
        "for (const name of ['input', 'change'])"
        "  field.dispatchEvent(new Event(name, {bubbles: true}));",
        text,
    )
    assert "sea" not in page.driver.current_url
    page.click("nav a:not([aria-current])")
    page.driver.back()
    assert page.find("#field-inputs").get_property("value") == text


def test_the_way_back_leads_to_the_action_before(browser: Browser, server: Server) -> None:
    page = visit(browser, server.url)
    page.click('nav a[href*="action=map"]')
    assert page.texts("h1") == ["Map of words"]
    page.driver.back()
    assert page.texts("h1") == ["Neighbours"]


@pytest.mark.slow
def test_another_model_is_chosen_by_keyboard(browser: Browser, server: Server) -> None:
    page = visit(browser, server.url)
    page.tab_to("#model")
    page.press("mas")
    page.wait(lambda: page.texts("h1") != ["Neighbours"], "another model")
    assert page.find("#model").get_property("value") == "masked"
    assert page.run("return document.activeElement.id;") == "model"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("by", ["Escape", "the button"])
def test_a_request_is_stopped(by: str, browser: Browser, server: Server) -> None:
    page = visit(browser, server.url)
    network(page, latency=20_000)
    try:
        page.click("button.main")
        page.find("form button:not(.main)")
        assert page.texts(".status") == ["Running … Escape stops."]
        if by == "Escape":
            page.press(Keys.ESCAPE)
        else:
            page.click("form .row button:not(.main)")
        assert page.texts(".status") == ["Stopped."]
        assert page.find_all("form .row button:not(.main)") == []
    finally:
        network(page)
    page.run_by_click()


def test_what_the_server_refuses_is_a_sentence(browser: Browser, server: Server) -> None:
    page = visit(browser, server.url)
    page.type("words", "nowhere")
    page.run_by_click()
    head, told = page.texts(".refusal p")
    assert head == "The model cannot answer this."
    assert "'nowhere' is not in the vocabulary" in told


@pytest.mark.slow
def test_a_server_that_is_gone_is_named(browser: Browser, server: Server) -> None:
    page = visit(browser, server.url)
    network(page, offline=True)
    try:
        page.run_by_click()
    finally:
        network(page)
    assert "The server does not answer." in page.texts(".refusal")[0]


@pytest.mark.slow
def test_an_empty_field_is_not_sent(browser: Browser, server: Server) -> None:
    page = visit(browser, server.url)
    page.type("words", Keys.BACKSPACE)
    page.click("button.main")
    assert page.texts(".status") == []
    assert page.run("return document.activeElement.id;") == "field-words"


@pytest.mark.slow
def test_a_key_is_asked_for_kept_for_the_tab_and_never_shown(
    browser: Browser, models: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "keys"
    file.write_text("a-long-secret-key\n")
    file.chmod(0o600)
    with running(models, api_key_file=file) as server:
        page = visit(browser, server.url)
        page.wait(lambda: page.run("return document.activeElement.id;") == "key-field", "the field")
        page.press("a-wrong-key", Keys.ENTER)
        page.wait(lambda: page.texts(".refusal"), "a refusal")
        page.find("#key-field").clear()
        page.find("#key-field").send_keys("a-long-secret-key", Keys.ENTER)
        page.find("#model")
        page.run_by_click()
        assert page.texts(".answer caption") == [WORDS[0]]
        reload(page)
        page.find("#model")
        assert all("$FORETEXT_API_KEY" in code or "environ" in code for code in page.code())
        assert "secret" not in page.run("return document.documentElement.innerHTML;")


@pytest.mark.slow
def test_a_server_that_is_loading_is_asked_again(browser: Browser) -> None:
    with served(small_app(num_unready=1)) as url:
        page = Playground(browser, url)
        page.wait(lambda: page.texts("h1") == ["Neighbours"], "the form")


@pytest.mark.slow
def test_the_page_works_below_a_prefix(browser: Browser) -> None:
    app = FastAPI(routes=[Mount("/models/nlp", small_app())])
    with served(app) as url:
        page = visit(browser, f"{url}/models/nlp")
        page.run_by_click()
        assert page.texts(".answer .word") == ["near"]
        assert page.strangers() == []
        assert f"{url}/models/nlp/neighbors" in page.code()[0]
