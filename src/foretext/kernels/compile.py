"""One way to compile a kernel: machine code that lets go of the GIL and is kept between runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

__all__ = ["kernel"]

F = TypeVar("F", bound=Callable[..., Any])


def kernel(**options: Any) -> Callable[[F], F]:
    """Decorate a function with ``numba.njit``; `options` (``fastmath=True``, ...) go to numba.

    The compiled code is cached on disk, because compiling takes seconds and runs are many. Where
    neither the package's own folder nor the user's cache folder can be written (a read-only
    container, a home that does not exist), numba refuses to decorate at all: "cannot cache
    function: no locator available". Then the kernel is compiled again in every process: slower to
    start, the same numbers.
    """

    def decorate(function: F) -> F:
        settings = {"nogil": True, "boundscheck": False, **options}
        try:
            return numba.njit(cache=True, **settings)(function)  # type: ignore[no-any-return]
        except RuntimeError as error:
            if "no locator available" not in str(error):
                raise
            return numba.njit(**settings)(function)  # type: ignore[no-any-return]

    return decorate
