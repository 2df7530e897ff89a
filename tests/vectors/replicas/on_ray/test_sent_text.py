"""A text that nodes find in a folder, or get in pieces."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.vectors.replicas.on_ray import group
from foretext.vectors.replicas.on_ray.group import META, SentText, pieces_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tokens"
    folder.mkdir()
    (folder / META).write_bytes(b"{}")
    (folder / "ids.bin").write_bytes(bytes(range(250)))
    return folder


def test_a_folder_that_is_here_is_used(folder: Path) -> None:
    text = SentText(str(folder))
    assert text.is_here(b"{}")
    with text.folder() as found:
        assert found == folder
    assert folder.is_dir()
    assert not text.is_here(b'{"fingerprint": "of another text"}')
    assert not SentText(str(folder / "elsewhere")).is_here(b"{}")


def test_pieces_become_the_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "PIECE", 100)
    pieces = list(pieces_of(folder))
    assert [(name, len(piece)) for name, piece in pieces] == [
        ("ids.bin", 100),
        ("ids.bin", 100),
        ("ids.bin", 50),
        (META, 2),
    ]
    text = SentText(str(folder / "elsewhere"))
    for name, piece in pieces:
        text.receive(f"../{name}", piece)  # which leads nowhere else
    with text.folder() as found:
        files = {path.name: path.read_bytes() for path in found.iterdir()}
    assert files == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert not found.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_folder_of_a_text_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / META)
    assert not SentText(str(tmp_path)).is_here(b"{}")


def test_a_text_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="gone cannot be read"):
        list(pieces_of(tmp_path / "gone"))
