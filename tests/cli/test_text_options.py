"""The options of the verbs that read text, whose names stand in the errors about text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.cli.text_options import reading
from tests.cli.conftest import Command


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
