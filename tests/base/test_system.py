from __future__ import annotations

import ast
import errno
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

import foretext
from foretext.base import system
from foretext.base.runtime import give_back_memory, keep_freed_memory
from foretext.base.system import (
    FolderLock,
    available_memory,
    c_function,
    flush_file,
    ignored_broken_pipe,
    is_broken_pipe,
    lock_folder,
    open_file_limits,
    peak_memory,
    raise_open_file_limit,
    total_memory,
)

SOURCE = Path(foretext.__file__).parent

# What Linux, macOS and Windows do not all have stands in base/system.py; and what is left stands
# behind a question for the attribute or the file itself.
OF_ONE_SYSTEM = {"fcntl", "msvcrt", "pwd", "resource", "termios"}

VM_STAT = """\
Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               1000.
Pages active:                           200000.
Pages inactive:                            300.
Pages speculative:                          20.
Pages wired down:                        50000.
"Translation faults":                 91234567.
"""

HOLD = """
import sys, time
from pathlib import Path
from foretext.base.system import lock_folder
lock = lock_folder(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def modules_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_one_module_imports_what_one_system_has() -> None:
    users = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if modules_of(path) & OF_ONE_SYSTEM
    }
    assert users == {"base/system.py"}


def written_as_text(path: Path) -> list[str]:
    """Places where text is written without saying in which letters and with which line ends."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        modes = [each.value for each in node.args[:1] if isinstance(each, ast.Constant)]
        is_text = node.func.attr == "open" and modes in (["w"], ["a"], ["x"])
        given = {each.arg for each in node.keywords}
        if (node.func.attr == "write_text" or is_text) and not {"encoding", "newline"} <= given:
            found.append(f"{path.relative_to(SOURCE).as_posix()}:{node.lineno}")
    return found


def test_text_is_written_alike_on_every_system() -> None:
    found = [place for path in SOURCE.rglob("*.py") for place in written_as_text(path)]
    allowed = ("comparison/measurement.py", "comparison/worker_process.py", "base/terminal.py")
    assert [place for place in found if not place.startswith(allowed)] == []  # files of the system


def test_a_locked_folder_is_refused_until_it_is_released(tmp_path: Path) -> None:
    lock = lock_folder(tmp_path)
    assert lock.is_sure
    with pytest.raises(BlockingIOError):
        lock_folder(tmp_path)
    lock.release()
    lock_folder(tmp_path).release()


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError):
            lock_folder(tmp_path)
        process.kill()
    until = time.monotonic() + 10
    while True:
        try:
            lock_folder(tmp_path).release()
        except BlockingIOError:
            assert time.monotonic() < until
        else:
            break


def test_a_file_beside_the_folder_goes_with_the_lock(tmp_path: Path) -> None:
    file = tmp_path / ".run.lock"
    file.touch()
    FolderLock(None, file).release()
    assert not file.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_is_followed_only_where_that_is_meant(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    lock_folder(tmp_path / "link").release()
    with pytest.raises(OSError, match="link"):
        lock_folder(tmp_path / "link", follow=False)


@pytest.mark.skipif(sys.platform == "win32", reason="of the locks of other systems")
def test_a_disk_without_locks_locks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int, how: int) -> None:
        raise OSError(errno.ENOTSUP, "no locks")

    monkeypatch.setattr("fcntl.flock", refuse)
    first, second = lock_folder(tmp_path), lock_folder(tmp_path)
    assert not first.is_sure
    assert not second.is_sure


@pytest.mark.skipif(sys.platform == "win32", reason="Windows flushes only what may be written")
def test_a_file_without_the_right_to_write_is_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write whatever the mode is, so the test looks at how the file is opened."""
    path, real, modes = tmp_path / "file", Path.open, list[str]()
    path.write_bytes(b"x")

    def opened(self: Path, mode: str = "r") -> IO[str]:
        modes.append(mode)
        return real(self, mode)

    monkeypatch.setattr(Path, "open", opened)
    flush_file(path)
    assert modes == ["rb"]


def test_windows_calls_a_broken_pipe_an_invalid_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    invalid = OSError(errno.EINVAL, "Invalid argument")
    assert is_broken_pipe(BrokenPipeError())
    assert is_broken_pipe(invalid) == (sys.platform == "win32")
    monkeypatch.setattr(sys, "platform", "win32")
    assert is_broken_pipe(invalid)
    assert not is_broken_pipe(OSError(errno.ENOSPC, "full"))
    with ignored_broken_pipe():
        raise invalid
    with pytest.raises(OSError, match="full"), ignored_broken_pipe():
        raise OSError(errno.ENOSPC, "full")


def test_this_machine_says_what_it_has() -> None:
    total, available, peak = total_memory(), available_memory(), peak_memory()
    assert total is not None
    assert total > 1 << 27
    assert available is not None
    assert 0 < available <= total
    assert peak is not None
    assert 10 << 20 < peak < total


def test_macos_counts_pages_that_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(system, "_printed", lambda command: VM_STAT)
    assert available_memory() == (1000 + 300 + 20) * 16384


@pytest.mark.parametrize("text", ["", "Pages free: 1.\n", "page size of 4096 bytes\nnothing else"])
def test_macos_without_an_answer_says_nothing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(system, "_printed", lambda command: text)
    assert available_memory() is None


def test_a_program_of_the_system_that_is_missing_or_fails_says_nothing() -> None:
    assert system._printed(("/no/such/program",)) == ""
    assert system._printed((sys.executable, "-c", "raise SystemExit(1)")) == ""
    assert system._printed((sys.executable, "-c", "print('word', end='')")) == "word"


def test_a_c_library_that_is_not_glibc_keeps_and_gives_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("foretext.base.runtime.c_function", lambda name: None)
    assert keep_freed_memory() is False
    give_back_memory()


def test_windows_and_a_name_that_is_not_there_give_no_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert c_function("no_such_function") is None
    monkeypatch.setattr(sys, "platform", "win32")
    assert c_function("malloc") is None


def test_a_limit_of_open_files_that_cannot_be_raised_is_said() -> None:
    limits = open_file_limits()
    if limits is None:
        pytest.skip("this system has no such limit")
    assert raise_open_file_limit(limits[0])
    assert not raise_open_file_limit(1 << 62)
