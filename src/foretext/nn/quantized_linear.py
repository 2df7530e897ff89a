"""Networks that read many rows on a CPU by products of integers (int8), twice as fast as bfloat16.

Weights have one scale an output, states one scale a row, found when they are read. All between the
products stays as it is (Dettmers et al. 2022, "LLM.int8()", section 2.1, vector-wise quantisation).
"""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import Tensor, nn

from foretext.base.errors import SettingError
from foretext.kernels.byte_rows import LARGEST, ZERO, quantize_rows, scale_rows
from foretext.nn.linear_maps import with_linear_maps
from foretext.nn.packed_linear import PackedLinear
from foretext.nn.parted_linear import FixedLinear
from foretext.nn.team import torch_team
from foretext.nn.views import flat_view

__all__ = ["QuantizedLinear", "check_int8", "has_int8", "multiplies_integers", "quantized"]

LANES = 16  # columns that the kernels work on at once
TINY = 1e-12  # instead of the largest weight of an output that has none

M = TypeVar("M", bound=nn.Module)


class QuantizedLinear(FixedLinear):
    """A linear map by products of integers; not to be trained.

    Args:
        weight: (N, K) float32 or bfloat16, on a CPU; N and K are multiples of 16.
        bias: (N,) or None.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, bias)
        self._scales = self.weight.float().abs().amax(1).clamp(min=TINY) / LARGEST  # (N,)
        integers = (self.weight.float() / self._scales[:, None]).round().to(torch.int8)
        self._packed = torch.ops.onednn.qlinear_prepack(integers, None)
        self._zeros = torch.zeros(len(weight), dtype=torch.int64)
        self._bias = torch.zeros(len(weight)) if bias is None else bias.detach().float()

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., K) to (..., N)."""
        rows = x.reshape(-1, x.shape[-1]).contiguous()
        integers, scales = torch.empty_like(rows, dtype=torch.uint8), torch.empty(len(rows))
        team = torch_team()
        quantize_rows(team, flat_view(rows), flat_view(integers), flat_view(scales), x.shape[-1])
        # A row's scale is not known to the library: it multiplies as if each one was 1.
        product: Tensor = torch.ops.onednn.qlinear_pointwise(
            integers, 1.0, ZERO, self._packed, self._scales, self._zeros, None,
            1.0, 0, x.dtype, "none", [], "none",
        )  # fmt: skip
        scale_rows(team, flat_view(product), flat_view(scales), flat_view(self._bias))
        return product.view(*x.shape[:-1], product.shape[-1])


def has_int8(device: torch.device) -> bool:
    """Whether products of integers are fast on this device."""
    return device.type == "cpu" and torch.cpu._is_vnni_supported()


def check_int8(device: torch.device) -> None:
    """Check that products of integers are fast on this device.

    Raises:
        SettingError: they are not.
    """
    if not has_int8(device):
        raise SettingError(
            "precision = 'int8' needs a processor of the x86 family with VNNI instructions, and "
            "device = 'cpu'; use precision = 'auto'."
        )


def quantized(network: M) -> M:
    """Return the network with products of integers where its maps have a fitting width."""
    return with_linear_maps(network, _map)


def multiplies_integers(network: nn.Module) -> bool:
    """Whether a network that `quantized` returned has any product of integers."""
    return any(isinstance(module, QuantizedLinear) for module in network.modules())


def _map(weight: Tensor, bias: Tensor | None) -> nn.Module:
    fits = not any(size % LANES for size in weight.shape)
    return QuantizedLinear(weight, bias) if fits else PackedLinear(weight, bias)
