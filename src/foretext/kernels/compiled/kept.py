"""Kernels whose machine code stands in files of its own and runs without a compiler in memory.

numba's cache needs numba and LLVM in every process: 80 MB and a second, for code that is there
already. A kept kernel is an object file (`foretext.kernels.compiled.object_file`) after a line that
says how to call it, by numba's convention: where the result and an error go, then the arguments,
an array as its owner (none), its parent (none), size, bytes of an item, address, shape and strides.

Where the machine code of kept kernels stands between runs. The name of a file says all that the
code depends on: the sources of the kernel and of what it uses, its options, the types of its
arguments, the processor, and the versions of the compiler. So a file is never out of date, and
one that is damaged is made again. Its first line has a checksum of the rest, the symbol to call,
and what that returns.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from foretext.kernels.compile import Kernel, one_at_a_time
from foretext.kernels.compiled.object_file import CAN_LOAD, MachineCode, NotLoadableError

__all__ = ["CodeFile", "KeptKernel", "ObjectCode", "Program", "flatten"]

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

HERE = Path(__file__).parent.parent  # the kernels
SUFFIX = ".code"
CPU_INFO = Path("/proc/cpuinfo")
TUPLE, SINGLE = "tuple", "single"  # what the code returns, before numpy's names of the numbers
_KERNEL_MODULE = re.compile(rb"foretext\.kernels\.(\w+(?:\.\w+)*)")
_PROCESSOR = re.compile(r"^(?:vendor_id|cpu family|model|stepping|flags)\s*:.*$", re.MULTILINE)


class KeptKernel(Kernel):
    """A kernel that neither allocates nor returns arrays, and so needs nothing of numba."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, {**options, "_nrt": False})
        self._programs: dict[tuple[Any, ...], Run] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code for arguments of these types, which may have to be made first."""
        kinds: list[Any] = []
        values: list[Any] = []
        flatten(arguments, kinds, values)
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
            from foretext.kernels.compiled.compiler import object_code

            code = object_code(self.resolved(), self.options, arguments)
            file.write(code)
        try:
            memory = MachineCode(code.content)
        except NotLoadableError:
            return self._by_numba
        return Program(memory, code.symbol, kinds, code.returns, as_tuple=code.as_tuple)

    def _by_numba(self, values: list[Any], arguments: tuple[Any, ...]) -> Any:
        return self.dispatcher(*arguments)


class Addresses(Protocol):
    """Machine code in memory."""

    def address(self, name: str) -> int:
        """Where a function stands."""


class Program:
    """Machine code and how it is called."""

    def __init__(
        self,
        memory: Addresses,
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
        """Run the code with the values of `flatten`; raises ZeroDivisionError."""
        result, error = self._result(), ctypes.c_void_p()
        status = self._call(ctypes.addressof(result), ctypes.addressof(error), *values)
        if status not in (DONE, DONE_WITHOUT_RESULT):
            raise ZeroDivisionError("a kernel divided by zero")
        numbers = tuple(getattr(result, name) for name in self._names)
        return numbers if self._as_tuple else numbers[0] if numbers else None


def flatten(arguments: tuple[Any, ...], kinds: list[Any], values: list[Any]) -> None:
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
            flatten(argument, kinds, values)
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


@dataclass(frozen=True)
class CodeFile:
    """The file of one kernel for one set of argument types."""

    path: Path

    @classmethod
    def of(
        cls, function: FunctionType, options: dict[str, Any], kinds: tuple[Any, ...]
    ) -> Self | None:
        """Return the file; None where no folder can be written, or the source is not to be had."""
        folder = _folder()
        source = Path(function.__code__.co_filename)
        if folder is None or not source.is_file():
            return None
        stated = (_sources(source), _processor(), _versions(), sorted(options.items()), kinds)
        digest = sha256(repr((function.__qualname__, *stated)).encode()).hexdigest()[:24]
        return cls(folder / f"{source.stem}.{function.__name__}-{digest}{SUFFIX}")

    def read(self) -> ObjectCode | None:
        """Return what an earlier run has left; None: nothing, or something damaged."""
        if not self.path.is_file():  # a pipe would be waited for without end
            return None
        try:
            head, _, content = self.path.read_bytes().partition(b"\n")
        except OSError:
            return None
        digest, *facts = head.decode(errors="replace").split(" ")
        if digest != sha256(b" ".join([*map(str.encode, facts), content])).hexdigest():
            return None
        symbol, form, *returns = facts
        return ObjectCode(content, symbol, returns, as_tuple=form == TUPLE)

    def write(self, code: ObjectCode) -> None:
        """Leave the code for later runs, whole or not at all; without room, they compile again."""
        facts = [code.symbol, TUPLE if code.as_tuple else SINGLE, *code.returns]
        digest = sha256(b" ".join([*map(str.encode, facts), code.content])).hexdigest()
        head = " ".join([digest, *facts]).encode()
        partial = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with suppress(OSError):
            file = partial.open("xb")  # whatever stands there is not opened, and stays
            try:
                with file:
                    file.write(head + b"\n" + code.content)
                partial.replace(self.path)
            except OSError:
                partial.unlink()


@cache
def _folder() -> Path | None:
    """The first folder that can be written of those where numba would keep its own cache."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    for folder in [Path(given) / "foretext"] if given else _usual_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def _usual_folders() -> list[Path]:
    """The package's own folder, and the user's; a user without a name may have none."""
    own, cached = [HERE / "__pycache__"], os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return [*own, Path(cached).expanduser() / "foretext"]
    except RuntimeError:  # neither HOME nor the list of users names a home
        return own


@cache
def _sources(module: Path) -> str:
    """A digest of a module and of all modules of kernels that it names, and so on."""
    found: dict[Path, bytes] = {}
    left = [module]
    while left:
        path = left.pop()
        if path not in found and path.is_file():
            found[path] = path.read_bytes()
            names = _KERNEL_MODULE.findall(found[path])
            left += [HERE / f"{name.decode().replace('.', '/')}.py" for name in names]
    parts = sorted((path.name, sha256(content).hexdigest()) for path, content in found.items())
    return sha256(repr(parts).encode()).hexdigest()


@cache
def _processor() -> tuple[str, ...]:
    """What tells processors apart that run different machine code.

    Where the system does not list their abilities (macOS, Windows, a container without ``/proc``),
    the name of the machine stands for its processor.
    """
    try:
        text = CPU_INFO.read_text(encoding="utf-8", errors="replace")
        found = _PROCESSOR.findall(text.partition("\n\n")[0])
    except OSError:
        found = []
    if not any(line.startswith("flags") for line in found):
        found += [platform.machine(), platform.processor(), platform.node()]
    chosen = {name: os.environ.get(f"NUMBA_{name}", "") for name in ("CPU_NAME", "CPU_FEATURES")}
    return (*found, *map("=".join, chosen.items()))


@cache
def _versions() -> tuple[str, str]:
    return metadata.version("numba"), metadata.version("llvmlite")


class ObjectCode(NamedTuple):
    """A compiled kernel as an object file, and how it is called."""

    content: bytes
    symbol: str
    returns: list[str]  # numpy's names of the numbers that it returns
    as_tuple: bool
