"""A visit to a page of a server: what is on it, what it fetched, what stands in its way."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.report.browser import Browser

__all__ = ["Exchange", "Visit"]

PATIENCE = 60  # seconds, on a busy machine too
AUDIT = Path(__file__).with_name("audit.js").read_text(encoding="utf-8")
TOP = """
const first = document.body.insertBefore(document.createElement("p"), document.body.firstChild);
first.tabIndex = -1;
first.focus();
first.remove();
"""
FOCUSED = """
const element = document.activeElement;
if (!element || element === document.body) return null;
const look = () => {
  const style = getComputedStyle(element);
  const ring = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth);
  return [ring, style.boxShadow, style.borderColor, style.backgroundColor].join();
};
element.getAnimations({subtree: true}).forEach((each) => each.finish());
const focused = look();
element.blur();
element.getAnimations({subtree: true}).forEach((each) => each.finish());
const plain = look();
element.focus({focusVisible: true, preventScroll: true});
const name = element.getAttribute("aria-label") || element.labels?.[0]?.textContent
  || element.textContent || element.localName;
return {tag: element.localName, id: element.id, name: name.trim(), isSeen: focused !== plain};
"""


class Exchange:
    """A request of the page and the answer that it got."""

    def __init__(self, driver: Any, number: str, request: dict[str, Any]) -> None:
        self._driver, self._number = driver, number
        self.url: str = request["url"]
        self.method: str = request["method"]
        self.headers: dict[str, str] = request["headers"]
        self.body: str | None = request.get("postData")
        self.is_over = False

    @property
    def path(self) -> str:
        """The path of its address."""
        return urlsplit(self.url).path

    def answer(self) -> Any:
        """Return the JSON that the page got."""
        command = {"requestId": self._number}
        found = self._driver.execute_cdp_cmd("Network.getResponseBody", command)
        text = base64.b64decode(found["body"]) if found["base64Encoded"] else found["body"]
        return json.loads(text)


class Visit:
    """A page of the server at `address` in a window of `width` pixels.

    Attributes:
        exchanges: what the page has asked for so far, the first first.
        messages: what it has written to the console.
    """

    def __init__(self, browser: Browser, address: str, width: int, scheme: str) -> None:
        self.driver = browser.driver
        self.address, self.width = address, width
        self.exchanges: list[Exchange] = []
        self.messages: list[str] = []
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get("about:blank")
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)  # what earlier visits left
        self.driver.get(address)

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """Return what `condition` gives once it is true; say `what` never came otherwise."""
        from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(
            self.driver,
            PATIENCE,
            poll_frequency=0.02,
            ignored_exceptions=[StaleElementReferenceException],
        )
        try:
            return waiting.until(lambda _driver: condition())
        except TimeoutException:
            self.look()
            raise AssertionError(f"{what} never came; the console says {self.messages}") from None

    def find(self, selector: str) -> Any:
        """Return the first element of a CSS selector that is shown, once there is one."""
        return self.wait(lambda: next(iter(self.find_all(selector)), None), selector)

    def find_all(self, selector: str) -> list[Any]:
        """Return the elements of a CSS selector that are shown."""
        found = self.driver.find_elements("css selector", selector)
        return [element for element in found if element.is_displayed()]

    def texts(self, selector: str) -> list[str]:
        """Return the words of each element of a CSS selector that is shown."""
        return [element.text for element in self.find_all(selector)]

    def run(self, script: str, *arguments: Any) -> Any:
        """Run JavaScript and return its result."""
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys: str) -> None:
        """Send keys to whatever has the focus."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def look(self) -> None:
        """Take in what the browser has logged since the last look."""
        self.messages += [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            number = message["params"].get("requestId")
            if message["method"] == "Network.requestWillBeSent":
                request = message["params"]["request"]
                self.exchanges.append(Exchange(self.driver, number, request))
            elif message["method"] in ("Network.loadingFinished", "Network.loadingFailed"):
                for exchange in self.exchanges:
                    exchange.is_over |= exchange._number == number

    def exchange(self, path: str) -> Exchange:
        """Return the last request to a path of the server, once it is answered."""

        def found() -> Exchange | None:
            self.look()
            return next((x for x in reversed(self.exchanges) if x.path == path and x.is_over), None)

        exchange: Exchange = self.wait(found, f"an answer of {path}")
        return exchange

    def strangers(self) -> list[str]:
        """Return the addresses elsewhere that the page asked for."""
        self.look()
        return [x.url for x in self.exchanges if not x.url.startswith(self.address)]

    def faults(self) -> list[str]:
        """Return what stands in the way of people on the page as it is."""
        found: list[str] = self.run(AUDIT)
        return found

    def tab_stops(self, most: int = 200) -> list[dict[str, Any]]:
        """Return what the tabulator key reaches from the top, and whether its focus is seen."""
        from selenium.webdriver.common.keys import Keys

        self.run(TOP)
        found: list[dict[str, Any]] = []
        for _ in range(most):
            self.press(Keys.TAB)
            stop = self.run(FOCUSED)
            if stop is None:
                break
            found.append(stop)
        return found
