"""`inspect` shows what it found, and its exit code says that a file could not be read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

TEXT = "The ship came to the harbour, and the wind was good.\n" * 30


@pytest.mark.parametrize("damage", ["latin", "cut"])
def test_a_damaged_file(damage: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "good.txt").write_text(TEXT, encoding="utf-8")
    if damage == "latin":
        (tmp_path / "bad.txt").write_bytes(TEXT.encode() + "schön \xff\xfe\n".encode("latin-1"))
    else:
        (tmp_path / "bad.txt.gz").write_bytes(gzip.compress(TEXT.encode())[:-20])
    done = command("inspect", tmp_path, "-q")
    assert done.code == 2
    assert "error: " in done.out
    assert "bad.txt" in done.out
    assert "sentences" in done.out
    shown = command("inspect", tmp_path, "--json", "-q")
    assert shown.code == 2
    found = json.loads(shown.out)
    assert found["problems"][0]["severity"] == "error"
    (tmp_path / "bad.txt").unlink(missing_ok=True)
    (tmp_path / "bad.txt.gz").unlink(missing_ok=True)
    assert command("inspect", tmp_path, "-q").code == 0
