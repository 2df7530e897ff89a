"""Calls of kernels, as this machine makes them, and the machine code that another one needs."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from foretext.kernels.compile import Kernel
from foretext.kernels.compiled.kept import KeptKernel, ObjectCode, flatten
from tools.arm import ARM, linked

__all__ = ["Call", "arrays", "recording", "write_calls"]

LARGEST = 8 << 20  # bytes of the arguments of a call


class Call(NamedTuple):
    """A kernel's first call for some types that changes an argument, and the values after it."""

    kernel: Kernel
    kinds: tuple[Any, ...]
    before: bytes  # the arguments, pickled
    result: Any
    after: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The module and the function."""
        function = self.kernel.function
        return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

    @property
    def num_changed(self) -> int:
        """How many numbers among the arguments the call has changed; of weights, if it has any."""
        pairs = list(zip(arrays(pickle.loads(self.before)), arrays(self.after), strict=True))
        weights = [pair for pair in pairs if pair[1].dtype.kind == "f" and pair[1].ndim]
        return sum(int(np.sum(before != after)) for before, after in weights or pairs)


def arrays(value: Any) -> list[np.ndarray]:
    """All numbers of a result or of arguments, in their order."""
    if isinstance(value, tuple):
        return [array for part in value for array in arrays(part)]
    return [] if value is None else [np.asarray(value)]


@contextmanager
def recording(calls: list[Call], names: set[str]) -> Iterator[None]:
    """Append the first call of each kernel of these names for each tuple of types."""
    seen: set[tuple[Any, ...]] = set()

    def recorded(usual: Any) -> Any:
        def replaced(kernel: Kernel, *arguments: Any) -> Any:
            made = Call(kernel, (), b"", None, ())
            if made.name not in names:
                return usual(kernel, *arguments)
            kinds: list[Any] = []
            flatten(arguments, kinds, [])
            key = (made.name, *kinds)
            before = pickle.dumps(arguments)
            if key not in seen and len(before) < LARGEST:
                copy = pickle.loads(before)  # which share no memory, as on the other machine
                result = usual(kernel, *copy)
                call = Call(kernel, tuple(kinds), before, result, copy)
                if (
                    call.num_changed
                ):  # an empty slice, by which a kernel is compiled, learns nothing
                    seen.add(key)
                    calls.append(call)
            return usual(kernel, *arguments)

        return replaced

    with pytest.MonkeyPatch.context() as patch:
        for kind in (Kernel, KeptKernel):
            patch.setattr(kind, "__call__", recorded(kind.__call__))
        yield


def write_calls(calls: list[Call], folder: Path) -> None:
    """Write for each call a library for ARM, and what it is called with."""
    from foretext.kernels.compiled.compiler import object_code

    for number, call in enumerate(calls):
        options = {**call.kernel.options, "_nrt": False}
        arguments = pickle.loads(call.before)
        code: ObjectCode = object_code(call.kernel.resolved(), options, arguments, ARM)
        linked(code.content, folder / f"{number}.so")
        facts = (call.kinds, code.symbol, code.returns, code.as_tuple, arguments)
        (folder / f"{number}.call").write_bytes(pickle.dumps(facts))
