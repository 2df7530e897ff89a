from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest

from foretext.cli import waiting
from tests.cli.conftest import Command
from tests.language_model.models import bert


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("the ship on the wave\nthe judge and the jury\n" * 150)
    return path


def test_embed_shows_how_far_it_is(
    command: Command, run: Path, texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "vectors.npy"
    done = command("embed", run, texts, "-o", out)
    assert done.err.startswith("embedding  100 %  ")
    assert "texts/s" in done.err
    assert command("embed", run, texts, "-o", out, "--overwrite", "--quiet").err == ""


def test_a_few_texts_are_no_work(command: Command, run: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.txt"
    few.write_text("the ship\n")
    assert command("embed", run, few).err == ""


def test_lines_of_a_file_are_counted_and_a_terminal_with_answers_needs_no_bar(
    texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with waiting.bar_of_lines(str(texts), "answering") as bar:
        assert bar.total == 300
        assert sum(1 for _ in bar.over("abc")) == 3
    assert "answering" in sys.stderr.getvalue()
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    with waiting.bar_of_lines(str(texts), "answering"):
        pass
    assert sys.stderr.getvalue() == ""


def test_lines_of_standard_input_have_no_known_number() -> None:
    assert waiting.bar_of_lines("-", "answering").total is None
    assert waiting.bar_of_lines("no-such-file", "answering").total is None


def test_a_clock_is_for_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with waiting.clock_of("converting") as clock:
            clock.stage("writing 3 words")
        assert ("converting: writing 3 words" in stream.getvalue()) == shown


def test_language_models_say_how_many_texts_are_embedded(
    texts: Path, tmp_path: Path, command: Command
) -> None:
    model, out = bert(), tmp_path / "vectors.npy"
    model.save(tmp_path / "bert")
    done = command("embed", tmp_path / "bert", texts, "-o", out)
    assert done.code == 0, done.err
    assert done.err.splitlines()[-1].startswith("embedding  100 %")
    assert np.allclose(np.load(out), model.embed(texts.read_text().splitlines()), atol=1e-5)
