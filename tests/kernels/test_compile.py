from __future__ import annotations

import numba
import pytest
from numba.core.caching import CacheImpl

from foretext.kernels.compile import kernel


def twice(number: int) -> int:
    return 2 * number


def test_kernel_compiles_lets_go_of_the_gil_and_caches() -> None:
    compiled = kernel(fastmath=True)(twice)
    assert compiled(21) == 42
    assert compiled.targetoptions["nogil"] is True
    assert compiled.targetoptions["fastmath"] is True
    assert compiled.stats.cache_path is not None


def test_kernel_compiles_without_cache_where_no_folder_can_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    compiled = kernel()(twice)
    assert compiled(21) == 42
    assert compiled.stats.cache_path is None


def test_other_refusals_of_numba_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**options: object) -> None:
        raise RuntimeError("something else")

    monkeypatch.setattr(numba, "njit", refuse)
    with pytest.raises(RuntimeError, match="something else"):
        kernel()(twice)
