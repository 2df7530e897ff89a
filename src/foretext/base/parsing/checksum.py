"""Whether a file is what was written, by its CRC-32: for damage, not against forgery."""

from __future__ import annotations

import zlib
from pathlib import Path

from foretext.base.errors import ForetextError
from foretext.base.files import open_file

__all__ = ["file_checksum"]

READ_SIZE = 1 << 22  # bytes


def file_checksum(path: Path, error: type[ForetextError]) -> int:
    """Return the CRC-32 of a file's bytes; a gigabyte takes about a second.

    Raises:
        ForetextError: of the class `error`: the file cannot be read.
    """
    checksum = 0
    try:
        with open_file(path) as file:
            while piece := file.read(READ_SIZE):
                checksum = zlib.crc32(piece, checksum)
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    return checksum
