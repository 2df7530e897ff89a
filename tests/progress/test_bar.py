from __future__ import annotations

import io
import re
import subprocess
import sys
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from foretext.messages import in_language
from foretext.progress import Progress, bar, is_quiet
from foretext.progress.bar import TerminalBar, human_bytes, human_count, human_figure, human_seconds


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(bar, "time", clock)
    return clock


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_every_few_seconds_without_a_terminal(clock: Clock) -> None:
    stream = io.StringIO()
    with Progress("word2vec", 1000, "words", stream=stream) as progress:
        for _ in range(10):
            clock.now += 1
            progress.advance(100, loss=2.1341)
    assert stream.getvalue().splitlines() == [
        "word2vec  50 %  100 words/s  loss 2.134  00:05  00:05 left",
        "word2vec  100 %  100 words/s  loss 2.134  00:10",
    ]


def test_work_done_before_counts_in_the_share_and_not_in_the_rate(clock: Clock) -> None:
    progress = Progress("word2vec", 1_000_000, "words", initial=500_000, stream=io.StringIO())
    clock.now += 2
    progress.advance(100_000)
    assert progress.rate == 50_000
    assert progress.seconds_left == 8
    assert progress.line() == "word2vec  60 %  50.0 k words/s  00:02  00:08 left"


def test_the_rate_is_that_of_the_last_seconds_and_of_the_whole_at_the_end(clock: Clock) -> None:
    with Progress("counting", None, "words", quiet=True) as progress:
        for amount in [0] * 20 + [10] * 20:
            clock.now += 1
            progress.advance(amount)
        assert progress.rate == 10
    assert progress.rate == 5


def test_a_pause_does_not_slow_the_rate(clock: Clock) -> None:
    with Progress("bert", 1000, "steps", quiet=True) as progress:
        clock.now += 2
        progress.advance(200)
        with progress.paused():
            clock.now += 50
        clock.now += 2
        progress.advance(200)
        assert progress.rate == 100
        assert progress.seconds_left == 6
        assert progress.elapsed == 54
    assert progress.rate == 100


def test_the_rest_of_a_time_is_what_is_left_of_it(clock: Clock) -> None:
    with Progress("bert", 60, "seconds", quiet=True) as progress:
        with progress.paused():
            clock.now += 20
        progress.advance(20)
        assert progress.seconds_left == 40


def test_an_unknown_total_shows_the_amount(clock: Clock) -> None:
    progress = Progress("counting", None, "words", stream=io.StringIO())
    clock.now += 1
    progress.advance(1_250_000)
    assert progress.seconds_left is None
    assert progress.line() == "counting  1.2 M words  1.2 M words/s  00:01"


def test_more_than_the_total_is_still_the_whole() -> None:
    progress = Progress("reading", 10, "bytes", stream=io.StringIO())
    progress.advance(12)
    assert "100 %" in progress.line()


def test_quiet_writes_nothing() -> None:
    for stream in (io.StringIO(), Terminal()):
        with Progress("word2vec", 10, "words", quiet=True, stream=stream) as progress:
            progress.advance(10, loss=1.0)
        assert stream.getvalue() == ""
        assert progress.done == 10


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream = Terminal()
    with Progress("word2vec", 10, "words", stream=stream) as progress:
        progress.advance(4, loss=2.5)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue()).splitlines()[-1]
    assert shown.startswith("word2vec")
    assert "━" in shown
    assert "40 %" in shown
    assert "loss 2.500" in shown


def test_standard_output_stays_clean(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("word2vec", 10, "words") as progress:
        progress.advance(10)
        print("{}")
    captured = capsys.readouterr()
    assert captured.out == "{}\n"
    assert captured.err.startswith("word2vec  100 %")


def test_rich_is_not_imported_before_there_is_a_bar() -> None:
    code = (
        "import sys, foretext.progress; assert not any(m.startswith('rich') for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_title_cannot_steer_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for stream in (io.StringIO(), Terminal()):
        with Progress("a\x1b[2Jb", 10, "words", stream=stream):
            pass
        assert "a\\u001b[2Jb" in stream.getvalue()
        assert "\x1b[2J" not in stream.getvalue()


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


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (0.5, "0.5"),
        (999, "999"),
        (1234, "1.2 k"),
        (99_960, "100 k"),
        (999_950, "1.0 M"),
        (3_140_000, "3.1 M"),
        (17_000_000, "17.0 M"),
        (2.5e12, "2.5 T"),
    ],
)
def test_counts_have_about_three_digits(count: float, text: str) -> None:
    assert human_count(count) == text


@given(st.floats(min_value=1, max_value=1e15))
def test_no_scale_is_overrun(count: float) -> None:
    number = float(human_count(count).split()[0])
    assert number <= 999 or count >= 1e15 * 0.999


def test_bytes_are_decimal() -> None:
    assert human_bytes(512) == "512 B"
    assert human_bytes(204_000_000) == "204 MB"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "00:00"), (31, "00:31"), (3599.6, "1:00:00"), (93600, "26:00:00")]
)
def test_durations(seconds: float, text: str) -> None:
    assert human_seconds(seconds) == text


def test_figures_keep_what_counts() -> None:
    assert human_figure(2.13416) == "2.134"
    assert human_figure(0.000123456) == "0.0001235"
    assert human_figure(0) == "0"


def test_large_figures_have_no_decimals() -> None:
    assert [human_figure(value) for value in (251.0, 99.5, -400.2)] == ["251", "99.500", "-400"]


def drawn_line(progress: Progress, width: int) -> str:
    """The line as rich draws it in its own thread, which knows no language of the maker."""
    found: list[str] = []

    def draw() -> None:
        stream = io.StringIO()
        console = Console(file=stream, width=width, color_system=None, force_terminal=False)
        console.print(TerminalBar(progress, Terminal())._row(width))
        found.append(stream.getvalue())

    thread = Thread(target=draw)
    thread.start()
    thread.join()
    return found[0]


def test_a_bar_keeps_the_language_of_its_maker(clock: Clock) -> None:
    with in_language("zh"):
        progress = Progress("统计词频", 1000, "words", stream=io.StringIO())
        own = Progress("计数", 1000, "k_mers", stream=io.StringIO())
    clock.now += 2
    with in_language("en"):
        progress.advance(500, loss=2.5, own_figure=1.5)
        own.advance(500)
        assert progress.line() == (
            "统计词频  50 %  250 词/秒  损失 2.500  own figure 1.500  00:02  还剩 00:02"
        )
        assert own.line() == "计数  50 %  250 k mers/秒  00:02  还剩 00:02"
        english = Progress("counting", 1000, "words", stream=io.StringIO())
    with in_language("zh"):
        assert "words/s" in english.line()


@pytest.mark.parametrize("title", ["统计词频", "为整个语料统计词频并学习词表", "counting"])
def test_a_bar_takes_the_cells_that_the_text_leaves(clock: Clock, title: str) -> None:
    with in_language("zh"):
        progress = Progress(title, 1000, "words", stream=io.StringIO())
    clock.now += 2
    progress.advance(500, loss=2.5)
    line = drawn_line(progress, 80).rstrip("\n")
    assert "\n" not in line
    assert cell_len(line) <= 80
    assert line.rstrip().endswith("50 %  250 词/秒  损失 2.500  00:02  还剩 00:02")
    text = cell_len(progress.line())
    place = min(bar.BAR_WIDTH, 80 - text - 4)
    assert cell_len(line) == (text + 2 + place if place > 0 else text)
