"""Files and folders that appear whole or not at all, and what killed processes leave."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from foretext.base import files
from foretext.base.errors import ForetextError, ModelFileError, OutputError
from foretext.base.files import (
    atomic_file,
    atomic_folder,
    discard_folder,
    held_folder,
    is_regular_file,
    merged_folder,
    open_file,
    output_error,
    refuse_existing,
    refuse_name,
    sweep,
    temporary_folder,
)
from foretext.base.parsing import read_json
from foretext.base.parsing.array_file import new_array, read_part
from foretext.progress.metrics_log import MetricsLog
from foretext.run_folder import RunFolder

WRITER = """
import sys, time
from pathlib import Path
from foretext.base.files import atomic_file, atomic_folder
kind, path = sys.argv[1:]
if kind == "file":
    with atomic_file(Path(path)) as temporary:
        temporary.write_text("half")
        print("ready", flush=True)
        time.sleep(60)
with atomic_folder(Path(path)) as temporary:
    (temporary / "part").write_text("half")
    print("ready", flush=True)
    time.sleep(60)
"""
LOCKS = pytest.mark.skipif(sys.platform == "win32", reason="no locks of folders there")


def writer(kind: str, path: Path) -> subprocess.Popen[str]:
    """A process that is in the middle of writing `path`."""
    command = [sys.executable, "-c", WRITER, kind, str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    with atomic_file(path) as temporary:
        temporary.write_text("all of it")
        assert temporary.name == path.name
        assert not path.exists()
    assert path.read_text() == "all of it"
    assert names(path.parent) == ["file.txt"]


def test_a_file_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old")

    def fail() -> None:
        with atomic_file(path) as temporary:
            temporary.write_text("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["old"]


def test_a_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    for text in ("first", "second"):
        with atomic_folder(path) as temporary:
            (temporary / text).mkdir()
            (temporary / text / "deep").write_text(text)
    assert names(path) == ["second"]
    assert names(tmp_path) == ["folder"]


@LOCKS
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_process_left_goes_with_the_next_write(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "result"
    with writer(kind, path) as process:
        (partial,) = tmp_path.iterdir()
        assert partial.name.endswith(".partial")
        sweep(tmp_path)
        assert partial.exists(), "its process lives"
        with atomic_file(tmp_path / "result") as temporary:
            temporary.write_text("of another process")
        assert partial.exists()
        process.kill()
    with atomic_file(path) as temporary:
        temporary.write_text("whole")
    assert names(tmp_path) == ["result"]


@LOCKS
def test_a_folder_whose_replacement_was_killed_comes_back(tmp_path: Path) -> None:
    path, orphan = tmp_path / "folder", tmp_path / ".folder.x1.partial"
    (orphan / "replaced" / "folder").mkdir(parents=True)
    (orphan / "replaced" / "folder" / "old").touch()
    with pytest.raises(RuntimeError), atomic_folder(path):
        raise RuntimeError
    assert names(path) == ["old"]
    assert names(tmp_path) == ["folder"]


@LOCKS
def test_a_folder_comes_back_under_its_own_name_alone(tmp_path: Path) -> None:
    old = tmp_path / ".folder.more.x1.partial" / "replaced" / "folder.more"
    old.mkdir(parents=True)
    (old / "part").touch()
    with atomic_file(tmp_path / "folder") as temporary:
        temporary.write_text("another")
    assert names(tmp_path) == ["folder", "folder.more"]
    assert names(tmp_path / "folder.more") == ["part"]


@LOCKS
def test_temporary_folders_of_killed_processes_are_removed(tmp_path: Path) -> None:
    orphan = tmp_path / ".foretext.x1.partial"
    orphan.mkdir()
    with temporary_folder(tmp_path) as folder:
        assert names(tmp_path) == [folder.name]
    assert names(tmp_path) == []


@LOCKS
def test_a_link_that_looks_like_litter_is_left_alone(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / ".x.partial").symlink_to(kept)
    sweep(tmp_path)
    assert kept.is_dir()


@LOCKS
def test_a_folder_is_locked_until_its_process_dies(tmp_path: Path) -> None:
    hold = (
        "import sys, time; from pathlib import Path; from foretext.base.files import held_folder\n"
    )
    hold += "with held_folder(Path(sys.argv[1])): print('ready', flush=True); time.sleep(60)"
    command = [sys.executable, "-c", hold, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(OutputError, match="Another process is at work"), held_folder(tmp_path):
            pass
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(0)
    with held_folder(tmp_path):
        pass


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x" * 300, "the name is too long; choose another name"),
        (os.fsdecode(b"caf\xe9"), "is not UTF-8"),
        ("a\0b", "is no name of a file"),
    ],
)
def test_names_that_no_file_can_have(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(OutputError, match=said):
        refuse_name(tmp_path / name)
    with pytest.raises(OutputError, match=said):
        refuse_existing(tmp_path / name, overwrite=True)


def test_a_name_of_250_letters_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    with atomic_file(path) as temporary:
        temporary.write_text("x")
    assert is_regular_file(path)
    assert not is_regular_file(tmp_path / ("x" * 300))


class TestMergedFolder:
    def write(self, path: Path, text: str, *, fail: bool = False) -> None:
        with merged_folder(path, "config.json") as temporary:
            (temporary / "inner").mkdir()
            for name in ("config.json", "weights", "inner/part"):
                (temporary / name).write_text(text)
            if fail:
                raise RuntimeError

    def test_files_of_others_stay(self, tmp_path: Path) -> None:
        path = tmp_path / "model"
        self.write(path, "old")
        (path / "notes.txt").write_text("mine")
        self.write(path, "new")
        assert names(path) == ["config.json", "inner", "notes.txt", "weights"]
        assert (path / "inner" / "part").read_text() == "new"
        assert names(tmp_path) == ["model"]

    def test_what_fails_changes_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "model"
        self.write(path, "old")
        with pytest.raises(RuntimeError):
            self.write(path, "new", fail=True)
        assert (path / "config.json").read_text() == "old"

    @pytest.mark.parametrize("number", range(1, 4))
    def test_old_and_new_are_never_taken_for_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
    ) -> None:
        path, count = tmp_path / "model", 0
        self.write(path, "old")
        replace = os.replace

        def replaced(*arguments: object) -> None:
            nonlocal count
            count += 1
            if count == number:
                raise KeyboardInterrupt
            replace(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "replace", replaced)
        with pytest.raises(KeyboardInterrupt):
            self.write(path, "new")
        assert not (path / "config.json").exists()


def test_a_folder_goes_by_one_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "checkpoints"
    (path / "step-1").mkdir(parents=True)
    monkeypatch.setattr(files.shutil, "rmtree", lambda *_, **__: None)
    discard_folder(path)
    (litter,) = tmp_path.iterdir()
    assert litter.name.startswith(".checkpoints.")
    assert (litter / "checkpoints" / "step-1").is_dir()
    monkeypatch.undo()
    sweep(tmp_path)
    assert names(tmp_path) == []


@LOCKS
def test_a_sweep_between_making_and_locking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, make = [], files.tempfile.mkdtemp

    def swept_once(**options: Any) -> str:
        made.append(make(**options))
        if len(made) == 1:
            sweep(tmp_path)
        return str(made[-1])

    monkeypatch.setattr(files.tempfile, "mkdtemp", swept_once)
    with atomic_file(tmp_path / "file") as temporary:
        temporary.write_text("x")
    assert len(made) == 2
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("open_one", [atomic_file, atomic_folder])
def test_another_file_that_cannot_be_read_is_another_error(tmp_path: Path, open_one: Any) -> None:
    """It was said that the result, or the folder for temporary files, cannot be written."""
    with pytest.raises(FileNotFoundError) as caught, open_one(tmp_path / "result"):
        (tmp_path / "input").read_text()
    assert caught.value.filename == str(tmp_path / "input")
    with pytest.raises(PermissionError), temporary_folder(tmp_path):
        raise PermissionError(13, "Permission denied", "/proc/cpuinfo")
    assert not list(tmp_path.iterdir())


def test_what_is_written_and_has_no_name_is_the_result(tmp_path: Path) -> None:
    full = pytest.raises(OutputError, match=r"result cannot be written: the disk is full")
    with full, atomic_file(tmp_path / "result"):
        raise OSError(28, "No space left on device")
    refused = pytest.raises(OutputError, match=r"result cannot be written")
    with refused, atomic_folder(tmp_path / "result") as partial:
        (partial / "none" / "file").write_text("")


# What stands in place of a file


def unlike_files(folder: Path) -> dict[str, Path]:
    """Things with names that are no files, none of which may be waited for."""
    os.mkfifo(folder / "pipe")
    (folder / "linked pipe").symlink_to(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        before = Path.cwd()
        os.chdir(folder)  # the name of a socket is short
        try:
            listening.bind("socket")
        finally:
            os.chdir(before)
    names = ("pipe", "linked pipe", "folder", "loop", "device", "socket")
    return {name: folder / name for name in names}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("mode", ["rb", "ab", "wb", "a", "wb+"])
def test_what_is_no_file_is_not_opened(tmp_path: Path, mode: str) -> None:
    for name, path in unlike_files(tmp_path).items():
        with pytest.raises(OSError, match=r".") as raised, open_file(path, mode):
            pass
        sentence = str(output_error(path, raised.value))
        if name not in ("folder", "loop"):
            assert "it is a pipe, a socket or a device, and no file; remove it" in sentence


def test_a_file_is_opened_as_by_python(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with open_file(path, "a") as file:
        file.write("é\n")
    with open_file(path, "ab") as file:
        file.write(b"more")
    with open_file(path) as file:
        assert file.read() == "é\nmore".encode()
    (tmp_path / "link").symlink_to(path)
    with open_file(tmp_path / "link") as file:
        assert file.read(2) == "é".encode()
    with pytest.raises(FileNotFoundError):
        open_file(tmp_path / "absent")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["train.log", "metrics.jsonl", "recipe.toml", "run.json"])
def test_no_file_of_a_run_is_waited_for(tmp_path: Path, name: str) -> None:
    run = RunFolder(tmp_path)
    os.mkfifo(tmp_path / name)
    uses = {
        "train.log": lambda: run.note("a line"),
        "metrics.jsonl": lambda: MetricsLog(tmp_path / name).append({"step": 1}),
    }
    use = uses.get(name, lambda: read_json(tmp_path / name, ModelFileError))
    with pytest.raises(ForetextError) as raised:
        use()
    assert name in str(raised.value)
    assert "no file" in str(raised.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_place_of_numbers_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ids.bin")
    with pytest.raises(ModelFileError, match="no file"):
        read_part(tmp_path / "ids.bin", "uint16", 0, 4, ModelFileError)
    with pytest.raises(OutputError, match="no file"):
        new_array(tmp_path / "ids.bin", "uint16", 4)


READS = re.compile(r"\.(?:read_bytes|read_text)\(|\.open\(\"(?:a|ab|wb\+)\"")
# Files of the system or of the package, folders that were made this moment, and what has looked.
MAY_READ = {
    "demonstration/python_files.py", "recipes/__init__.py", "nn/team.py", "report/page.py",
    "pretraining/plan/memory.py", "comparison/measurement.py", "cli/completion.py",
    "serving/running.py", "base/system.py", "pretraining/job.py", "kernels/compiled/kept.py",
    "vectors/replicas/on_ray/group.py", "kernels/compiled/numba_files.py",
    "vectors/neighbor_graph.py", "base/parsing/json_file.py", "serving/routes/pages.py",
    "shards/on_ray/engine.py", "messages/catalogue.py", "exporting/decoder/decode.py",
    "exporting/page/bundle.py", "exporting/page/folder.py",
}  # fmt: skip


def test_files_are_read_where_it_is_looked_at_what_they_are() -> None:
    source = Path(files.__file__).parents[1]
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if READS.search(path.read_text(encoding="utf-8"))
    }
    assert found <= MAY_READ


def test_a_folder_is_no_file_to_open(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        open_file(tmp_path)
