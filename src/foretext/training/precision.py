"""In which numbers a model is trained."""

from __future__ import annotations

import torch

from foretext.errors import SettingError
from foretext.nn.device import Precision, choose_dtype
from foretext.training.model import Model

__all__ = ["training_dtype"]


def training_dtype(model: Model, precision: Precision) -> torch.dtype:
    """Return bfloat16 or float32, as the user says, the device allows and the backbone bears.

    Raises:
        SettingError: the backbone cannot compute in bfloat16.
    """
    if not getattr(model.backbone, "keeps_fp32", False):  # an autoencoder does not say
        return choose_dtype(precision, model.device)
    if precision == "bf16":
        raise SettingError(
            f"[training] precision = 'bf16': {type(model.backbone).__name__} computes in fp32 "
            "alone; leave it at 'auto'."
        )
    return torch.float32
