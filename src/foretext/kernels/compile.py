"""How a kernel becomes machine code, which lets go of the GIL and is kept between runs.

Nothing is compiled, and numba is not even loaded, before a kernel is called: importing one costs
nothing, and a kept kernel (`foretext.kernels.compiled.kept`) that was compiled before runs without
numba.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, update_wrapper
from importlib import import_module
from threading import RLock
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

__all__ = ["Intrinsic", "Kernel", "compiling_began", "kernel", "one_at_a_time", "when_compiling"]

F = TypeVar("F", bound=Callable[..., Any])

one_at_a_time = RLock()
_listeners: list[Callable[[], None]] = []  # one at most


def kernel(*, kept: bool = False, **options: Any) -> Callable[[F], F]:
    """Decorate a function that numba compiles; `options` (``fastmath=True``, ...) go to it.

    A `kept` kernel needs neither numba nor LLVM in memory once it was compiled on this machine. It
    takes arrays, numbers and named tuples of them, allocates nothing, and returns numbers. Each
    call costs some 30 microseconds, so it is for kernels that run for milliseconds.
    """

    def decorate(function: F) -> F:
        if kept:
            from foretext.kernels.compiled.kept import KeptKernel

            return cast(F, KeptKernel(function, options))
        return cast(F, Kernel(function, options))

    return decorate


def when_compiling(tell: Callable[[], None]) -> None:
    """Have `tell` called once, when this process next compiles what no earlier run has left.

    It takes the place of what an earlier call gave.
    """
    _listeners[:] = [tell]


def compiling_began() -> None:
    """Tell who wants to know that somebody now waits for the compiler."""
    while _listeners:
        _listeners.pop()()


class Intrinsic:
    """What only compiled code can do, by the place of its definition, which is not imported yet."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    @property
    def compiled(self) -> Any:
        """What numba takes in its place."""
        return getattr(import_module(self.module), self.name)


class Kernel:
    """A function that is compiled when it is first called with arguments of their types.

    Args:
        function: in the part of Python that numba knows.
        options: of ``numba.njit``.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function = cast(FunctionType, function)
        self.options = {"nogil": True, "boundscheck": False, **options}

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code."""
        return self.dispatcher(*arguments)

    @cached_property
    def dispatcher(self) -> Any:
        """What callers in Python call: compiled with numba, and in its cache on disk."""
        from foretext.kernels.compiled.compiler import dispatcher

        with one_at_a_time:
            return dispatcher(self.resolved(), self.options)

    @cached_property
    def compiled(self) -> Any:
        """What numba takes in its place within another kernel."""
        from foretext.kernels.compiled.compiler import callee

        with one_at_a_time:
            return callee(self.resolved(), self.options)

    def resolved(self) -> FunctionType:
        """Return the function with what numba knows in place of other kernels and intrinsics."""
        function = self.function
        known = {
            name: value.compiled
            for name in _names(function.__code__)
            if isinstance(value := function.__globals__.get(name), Kernel | Intrinsic)
        }
        copy = FunctionType(
            function.__code__,
            function.__globals__ | known,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        return cast(FunctionType, update_wrapper(copy, function))


def _names(code: CodeType) -> Iterator[str]:
    """Yield the global names that a function, and what is defined in it, may use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
