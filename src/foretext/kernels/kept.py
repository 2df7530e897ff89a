"""Kernels whose machine code stands in files of its own and runs without a compiler in memory.

numba's cache needs numba and LLVM in every process: 80 MB and a second, for code that is there
already. A kept kernel is an object file (`foretext.kernels.object_file`) after a line that says how
to call it, by numba's convention: where the result and an error go, then the arguments, an array as
its owner (none), its parent (none), size, bytes of an item, address, shape and strides.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from foretext.kernels.code_files import CodeFile
from foretext.kernels.compile import Kernel, one_at_a_time
from foretext.kernels.object_file import CAN_LOAD, MachineCode, NotLoadableError

__all__ = ["KeptKernel"]

Run = Callable[[list[Any], tuple[Any, ...]], Any]  # with the values in a row, and the arguments

DONE, DONE_WITHOUT_RESULT = 0, -2  # what numba's code says at its end
NUMBERS: dict[str, Any] = {
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
    "u8": ctypes.c_uint64,
}  # all others are whole numbers, of which the code reads as many bytes as it needs
RESULTS: dict[str, Any] = {
    **NUMBERS,
    "i8": ctypes.c_int64,
    "i4": ctypes.c_int32,
    "u4": ctypes.c_uint32,
    "b1": ctypes.c_bool,
}


class KeptKernel(Kernel):
    """A kernel that neither allocates nor returns arrays, and so needs nothing of numba."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, {**options, "_nrt": False})
        self._programs: dict[tuple[Any, ...], Run] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code for arguments of these types, which may have to be made first."""
        kinds: list[Any] = []
        values: list[Any] = []
        _flatten(arguments, kinds, values)
        run = self._programs.get(key := tuple(kinds))
        if run is None:
            with one_at_a_time:
                run = self._programs[key] = self._prepared(key, arguments)
        return run(values, arguments)

    def _prepared(self, kinds: tuple[Any, ...], arguments: tuple[Any, ...]) -> Run:
        """Take the code from its file, or compile it; where it cannot be kept, numba runs it."""
        file = CodeFile.of(self.function, self.options, kinds) if CAN_LOAD else None
        if file is None:
            return self._by_numba
        code = file.read()
        if code is None:
            from foretext.kernels.compiler import object_code

            code = object_code(self.resolved(), self.options, arguments)
            file.write(code)
        try:
            memory = MachineCode(code.content)
        except NotLoadableError:
            return self._by_numba
        return _Program(memory, code.symbol, kinds, code.returns, as_tuple=code.as_tuple)

    def _by_numba(self, values: list[Any], arguments: tuple[Any, ...]) -> Any:
        return self.dispatcher(*arguments)


class _Program:
    """Machine code and how it is called."""

    def __init__(
        self,
        memory: MachineCode,
        symbol: str,
        kinds: tuple[Any, ...],
        returns: list[str],
        *,
        as_tuple: bool,
    ) -> None:
        self._memory = memory  # or it would be unmapped
        places = [ctypes.c_void_p, ctypes.c_void_p]
        given = [part for kind in kinds for part in _parts(kind)]
        self._call = ctypes.CFUNCTYPE(ctypes.c_int32, *places, *given)(memory.address(symbol))
        fields = [(f"part_{number}", RESULTS[name]) for number, name in enumerate(returns)]
        self._result = type("Result", (ctypes.Structure,), {"_fields_": fields})
        self._names = [name for name, _ in fields]
        self._as_tuple = as_tuple

    def __call__(self, values: list[Any], arguments: tuple[Any, ...]) -> Any:
        result, error = self._result(), ctypes.c_void_p()
        status = self._call(ctypes.addressof(result), ctypes.addressof(error), *values)
        if status not in (DONE, DONE_WITHOUT_RESULT):
            raise ZeroDivisionError("a kernel divided by zero")
        numbers = tuple(getattr(result, name) for name in self._names)
        return numbers if self._as_tuple else numbers[0] if numbers else None


def _flatten(arguments: tuple[Any, ...], kinds: list[Any], values: list[Any]) -> None:
    """Append what tells the types of arguments, and the values that the code is called with."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            kinds.append(_kind_of_array(argument))
            values += (None, None, argument.size, argument.itemsize)
            values.append(argument.__array_interface__["data"][0])
            values += argument.shape
            values += argument.strides
        elif isinstance(argument, tuple):
            kinds.append((type(argument).__name__, len(argument)))
            _flatten(argument, kinds, values)
        elif isinstance(argument, np.generic):
            kinds.append(argument.dtype.str[1:])
            values.append(argument.item())
        else:
            kinds.append(_kind_of_number(argument))
            values.append(argument)


def _kind_of_array(array: np.ndarray) -> tuple[str, int, bool, bool, bool, bool]:
    flags = array.flags
    return (
        array.dtype.str,
        array.ndim,
        flags.c_contiguous,
        flags.f_contiguous,
        flags.writeable,
        flags.aligned,
    )


def _kind_of_number(value: bool | int | float) -> str:
    if isinstance(value, bool):
        return "b1"
    if isinstance(value, int):
        return "i8" if value < 1 << 63 else "u8"
    return "f8"


def _parts(kind: Any) -> list[Any]:
    """The types of the values that an argument of this kind becomes."""
    if isinstance(kind, str):
        return [NUMBERS.get(kind, ctypes.c_int64)]
    if len(kind) == 2:  # a tuple, whose elements follow
        return []
    whole = ctypes.c_ssize_t
    return [ctypes.c_void_p, ctypes.c_void_p, whole, whole, ctypes.c_void_p, *[whole] * 2 * kind[1]]
