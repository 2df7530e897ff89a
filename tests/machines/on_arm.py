"""Recorded calls of kernels are made on another machine: `tests/machines/recorded_calls.py`.

PYTHON on_arm.py FOLDER
"""

from __future__ import annotations

import ctypes
import pickle
import platform
import sys
from pathlib import Path

from foretext.kernels.compiled.kept import Program, flatten


class Library:
    """Machine code in a shared library."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))

    def address(self, name: str) -> int:
        """Where a function stands in memory."""
        return ctypes.cast(self._library[name], ctypes.c_void_p).value or 0


def main(folder: Path) -> None:
    for path in sorted(folder.glob("*.call")):
        kinds, symbol, returns, as_tuple, arguments = pickle.loads(path.read_bytes())
        values: list[object] = []
        flatten(arguments, [], values)
        library = Library(path.with_suffix(".so"))
        result = Program(library, symbol, kinds, returns, as_tuple=as_tuple)(values, arguments)
        found = (platform.machine(), result, arguments)
        path.with_suffix(".found").write_bytes(pickle.dumps(found))
        print(path.stem, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
