from __future__ import annotations

import io
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from foretext.progress import Progress, bar, is_quiet


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Notebook:
    """What a kernel shows: a list of forms for each change of the one line."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def display(self, forms: dict[str, str], *, raw: bool, display_id: bool) -> Notebook:
        assert raw
        assert display_id
        self.shown.append(forms)
        return self

    def update(self, forms: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(forms)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    return _pretend(monkeypatch, {"IPKernelApp": {}})


def _pretend(monkeypatch: pytest.MonkeyPatch, config: dict[str, Any]) -> Notebook:
    """Stand in for IPython, which is not installed here."""
    found, package, display = Notebook(), ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: SimpleNamespace(config=config)  # type: ignore[attr-defined]
    display.display = found.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return found


def test_a_notebook_shows_one_line_that_changes(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(bar, "time", clock)
    with Progress("a <b>", 1000, "words", quiet=None) as progress:
        for _ in range(1000):
            clock.now += 0.01
            progress.advance(1)
    assert len(notebook.shown) <= 23  # 10 seconds, twice a second, the first and the last
    assert notebook.shown[-1]["text/plain"] == "a <b>  100 %  100 words/s  00:10"
    assert '<progress value="1.0000"' in notebook.shown[-1]["text/html"]
    assert "a &lt;b&gt;" in notebook.shown[-1]["text/html"]
    assert capsys.readouterr().err == ""


def test_a_notebook_shows_no_bar_where_the_end_is_not_known(notebook: Notebook) -> None:
    with Progress("reading", None, "bytes") as progress:
        progress.advance(3)
    assert "<progress" not in notebook.shown[-1]["text/html"]


def test_by_default_progress_is_for_terminals_and_notebooks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert is_quiet(None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert not is_quiet(None)
    assert is_quiet(True)
    monkeypatch.setattr(sys, "stderr", None)
    assert is_quiet(None)
    assert not is_quiet(False)


def test_a_kernel_is_a_notebook_and_a_shell_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    _pretend(monkeypatch, {})  # the ipython program in a terminal
    assert is_quiet(None)
    _pretend(monkeypatch, {"IPKernelApp": {}})
    assert not is_quiet(None)


def test_an_unwatched_progress_writes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("word2vec", 10, "words", quiet=None) as progress:
        progress.advance(10)
    assert stream.getvalue() == ""
