"""A real browser that looks at a page: Chromium by Selenium, without a window and a network."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

DRIVER = "chromedriver"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHARTS = """
const marks = ".point, .lines path, .box, .rule, .label";
return [...document.querySelectorAll("[data-chart]")].map((place) => {
  const svg = place.querySelector("svg.plot");
  const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
  const found = svg ? [...svg.querySelectorAll(marks)] : [];
  const drawn = found.filter((each) => each.getClientRects().length);
  return {
    name: place.dataset.chart, width: box.width, height: box.height, marks: drawn.length,
    said: svg && svg.getAttribute("aria-label"),
  };
});
"""
SIZES = "return [document.documentElement.scrollWidth, window.innerWidth];"
TABLES = """
return [...document.querySelectorAll("table")].map((table) => {
  const box = table.getBoundingClientRect();
  return [table.rows.length, box.width, box.height];
});
"""


class Seen:
    """A page in the browser."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self.charts: list[dict[str, Any]] = driver.execute_script(CHARTS)
        self.tables: list[tuple[int, float, float]] = driver.execute_script(TABLES)
        self.width, self.window = driver.execute_script(SIZES)
        self.messages = [entry["message"] for entry in driver.get_log("browser")]
        self.requests = list(self._requested())

    def _requested(self) -> Iterator[str]:
        """Yield the address of everything that the browser wanted to fetch since it opened."""
        for entry in self._driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                yield message["params"]["request"]["url"]

    def focus_all(self) -> list[str]:
        """Return the tag, or role, of what the tabulator key reaches, in its order."""
        from selenium.webdriver.common.by import By
        from selenium.webdriver.common.keys import Keys

        reached: list[str] = []
        self._driver.find_element(By.TAG_NAME, "body").click()
        for _ in range(40):
            self._driver.switch_to.active_element.send_keys(Keys.TAB)
            element = self._driver.switch_to.active_element
            if element.tag_name == "body":
                break
            reached.append(element.get_attribute("aria-label") or element.tag_name)
        return reached


class Browser:
    """Opens pages."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def look(self, page: Path, *, width: int = 1280, scheme: str = "light") -> Seen:
        """Open a page in a window of `width` pixels."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)  # what earlier pages left
        self.driver.get(page.absolute().as_uri())
        return Seen(self.driver)


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """Start a browser, or skip the test and say why."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    driver = shutil.which(DRIVER)
    if driver is None:
        pytest.skip("no chromedriver is installed: apt-get install chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--disable-background-networking", "--no-first-run", "--hide-scrollbars",
    ):  # fmt: skip
        options.add_argument(argument)
    service = selenium.ChromeService(executable_path=driver)
    started = selenium.Chrome(options=options, service=service)
    try:
        yield Browser(started)
    finally:
        started.quit()
