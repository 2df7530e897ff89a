"""The browser of all tests of pages, opened once a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.report.browser import Browser, opened_browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with opened_browser() as found:
        yield found
