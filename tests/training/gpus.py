"""What tests on GPUs share."""

from __future__ import annotations

import pytest
import torch

__all__ = ["needs_gpus"]


def needs_gpus(num: int) -> pytest.MarkDecorator:
    """Skip where there are fewer GPUs."""
    return pytest.mark.skipif(torch.cuda.device_count() < num, reason=f"needs {num} GPUs")
