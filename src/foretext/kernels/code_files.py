"""Where the machine code of kept kernels stands between runs.

The name of a file says all that the code depends on: the sources of the kernel and of what it
uses, its options, the types of its arguments, the processor, and the versions of the compiler. So
a file is never out of date, and one that is damaged is made again. Its first line has a checksum of
the rest, the symbol to call, and what that returns.
"""

from __future__ import annotations

import os
import platform
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from types import FunctionType
from typing import Any, Self

from foretext.kernels.object_code import ObjectCode

__all__ = ["CodeFile"]

HERE = Path(__file__).parent
SUFFIX = ".code"
CPU_INFO = Path("/proc/cpuinfo")
TUPLE, SINGLE = "tuple", "single"  # what the code returns, before numpy's names of the numbers
_KERNEL_MODULE = re.compile(rb"foretext\.kernels\.(\w+)")
_PROCESSOR = re.compile(r"^(?:vendor_id|cpu family|model|stepping|flags)\s*:.*$", re.MULTILINE)


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
            left += [HERE / f"{name.decode()}.py" for name in _KERNEL_MODULE.findall(found[path])]
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
