from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable

import pytest

from foretext.base.errors import CorpusError, OutputError
from foretext.base.terminal import guarded_streams, say, standard_input, visible

STEERING = [
    *range(9),
    *range(11, 32),
    *range(127, 160),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
]


def test_every_control_character_is_visible() -> None:
    for point in [*STEERING, 0xD800, 0xDFFF]:
        assert visible(f"a{chr(point)}b") == f"a\\u{point:04x}b"
    assert visible("tab\tline\n é 海 𝔘 \u200d") == "tab\tline\n é 海 𝔘 \u200d"


def test_json_keeps_its_value() -> None:
    value = "".join(map(chr, [*range(0x300), 0x202E, 0xDC80, 0x1F600]))
    text = visible(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert not any(chr(point) in text for point in STEERING)


def test_say_writes_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b[31m", end="")
    say("b", error=True)
    say()
    assert capsys.readouterr() == ("a\\u001b[31m\n", "b\n")


class Refusing(io.BytesIO):
    """A stream that takes nothing, as a device would."""

    def __init__(self, error: OSError, fileno: int) -> None:
        super().__init__()
        self._error, self._fileno = error, fileno

    def write(self, data: object) -> int:
        raise self._error

    def fileno(self) -> int:
        return self._fileno


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> Callable[..., None]:
    """Let standard output or standard error refuse whatever is written."""
    files = []

    def refuse(name: str, error: OSError) -> None:
        files.append(open(f"{tmp_path}/stream", "wb"))  # noqa: PTH123, SIM115
        stream = io.TextIOWrapper(Refusing(error, files[-1].fileno()), "utf-8")
        monkeypatch.setattr(sys, name, stream)

    yield refuse  # type: ignore[misc]
    for file in files:
        file.close()


def test_a_reader_that_has_left_is_no_error(refusing: Callable[..., None]) -> None:
    refusing("stdout", BrokenPipeError())
    with guarded_streams(), pytest.raises(SystemExit, match="0"):
        say("text")
    with guarded_streams(), pytest.raises(SystemExit, match="0"):
        print("text" * 10_000)


def test_a_full_device_is_a_sentence(refusing: Callable[..., None]) -> None:
    refusing("stdout", OSError(28, "No space left on device"))
    with guarded_streams(), pytest.raises(OutputError, match=r"standard output .* disk is full"):
        say("text")


def test_standard_error_stops_no_work(refusing: Callable[..., None]) -> None:
    refusing("stderr", BrokenPipeError())
    with guarded_streams():
        say("a note", error=True)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
def test_letters_that_an_encoding_lacks(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding))
    value = "é海\U0001f600\udcff"
    with guarded_streams():
        say(json.dumps(value, ensure_ascii=False))
    assert json.loads(written.getvalue().decode(encoding)) == value


def test_closed_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(CorpusError, match="Standard input is closed"):
        standard_input()
    monkeypatch.setattr(sys, "stderr", None)
    with guarded_streams():
        say("nobody reads this", error=True)
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OutputError, match="Standard output is closed"), guarded_streams():
        pass
