"""Arrays as bare numbers in a file, mapped into memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foretext.errors import ForetextError

__all__ = ["map_array"]


def map_array(
    path: Path, dtype: str, length: int, error: type[ForetextError]
) -> NDArray[np.generic]:
    """Map the (length,) numbers of a file, to be read only.

    The values are not looked at: who uses them as indices checks them first.

    Raises:
        ForetextError: of the class `error`: the file is missing, or has another length.
    """
    try:
        wanted = length * np.dtype(dtype).itemsize
        size = path.stat().st_size if path.is_file() else 0
        if length < 0 or size != wanted:
            raise error(
                f"{path} is damaged: it has {size:,} bytes instead of {wanted:,}; delete the "
                "folder that holds it and run again."
            )
        if length == 0:
            return np.empty(0, dtype)
        return np.memmap(path, dtype, mode="r", shape=(length,))
    except (OSError, ValueError, OverflowError, MemoryError) as problem:
        raise error(f"{path} cannot be read: {problem}.") from problem
