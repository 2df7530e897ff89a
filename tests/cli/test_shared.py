"""The options of the verbs that read text, whose names stand in the errors about text."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from foretext.cli import shared
from foretext.cli.shared import reading
from tests.cli.conftest import Command
from tests.language_model.models import bert


def test_options_are_settings_of_the_corpus() -> None:
    assert reading(None, None) == []
    assert reading("cp1252", "body") == ['corpus.encoding="cp1252"', 'corpus.column="body"']


@pytest.mark.parametrize("verb", ["inspect", "tokenizer", "plan", "pretrain"])
def test_every_verb_of_text_has_the_options_that_its_errors_name(
    verb: str, command: Command, tmp_path: Path
) -> None:
    (tmp_path / "latin.txt").write_bytes("der Fluß und das Öl\n".encode("cp1252") * 20)
    arguments = {"plan": ["plan", "bert"], "pretrain": ["pretrain", "word2vec"]}.get(verb, [verb])
    output = ["-o", tmp_path / "out"] if verb in ("tokenizer", "pretrain") else []
    done = command(*arguments, tmp_path / "latin.txt", *output)
    assert done.code == 2
    assert "--encoding" in done.err
    shown = command(verb, "--help").out
    assert "--encoding NAME" in shown
    assert "--column COLUMN" in shown


def test_a_tokenizer_of_a_column(command: Command, tmp_path: Path) -> None:
    rows = "".join(json.dumps({"body": "ein Öl für das Tor"}) + "\n" for _ in range(20))
    (tmp_path / "rows.jsonl").write_bytes(rows.encode("utf-8"))
    arguments = ("tokenizer", tmp_path / "rows.jsonl", "-o", tmp_path / "out", "--column", "body")
    assert command(*arguments, "--vocab-size", 300, "--json").code == 0


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
    with shared.bar_of_lines(str(texts), "answering") as bar:
        assert bar.total == 300
        assert sum(1 for _ in bar.over("abc")) == 3
    assert "answering" in sys.stderr.getvalue()
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    with shared.bar_of_lines(str(texts), "answering"):
        pass
    assert sys.stderr.getvalue() == ""


def test_lines_of_standard_input_have_no_known_number() -> None:
    assert shared.bar_of_lines("-", "answering").total is None
    assert shared.bar_of_lines("no-such-file", "answering").total is None


def test_a_clock_is_for_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with shared.clock_of("converting") as clock:
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
