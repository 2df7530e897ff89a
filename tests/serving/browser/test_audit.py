"""The audit finds each fault on a page that has it, and none on a page without."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.report.browser import Browser
from tests.serving.browser.visit import Visit

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"></head>
<body style="background: white; color: black"><main><h1>A page</h1>{}</main></body></html>"""
FAULTS = {
    "<button style='width: 30px; height: 30px'></button>": "has no name",
    "<input placeholder='a word' style='height: 30px; font-size: 16px'>": "has no name",
    "<img src='data:,' width=9 height=9>": "has no label",
    "<svg width=20 height=20><circle r=5 /></svg>": "has no label",
    "<table><tr><th scope=col>a</th></tr></table>": "has no caption",
    "<table><caption>a</caption><tr><td>a</td></tr></table>": "has no header",
    "<h3>Deep</h3>": "follows h1",
    "<h1>Second</h1>": "has 2 h1",
    "<h2></h2><p>text</p>": "is empty",
    "<p tabindex=3>text</p>": "positive tabindex",
    "<p id=a>text</p><p id=a>text</p>": "two elements have the id a",
    "<p aria-labelledby=nothing>text</p>": "names nothing, which is nowhere",
    "<div aria-hidden=true><button>press me please</button></div>": "hidden from screen readers",
    "<div style='width: 3000px'>text</div>": "pixels wide",
    "<button style='height: 20px'>press</button>": "x 20 pixels",
    "<p style='color: #888'>text</p>": "has a contrast of 3.5",
    "<div style='background: black'><p style='color: rgb(0 0 0 / .9)'>text</p></div>": "a contrast",
    "<div style='opacity: .4'><p>text</p></div>": "has a contrast of 2.",
    "<svg role=img aria-label=a><text y=20 fill=yellow>a</text></svg>": "has a contrast of 1.0",
    "<input aria-label=a style='height: 30px; font-size: 16px; border-color: #eee'>": "the edge of",
    "<input aria-label=a style='height: 30px; font-size: 12px'>": "a telephone zooms in",
}
GOOD = """<h2>Part</h2><label>A word <input style="height: 30px; font: inherit"></label>
<button style="height: 30px">Go on</button><p style="color: #666">A <a href="/">link</a> in it.</p>
<table><caption>Figures</caption><tr><th scope="col">a</th></tr><tr><td>1</td></tr></table>
<svg width="20" height="20" aria-hidden="true"><circle r="5" /></svg>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def visit(browser: Browser, folder: Path, address: str, body: str, width: int = 390) -> Visit:
    (folder / "index.html").write_text(PAGE.format(body), encoding="utf-8")
    return Visit(browser, address, width, "light")


def test_a_good_page_has_no_faults(browser: Browser, folder: Path, address: str) -> None:
    seen = visit(browser, folder, address, GOOD)
    assert seen.faults() == []
    assert seen.strangers() == []
    assert seen.messages == []
    stops = seen.tab_stops()
    assert [stop["tag"] for stop in stops] == ["input", "button", "a"]
    assert all(stop["isSeen"] for stop in stops)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(("body", "sentence"), FAULTS.items())
def test_each_fault_is_found(
    browser: Browser, folder: Path, address: str, body: str, sentence: str
) -> None:
    assert any(sentence in fault for fault in visit(browser, folder, address, body).faults())


def test_a_language_and_a_title_are_missed(browser: Browser, folder: Path, address: str) -> None:
    (folder / "index.html").write_text("<link rel=icon href='data:,'><p>text")
    faults = Visit(browser, address, 390, "light").faults()
    assert "html has no lang" in faults
    assert "the page has no title" in faults
    assert "the page has 0 main parts" in faults


def test_a_focus_that_is_not_seen_is_found(browser: Browser, folder: Path, address: str) -> None:
    seen = visit(browser, folder, address, "<button style='outline: none'>press</button>")
    assert [stop["isSeen"] for stop in seen.tab_stops()] == [False]


def test_requests_to_elsewhere_and_errors_are_seen(
    browser: Browser, folder: Path, address: str
) -> None:
    script = "<script src='http://192.0.2.1/a.js'></script><script>nothing.here()</script>"
    seen = visit(browser, folder, address, script)
    assert "http://192.0.2.1/a.js" in seen.strangers()
    assert any("nothing is not defined" in message for message in seen.messages)


def test_answers_are_read_as_the_page_got_them(
    browser: Browser, folder: Path, address: str
) -> None:
    (folder / "a.json").write_text('{"a": [1, "ü"]}', encoding="utf-8")
    script = "<script>fetch('/a.json').then((reply) => reply.json())</script>"
    assert visit(browser, folder, address, script).exchange("/a.json").answer() == {"a": [1, "ü"]}


def test_what_never_comes_is_named(
    browser: Browser, folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.serving.browser.visit.PATIENCE", 0)
    seen = visit(browser, folder, address, "")
    with pytest.raises(AssertionError, match="#nothing never came"):
        seen.find("#nothing")
