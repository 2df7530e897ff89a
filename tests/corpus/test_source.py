from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.corpus.source import Source, local_source, standard_input


def test_what_the_system_refuses_becomes_a_sentence(tmp_path: Path) -> None:
    def refuse() -> io.BytesIO:
        raise PermissionError(13, "Permission denied")

    source = Source("a.txt", "", 1, refuse)
    with pytest.raises(CorpusError, match=r"^a.txt cannot be read: you have no"), source.open():
        pass
    path = tmp_path / "b.txt"
    path.write_text("x")
    source = local_source(path, "b.txt")
    path.unlink()
    with pytest.raises(CorpusError, match=r"^b.txt .* the file does not exist"), source.open():
        pass
    with (
        pytest.raises(CorpusError, match=r"^a cannot be read: Input/output"),
        Source("a", "", 1, io.BytesIO).open(),
    ):
        raise OSError(5, "Input/output error")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    path.chmod(0)
    with pytest.raises(CorpusError, match="you may not read it"), local_source(path, "a").open():
        pass


def test_identity_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    before = local_source(path, "a.txt").identity
    assert local_source(path, "another name for it").identity == before
    os.utime(path, (0, 0))
    assert local_source(path, "a.txt").identity != before


def test_standard_input_is_read_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n")))
    source = standard_input()
    for _ in range(2):
        with source.open() as file:
            assert file.read() == b"one\ntwo\n"
    assert source.size is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"text\n"))
    writer.start()
    source = local_source(pipe, "pipe")
    for _ in range(2):
        with source.open() as file:
            assert file.read() == b"text\n"
    writer.join()


def test_no_room_for_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(28, "No space left on device")

    class Stdin:
        buffer = Full()

    monkeypatch.setattr(sys, "stdin", Stdin())
    with (
        pytest.raises(CorpusError, match=r"disk is full; save it as a file"),
        standard_input().open(),
    ):
        pass


def test_what_a_killed_process_left_of_a_stream_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\n")))
    orphan = tmp_path / ".foretext.abcd.partial"
    orphan.mkdir()
    (orphan / "stream").write_bytes(b"of another time")
    source = standard_input()
    with source.open() as file:
        assert file.read() == b"one\n"
    assert not orphan.exists()
    assert len(list(tmp_path.iterdir())) == 1
    del source
    assert list(tmp_path.iterdir()) == []
