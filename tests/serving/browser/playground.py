"""The playground in a browser: actions by click and by keyboard, and the code that it shows."""

from __future__ import annotations

import ast
import io
import json
import subprocess
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any
from urllib.parse import urlencode

from tests.report.browser import Browser
from tests.serving.browser.visit import Visit

__all__ = ["Playground", "curl_answers", "python_answers"]

DONE = """
const status = document.querySelector(".status");
const answer = document.querySelector(".answer");
return answer && answer.childElementCount > 0 && !document.querySelector("[aria-busy=true]")
  && status.textContent !== arguments[0];
"""
MOST_STOPS = 150  # of the tabulator, on one page


class Playground(Visit):
    """The page of a server with a model and an action chosen, as its address names them.

    Args:
        browser: that looks.
        url: of the server.
        model: its name.
        action: its name; "" takes the first one.
        typed: what stands in the fields, by their names, in place of the samples.
        language: "en" or "zh", as a browser of such a person asks for it.
    """

    def __init__(
        self,
        browser: Browser,
        url: str,
        model: str = "",
        action: str = "",
        *,
        typed: Mapping[str, str] | None = None,
        width: int = 1280,
        scheme: str = "light",
        language: str = "en",
    ) -> None:
        driver = browser.driver
        kinds = {"origin": url, "storageTypes": "local_storage,session_storage"}
        driver.execute_cdp_cmd("Storage.clearDataForOrigin", kinds)
        agent = driver.execute_script("return navigator.userAgent;")
        accepted = {"userAgent": agent, "acceptLanguage": language}
        driver.execute_cdp_cmd("Emulation.setUserAgentOverride", accepted)
        chosen = urlencode({"model": model, "action": action, **(typed or {})})
        super().__init__(browser, f"{url}/#{chosen}" if model else f"{url}/", width, scheme)
        self.url = url
        self.find("h1")

    def strangers(self) -> list[str]:
        """Return the addresses that are not of the server."""
        self.look()
        return [x.url for x in self.exchanges if not x.url.startswith(f"{self.url}/")]

    def type(self, field: str, text: str) -> None:
        """Click into a field and replace what stands in it."""
        from selenium.webdriver.common.keys import Keys

        place = self.find(f"#field-{field}")
        place.click()
        place.send_keys(Keys.CONTROL, "a", Keys.NULL, text)

    def click(self, selector: str) -> None:
        """Click on the first element of a CSS selector."""
        self.find(selector).click()

    def done(self, running: str = "Running … Escape stops.") -> None:
        """Wait until the answer is drawn whole."""
        self.wait(lambda: self.run(DONE, running), "an answer")

    def run_by_click(self) -> None:
        """Click on the button that runs, and wait for the answer."""
        self.run("document.querySelector('.answer').replaceChildren();")
        self.click("button.main")
        self.done()

    def tab_to(self, selector: str) -> None:
        """Press the tabulator key until an element of a CSS selector has the focus."""
        from selenium.webdriver.common.keys import Keys

        for _ in range(MOST_STOPS):
            if self.run("return document.activeElement.matches(arguments[0]);", selector):
                return
            self.press(Keys.TAB)
        raise AssertionError(f"the tabulator never comes to {selector}")

    def type_by_keyboard(self, field: str, text: str) -> None:
        """Go to a field by the tabulator key and replace what stands in it."""
        from selenium.webdriver.common.keys import Keys

        self.tab_to(f"#field-{field}")
        self.press(Keys.CONTROL, "a", Keys.NULL, text)

    def run_by_keyboard(self) -> None:
        """Run from within the form, and wait for the answer."""
        from selenium.webdriver.common.keys import Keys

        self.run("document.querySelector('.answer').replaceChildren();")
        self.press(Keys.CONTROL, Keys.ENTER, Keys.NULL)
        self.done()

    def code(self) -> tuple[str, str]:
        """Return the command line and the Python that the page shows."""
        curl, python = self.run(
            "return [...document.querySelectorAll('.code pre')].map((each) => each.textContent);"
        )
        return curl, python

    def check(self) -> None:
        """Hold that nothing is wrong with the page: names, contrast, focus, network, console."""
        assert self.faults() == []
        assert [stop["name"] for stop in self.tab_stops() if not stop["isSeen"]] == []
        assert self.strangers() == []
        assert self.messages == []


def curl_answers(command: str) -> list[Any]:
    """Run what the page shows as a command line; return the JSON that each request prints."""
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answers, rest = [], done.stdout.strip()
    while rest:
        answer, end = json.JSONDecoder().raw_decode(rest)
        answers.append(answer)
        rest = rest[end:].strip()
    return answers


def python_answers(code: str) -> list[Any]:
    """Run what the page shows as Python; return what each of its prints shows."""
    with redirect_stdout(io.StringIO()) as written:
        exec(compile(code, "shown", "exec"), {})
    return [ast.literal_eval(line) for line in written.getvalue().splitlines()]
