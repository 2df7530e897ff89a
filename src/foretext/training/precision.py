"""The number format in which a model is trained."""

from __future__ import annotations

import torch

from foretext.base.errors import SettingError
from foretext.nn.device import Precision, choose_dtype
from foretext.training.model import Model

__all__ = ["training_dtype"]


def training_dtype(
    model: Model, precision: Precision, device: torch.device | None = None
) -> torch.dtype:
    """Return bfloat16 or float32: what the user, the device and the backbone allow.

    Args:
        model: that is trained.
        precision: that the user wants.
        device: where it will be; None: where it is.

    Raises:
        SettingError: the backbone cannot compute in bfloat16.
    """
    if not model.backbone.keeps_fp32:
        return choose_dtype(precision, device or model.device)
    if precision == "bf16":
        raise SettingError(
            f"[training] precision = 'bf16': {type(model.backbone).__name__} computes in fp32 "
            "only; leave it at 'auto'."
        )
    return torch.float32
