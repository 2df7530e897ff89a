from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import cast

import numba
import numpy as np
import pytest
from numba.core.caching import CacheImpl

import foretext.kernels
from foretext.kernels.compile import Intrinsic, Kernel, compiling_began, kernel, when_compiling


def twice(number: int) -> int:
    return 2 * number


double = kernel()(twice)
wave = Intrinsic("math", "cos")


def four_times(number: int) -> int:
    return double(double(number))


def waves(number: float) -> float:
    return wave(number)


def test_kernel_compiles_lets_go_of_the_gil_and_caches() -> None:
    compiled = kernel(fastmath=True)(twice)
    assert compiled(21) == 42
    assert compiled.dispatcher.targetoptions["nogil"] is True
    assert compiled.dispatcher.targetoptions["fastmath"] is True
    assert compiled.dispatcher.stats.cache_path is not None


def test_kernel_compiles_without_cache_where_no_folder_can_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    compiled = kernel()(twice)
    assert compiled(21) == 42
    assert compiled.dispatcher.stats.cache_path is None


def test_other_refusals_of_numba_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**options: object) -> None:
        raise RuntimeError("something else")

    monkeypatch.setattr(numba, "njit", refuse)
    with pytest.raises(RuntimeError, match="something else"):
        kernel()(twice)(21)


def test_a_kernel_calls_another_one() -> None:
    assert kernel()(four_times)(3) == 12


def test_a_callee_has_no_machine_code_of_its_own_and_one_form_for_all_constants() -> None:
    caller = cast(Kernel, kernel()(four_times))
    numba.njit(caller.resolved())(3)  # without the cache of an earlier run
    assert len(double.compiled.signatures) == 1
    assert all(
        not hasattr(made.entry_point, "py_func") for made in double.compiled.overloads.values()
    )


def test_an_intrinsic_is_found_where_it_is_defined() -> None:
    assert kernel()(waves)(0.0) == 1.0


def test_listeners_hear_once_that_compiling_began() -> None:
    heard: list[str] = []
    when_compiling(lambda: heard.append("began"))
    compiling_began()
    compiling_began()
    assert heard == ["began"]


def test_importing_kernels_imports_no_compiler() -> None:
    kernels = [path.stem for path in Path(foretext.kernels.__file__).parent.glob("*.py")]
    definitions = {"lanes", "shared_work"} | {each for each in kernels if each.endswith("_lanes")}
    modules = ", ".join(f"foretext.kernels.{each}" for each in sorted({*kernels} - definitions))
    program = f"import sys, {modules}; print(*{{'numba', 'llvmlite'}} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "bfloat16" in modules
    assert done.stdout.strip() == ""


def test_arrays_of_every_kind_reach_a_kernel() -> None:
    total = kernel()(lambda numbers: numbers.sum())
    assert total(np.arange(4.0)) == 6.0
