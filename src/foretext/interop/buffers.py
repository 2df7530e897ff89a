"""Tensors in older files that are not weights: computed tables that were stored with the model.

A buffer that follows from config.json is left out. Any other is an error, because the model would
compute something else there than in foretext.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from foretext.backbones.transformer_config import TransformerConfig
from foretext.base.errors import ModelFileError

__all__ = ["TRANSFORMER_BUFFERS", "Holds", "check_buffers", "is_zero"]

HIDDEN = -1e4  # in every release, scores of hidden positions are at most this
ROUNDED = 1e-2  # relative error of a frequency that was stored in 16 bits

Holds = Callable[[Tensor, Any], bool]  # a buffer, and the settings of our backbone


def check_buffers(
    weights: Mapping[str, Tensor], config: Any, buffers: Mapping[str, Holds], path: Path
) -> None:
    """Check that every buffer follows from the settings.

    Args:
        weights: of `path`, their buffers among them.
        config: of our backbone.
        buffers: expressions for their names: whether one is what the settings say.
        path: for error messages.

    Raises:
        ModelFileError: positions, segments, masks or frequencies are unusual.
    """
    for name, buffer in weights.items():
        holds = next((test for end, test in buffers.items() if re.fullmatch(end, name)), None)
        if holds is not None and not holds(buffer, config):
            raise ModelFileError(
                f"{path}: '{name}' differs from what config.json says, and foretext computes it "
                "from there; such a model is not supported."
            )


def _counts_up(buffer: Tensor, _: TransformerConfig) -> bool:
    return bool((buffer.flatten() == torch.arange(buffer.numel())).all())


def is_zero(buffer: Tensor, _: Any) -> bool:
    """Whether a buffer has no effect where it is added."""
    return not buffer.any()


def _is_triangle(buffer: Tensor, _: TransformerConfig) -> bool:
    """Whether each position sees itself and those before it."""
    square = buffer.dim() >= 2 and buffer.shape[-1] == buffer.shape[-2]
    return square and bool((buffer == torch.ones(buffer.shape[-2:]).tril()).all())


def _hides(buffer: Tensor, _: TransformerConfig) -> bool:
    return buffer.numel() == 1 and bool(buffer <= HIDDEN)


def _are_frequencies(buffer: Tensor, config: TransformerConfig) -> bool:
    dim = config.dim // config.num_heads
    expected = config.rotary_base ** -(torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    if buffer.shape != expected.shape:
        return False
    return torch.allclose(buffer.double(), expected, rtol=ROUNDED, atol=0.0)


TRANSFORMER_BUFFERS: Mapping[str, Holds] = {
    r"(.+\.)?position_ids": _counts_up,
    r"(.+\.)?token_type_ids": is_zero,
    r"(.+\.)?h\.\d+\.attn\.bias": _is_triangle,
    r"(.+\.)?h\.\d+\.attn\.masked_bias": _hides,
    r"(.+\.)?rotary_emb\.inv_freq": _are_frequencies,
}
