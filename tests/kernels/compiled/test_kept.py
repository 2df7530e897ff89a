from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from foretext.kernels.compile import kernel
from foretext.kernels.compiled import kept as code_files
from foretext.kernels.compiled.kept import CodeFile, KeptKernel
from foretext.kernels.compiled.object_file import CAN_LOAD, MachineCode, NotLoadableError

pytestmark = pytest.mark.skipif(not CAN_LOAD, reason="machine code is kept on Linux, AMD64 only")


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray
    scale: int


def total_of(pair, extra, negated, fine):  # type: ignore[no-untyped-def]
    """Sums, and a logarithm, which is a call of the C library."""
    total = extra
    for at in range(pair.left.size):
        total += pair.left[at] * pair.scale + math.log(pair.right[at, 1])
    pair.left[0] = fine
    return -total if negated else total, pair.left.size, negated


def nothing(numbers):  # type: ignore[no-untyped-def]
    numbers[:] = 7


def shares(number, parts):  # type: ignore[no-untyped-def]
    return number // parts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code_files._folder.cache_clear()
    yield tmp_path / "foretext"
    code_files._folder.cache_clear()


def arguments() -> tuple[Pair, float, bool, np.float32]:
    pair = Pair(np.array([1.0, 2.0]), np.full((2, 2), math.e)[:, ::1], 3)
    return pair, 0.5, True, np.float32(0.25)


def test_a_kept_kernel_does_what_its_function_does(folder: Path) -> None:
    given, expected = arguments(), arguments()
    assert KeptKernel(total_of, {})(*given) == pytest.approx(total_of(*expected))
    assert given[0].left[0] == 0.25


def test_a_single_number_and_nothing_are_returned_too(folder: Path) -> None:
    assert KeptKernel(shares, {})(7, 2) == 3
    assert KeptKernel(shares, {})(np.uint64(2**63 + 4), np.uint64(2)) == 2**62 + 2
    numbers = np.zeros(3, np.int16)
    assert KeptKernel(nothing, {})(numbers) is None
    assert numbers.tolist() == [7, 7, 7]


def test_the_second_kernel_reads_what_the_first_has_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = KeptKernel(total_of, {})(*arguments())
    (file,) = folder.iterdir()
    assert file.name.startswith("test_kept.total_of-")
    second = KeptKernel(total_of, {})
    monkeypatch.setattr(second, "resolved", lambda: pytest.fail("was compiled again"))
    assert second(*arguments()) == first


def test_damaged_code_is_made_again(folder: Path) -> None:
    first = KeptKernel(total_of, {})(*arguments())
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[:-8], whole.replace(b"tuple", b"single"), b"\xff\n" + whole):
        file.write_bytes(damaged)
        assert KeptKernel(total_of, {})(*arguments()) == first
        assert CodeFile(file).read() is not None


def test_each_set_of_types_has_a_file_of_its_own(folder: Path) -> None:
    fill = KeptKernel(nothing, {})
    for kind in (np.int32, np.float32):
        numbers = np.zeros(2, kind)
        fill(numbers)
        assert numbers.tolist() == [7, 7]
    fill(np.zeros((2, 2), np.int32)[:, 0])
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize("name", ["callee", "compiled.callee"])
def test_another_source_has_another_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = tmp_path / "kernels"
    (room / "compiled").mkdir(parents=True)
    caller, callee = room / "caller.py", room / f"{name.replace('.', '/')}.py"
    caller.write_text(f"from foretext.kernels.{name} import x\n")
    callee.write_text("x = 1\n")
    monkeypatch.setattr(code_files, "HERE", room)
    before = code_files._sources.__wrapped__(caller)
    callee.write_text("x = 2\n")
    assert code_files._sources.__wrapped__(caller) != before


def test_the_compiler_is_among_the_sources_of_a_kernel() -> None:
    assert (code_files.HERE / "compiled" / "compiler.py").is_file()
    assert (code_files.HERE / "draws.py").is_file()


def test_without_a_folder_numba_runs_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CodeFile, "of", lambda *_: None)
    assert KeptKernel(total_of, {})(*arguments()) == pytest.approx(total_of(*arguments()))


def test_code_that_cannot_be_loaded_is_left_to_numba(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(content: bytes) -> None:
        raise NotLoadableError("no")

    monkeypatch.setattr("foretext.kernels.compiled.kept.MachineCode", refuse)
    assert KeptKernel(shares, {})(7, 2) == 3


def test_division_by_zero_is_an_error(folder: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        KeptKernel(shares, {})(7, 0)


def test_no_object_file_is_refused() -> None:
    with pytest.raises(NotLoadableError, match="no object file"):
        MachineCode(b"#!/bin/sh\n")


def test_a_kept_kernel_within_another_one(folder: Path) -> None:
    assert kernel(kept=True)(halves)(9) == 4


halved = kernel(kept=True)(shares)


def halves(number):  # type: ignore[no-untyped-def]
    return halved(number, 2)


@pytest.mark.slow
def test_a_warm_run_needs_no_compiler(folder: Path, tmp_path: Path) -> None:
    program = (
        "import sys, numpy as np\n"
        "from foretext.kernels.alias import alias_table\n"
        "print(alias_table(np.arange(1.0, 5.0)).tolist(), 'numba' in sys.modules)\n"
    )
    first, second = (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert first.stdout.strip().endswith("True")
    assert second.stdout == first.stdout.replace("True", "False")


@pytest.mark.parametrize("text", [None, "processor\t: 0\nBogoMIPS\t: 50.00\n"])
def test_a_system_that_does_not_describe_its_processor(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    """macOS, Windows and some containers: the name of the machine stands for it."""
    monkeypatch.setattr(code_files, "CPU_INFO", tmp_path / "cpuinfo")
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    code_files._processor.cache_clear()
    try:
        assert KeptKernel(total_of, {})(*arguments()) == pytest.approx(total_of(*arguments()))
        here = code_files._processor()
        code_files._processor.cache_clear()
        monkeypatch.setattr("platform.node", lambda: "another machine")
        assert code_files._processor() != here
    finally:
        code_files._processor.cache_clear()


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's user id that no list names: code stands in the package, or nowhere."""

    def has_none(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "expanduser", has_none)
    assert code_files._usual_folders() == [code_files.HERE / "__pycache__"]
