from __future__ import annotations

import pytest
import torch

from foretext.errors import SettingError
from foretext.training.memory import advised_on_memory


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        RuntimeError("could not create a primitive"),
    ],
)
def test_a_lack_of_memory_is_told_with_advice(error: Exception) -> None:
    with (
        pytest.raises(SettingError, match="not enough memory; take less"),
        advised_on_memory("take less."),
    ):
        raise error


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="shape"), advised_on_memory("take less."):
        raise RuntimeError("a shape does not fit")
