from __future__ import annotations

import io
import re
import subprocess
import sys

import pytest

from foretext.progress import Progress, bar


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
