"""numba's cache on disk with checksums, so that a damaged or foreign file does no harm.

numba opens its files without a look at what they are, and unpickles what they hold: it waits for a
pipe without end, and a file that a full disk has cut off ends the command. Here each file begins
with a checksum of its content, of the kernel and of the version. A file whose checksum is wrong, or
that cannot be read, is ignored and the kernel is compiled again. If the new file cannot be written,
every process compiles it.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile

__all__ = ["check_files"]

SUFFIX = "-checked"  # of the names, so that a plain numba never opens these files
DIGEST_SIZE = 32  # bytes


def check_files(dispatcher: Any) -> None:
    """Have a function that numba caches on disk read and write its files by `_CheckedFiles`."""
    usual = dispatcher._cache._cache_file
    base = usual._index_name.removesuffix(".nbi")
    dispatcher._cache._cache_file = _CheckedFiles(
        cache_path=usual._cache_path,
        filename_base=f"{base}{SUFFIX}",
        source_stamp=usual._source_stamp,
    )


class _CheckedFiles(IndexDataCacheFile):
    """The files of one function: an index, and machine code for each set of types."""

    def save(self, key: Any, data: Any) -> None:
        """Leave code for later runs, where there is room for it."""
        with suppress(OSError):
            super().save(key, data)

    def _load_index(self) -> dict[Any, str]:
        content = self._content(Path(self._index_path))
        return {} if content is None else pickle.loads(content)

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(Path(self._index_path), overloads)

    def _load_data(self, name: str) -> Any:
        content = self._content(Path(self._data_path(name)))
        return None if content is None else pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(Path(self._data_path(name)), data)

    def _write(self, path: Path, value: Any) -> None:
        content = self._dump(value)
        with self._open_for_write(str(path)) as file:
            file.write(self._digest(path, content) + content)

    def _content(self, path: Path) -> bytes | None:
        """Return what was written to a file by this version for this source; None: it was not."""
        try:
            if not path.is_file():
                return None
            whole = path.read_bytes()
        except OSError:
            return None
        content = whole[DIGEST_SIZE:]
        return content if whole[:DIGEST_SIZE] == self._digest(path, content) else None

    def _digest(self, path: Path, content: bytes) -> bytes:
        stated = (self._version, self._source_stamp, path.name)
        return sha256(repr(stated).encode() + content).digest()
