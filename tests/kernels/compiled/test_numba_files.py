"""Whatever stands in the place of a file of numba's cache, a kernel neither waits nor fails."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import numba
import numpy as np
import pytest

from foretext.kernels.compile import Kernel, when_compiling
from foretext.kernels.compiled import kept as code_files
from foretext.kernels.compiled import numba_files
from foretext.kernels.compiled.kept import KeptKernel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pipes with names, no alarm")

SECONDS = 60  # for a call that compiles, on a busy machine


def doubled(numbers):  # type: ignore[no-untyped-def]
    return numbers * 2


def halved(number):  # type: ignore[no-untyped-def]
    return number // 2


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, and an end for a test that waits for a pipe."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("it waited")

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code_files._folder.cache_clear()
    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    yield tmp_path
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    code_files._folder.cache_clear()


def was_compiled() -> bool:
    """Call the kernel as a new process does; return whether nothing was found for it."""
    found: list[bool] = []
    when_compiling(lambda: found.append(True))
    assert Kernel(doubled, {})(np.arange(3)).tolist() == [0, 2, 4]
    return bool(found)


def files_of(folder: Path, suffix: str) -> Path:
    (found,) = folder.rglob(f"*{suffix}")
    return found


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "kept").touch()


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def changed(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)


def foreign(path: Path) -> None:
    path.write_bytes(pickle.dumps("0.1.0") + pickle.dumps(("stamp", {})))


def other_kernel(path: Path) -> None:
    """A whole file of the same version, for something else."""
    name = path.with_name(f"other-{path.name}")
    Kernel(halved, {})(4)
    found = next(file for file in path.parent.glob(f"*halved*{path.suffix}"))
    shutil.move(found, name)
    shutil.copy(name, path)


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("/nowhere/at/all")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize(
    "damage", [pipe, directory, cut_off, changed, foreign, other_kernel, dangling]
)
def test_what_stands_in_the_place_of_a_file(
    folder: Path, suffix: str, damage: Callable[[Path], None]
) -> None:
    assert was_compiled()
    assert not was_compiled()
    damage(files_of(folder, suffix))
    assert was_compiled()
    assert was_compiled() == (damage is directory)  # which no file can replace


def test_a_pipe_before_the_first_run(folder: Path) -> None:
    was_compiled()
    for path in [*folder.rglob("*.nb?")]:
        pipe(path)
    assert was_compiled()
    assert not was_compiled()


def test_a_full_disk_costs_the_time_of_compiling(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(numba_files._CheckedFiles, "_write", full)
    assert was_compiled()
    assert was_compiled()


def test_a_folder_where_kept_code_is_first_written_stays(folder: Path) -> None:
    assert KeptKernel(halved, {})(9) == 4
    (code,) = (folder / "foretext").iterdir()
    code.unlink()
    partial = code.with_name(f"{code.name}.{os.getpid()}")
    partial.mkdir()
    assert KeptKernel(halved, {})(9) == 4
    assert partial.is_dir()


@pytest.mark.parametrize("damage", [pipe, directory, foreign, dangling])
def test_what_stands_in_the_place_of_kept_code(
    folder: Path, damage: Callable[[Path], None]
) -> None:
    assert KeptKernel(halved, {})(8) == 4
    (code,) = (folder / "foretext").iterdir()
    damage(code)
    assert KeptKernel(halved, {})(8) == 4
    assert code.is_dir() == (damage is directory)
