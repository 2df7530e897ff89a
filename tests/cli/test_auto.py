from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.corpus.wrapped_texts import book

GERMAN = "Der grüne Präsident grüßte schon das schöne Mädchen am Fluss.\n" * 60


@pytest.mark.slow
def test_auto_on_the_command_line(command: Command, tmp_path: Path) -> None:
    wrapped_book, german = tmp_path / "book.txt", tmp_path / "german.txt"
    wrapped_book.write_text(book(12), encoding="utf-8")
    german.write_text(GERMAN, encoding="utf-8")
    done = command("inspect", wrapped_book, "--json", "-q")
    assert json.loads(done.out)["settings"]["corpus"]["lines"] == "wrapped"
    shown = command("inspect", wrapped_book, "-q").out
    assert "--set corpus.lines=wrapped --set corpus.documents=blank_lines" in shown
    assert "sentences each" not in command("inspect", wrapped_book, "--auto", "-q").out
    out = tmp_path / "pieces"
    arguments = ("--kind", "wordpiece", "--vocab-size", "120", "--auto", "-q")
    done = command("tokenizer", german, "-o", out, *arguments)
    assert done.code == 0
    assert "tokenizer.lowercase = False" in done.err
    options = ("--set", "vectors.epochs=1", "--auto", "--no-report")
    done = command("pretrain", "word2vec", german, "-o", tmp_path / "run", *options)
    assert done.code == 0
    assert "auto: tokenizer.lowercase=false, because" in done.err
