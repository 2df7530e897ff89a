"""A network's weights from safetensors, as tensors of PyTorch: it knows types that numpy lacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from foretext.base.errors import ForetextError
from foretext.base.parsing.lfs_pointer import refuse_lfs_pointer
from foretext.base.parsing.text_file import read_bytes

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["read_torch"]


def read_torch(path: Path, error: type[ForetextError]) -> dict[str, Tensor]:
    """Return the tensors of a file, on the CPU in the types that they are stored in.

    Raises:
        ForetextError: of the class `error`: the file is missing, cut off, or of another format.
    """
    from safetensors.torch import load_file

    if not path.is_file():
        read_bytes(path, error)  # says what is there instead
    try:
        weights: dict[str, Tensor] = load_file(path)
    except Exception as problem:  # the library's own error, and whatever PyTorch says of a type
        refuse_lfs_pointer(path, error)
        raise error(
            f"{path} is no whole safetensors file ({problem}); fetch or write it again."
        ) from problem
    return weights
