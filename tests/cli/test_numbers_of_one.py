"""What commands print, and what a run keeps, of one row, text or document."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.cli.index import _show as show_indexed
from tests.cli.conftest import Command


def test_the_log_of_a_training(tmp_path: Path) -> None:
    rows = [("a ship", "sea"), ("a field", "land")]
    ft.finetune("classification", "linear", rows, tmp_path / "run", valid=rows[:1], quiet=True)
    log = (tmp_path / "run" / "train.log").read_text(encoding="utf-8")
    assert "2 rows to learn from, 1 held out" in log


def test_the_card_of_one_document(command: Command, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("one ship on the sea " * 40, encoding="utf-8")
    run, texts, out = (tmp_path / name for name in ("run", "texts.txt", "out.npy"))
    settings = ["--set", "vectors.epochs=1", "--set", "data.valid_rate=0", "--no-report", "-q"]
    done = command("pretrain", "word2vec", tmp_path / "corpus.txt", "-o", run, *settings)
    assert done.code == 0, done.err
    assert " 1 document (" in " ".join((run / "README.md").read_text(encoding="utf-8").split())
    assert "1 document, " in (run / "train.log").read_text(encoding="utf-8")
    texts.write_text("a ship\n", encoding="utf-8")
    assert command("embed", run, texts, "-o", out).out == f"1 text: {out}\n"


def test_an_index_of_one_text(capsys: pytest.CaptureFixture[str]) -> None:
    show_indexed({"places": 1, "passages": 1, "files": 1, "index": "out"})
    assert capsys.readouterr().out == "1 passage of 1 file: out\n"
