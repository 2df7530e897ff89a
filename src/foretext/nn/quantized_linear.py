"""Networks that read many rows on a CPU by products of integers (int8), twice as fast as bfloat16.

Weights have one scale an output, states one scale a row, found when they are read. All between the
products stays as it is (Dettmers et al. 2022, "LLM.int8()", section 2.1, vector-wise quantisation).

Networks that read many rows on a CPU, with weights laid out once for the matrix library. PyTorch
lays weights of a product out anew at every call, and multiplies float32 by a library that leaves
wide registers of some processors unused. oneDNN takes weights that were laid out before: on AMD
EPYC with AVX-512 float32 is 2.4 times as fast, bfloat16 1.1 to 2 times.

Networks that generate token by token on a CPU, where reading the weights takes the time. Every
linear map gets a copy of its weights in bfloat16, laid out for a single row
(`foretext.kernels.row_linear`). States, norms, attention and the reading of a prompt stay
float32.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.base.errors import SettingError
from foretext.kernels.byte_rows import LARGEST, ZERO, quantize_rows, scale_rows
from foretext.kernels.row_linear import pack_blocks, row_linear
from foretext.messages import message
from foretext.nn.parted_linear import FixedLinear
from foretext.nn.precision import ReadingPrecision
from foretext.nn.team import torch_team
from foretext.nn.token_head import TokenHead
from foretext.nn.views import flat_view

__all__ = [
    "Copies",
    "PackedLinear",
    "QuantizedLinear",
    "RowLinear",
    "check_int8",
    "for_single_rows",
    "has_int8",
    "head_for_single_rows",
    "multiplies_integers",
    "packed",
    "packed_head",
    "quantized",
    "reading_copy",
]

LANES = 16  # columns that the kernels work on at once
TINY = 1e-12  # instead of the largest weight of an output that has none

M = TypeVar("M", bound=nn.Module)

MOST_ROWS = 8  # more are multiplied faster by the library


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
        raise SettingError(message("errors.value.int8"))


def quantized(network: M) -> M:
    """Return the network with products of integers where its maps have a fitting width."""
    return _with_linear_maps(network, _map)


def multiplies_integers(network: nn.Module) -> bool:
    """Whether a network that `quantized` returned has any product of integers."""
    return any(isinstance(module, QuantizedLinear) for module in network.modules())


def _map(weight: Tensor, bias: Tensor | None) -> nn.Module:
    fits = not any(size % LANES for size in weight.shape)
    return QuantizedLinear(weight, bias) if fits else PackedLinear(weight, bias)


class Copies:
    """What was made of a network's weights, made again if a weight has changed since.

    Changes during training are not noticed: ask for copies after it.

    Args:
        original: the network.
        shared: parts of it that are not copied, such as a tokenizer.
    """

    def __init__(self, original: nn.Module, shared: tuple[Any, ...] = ()) -> None:
        self.original = original
        self.shared = shared
        self._made: dict[
            str, tuple[Any, Any]
        ] = {}  # the weights at that time, and what was made of them

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was made: it holds weights in forms of a library, and is made again."""
        return {**vars(self), "_made": {}}

    def in_dtype(self, dtype: torch.dtype) -> Any:
        """Return the network with all weights in `dtype`: itself, if they are already."""
        original = self.original.eval()
        if next(original.parameters()).dtype == dtype:
            return original
        return self.made(str(dtype), lambda: self._cast(dtype))

    def made(self, kind: str, make: Callable[[], Any]) -> Any:
        """Return what `make` makes of the present weights."""
        weights = [(weight.data_ptr(), weight._version) for weight in self.original.parameters()]
        before, found = self._made.get(kind, (None, None))
        if before != weights:
            found = make()
            self._made[kind] = weights, found
        return found

    def _cast(self, dtype: torch.dtype) -> nn.Module:
        memo = {id(part): part for part in self.shared}
        return copy.deepcopy(self.original, memo).eval().requires_grad_(False).to(dtype)


def _with_linear_maps(network: M, make: Callable[[Tensor, Tensor | None], nn.Module]) -> M:
    """Return the network, in evaluation mode, with its `nn.Linear` layers replaced.

    Args:
        network: stays as it is.
        make: returns the layer for a weight (N, K) and a bias (N,) or None.
    """
    shared = {id(tensor): tensor for tensor in (*network.parameters(), *network.buffers())}
    replaced = copy.deepcopy(network, shared)
    made: dict[tuple[int, ...], nn.Module] = {}  # of layers that share their weights
    for module in list(replaced.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.Linear):
                key = id(child.weight), id(child.bias)
                if key not in made:
                    made[key] = make(child.weight, child.bias)
                setattr(module, name, made[key])
    return replaced.eval()


class PackedLinear(FixedLinear):
    """A linear map for any number of rows; not to be trained.

    Args:
        weight: (N, K) float32 or bfloat16, on a CPU.
        bias: (N,) or None.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, bias)
        self._packed = torch.ops.mkldnn._reorder_linear_weight(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., K) to (..., N)."""
        rows: Tensor = torch.ops.mkldnn._linear_pointwise(
            x, self._packed, self.bias, "none", [], ""
        )
        return rows


def packed(network: M) -> M:
    """Return the network with packed linear maps; as it is, where oneDNN does not pack these."""
    weights = next(network.parameters())
    if weights.device.type != "cpu" or not _packs(weights.dtype):
        return network.eval()
    return _with_linear_maps(network, PackedLinear)


def _packs(dtype: torch.dtype) -> bool:
    """Whether oneDNN lays out weights of a type on this processor."""
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    return dtype != torch.bfloat16 or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def packed_head(head: TokenHead) -> nn.Module:
    """Return what maps states to logits, of this kind."""
    return packed(head.as_layers())


def reading_copy(copies: Copies, dtype: torch.dtype, precision: ReadingPrecision) -> Any:
    """Return the network in `dtype`, on a CPU with linear maps for many rows.

    With the precision "int8" their products are those of integers, and all else is in `dtype`.
    """
    make = quantized if precision == "int8" else packed
    return copies.made(f"{make.__name__} {dtype}", lambda: make(copies.in_dtype(dtype)))


class RowLinear(nn.Module):
    """A linear map, fast for a few rows; not to be trained.

    Args:
        weight: (N, K) float32, which is kept for many rows.
        bias: (N,) or None.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.weight, self.bias = weight.detach(), None if bias is None else bias.detach()
        self._num_outputs, self._width = weight.shape
        self._blocks = pack_blocks(self.weight.numpy())
        self._bias = np.zeros(self._blocks.size // self._width, np.float32)
        if self.bias is not None:
            self._bias[: self._num_outputs] = self.bias.numpy()

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., K) float32 to (..., N)."""
        num_rows = x.numel() // self._width
        if num_rows > MOST_ROWS:
            return F.linear(x, self.weight, self.bias)
        rows = x.contiguous().view(-1).numpy()
        outputs = torch.empty(*x.shape[:-1], self._bias.size)
        flat = outputs.view(-1).numpy()
        row_linear(torch_team(), self._blocks, self._bias, rows, flat, self._width)
        return outputs[..., : self._num_outputs]

    def part(self, x: Tensor, outputs: slice) -> Tensor:
        """Map (..., K) float32 to some of the N outputs."""
        bias = None if self.bias is None else self.bias[outputs]
        return F.linear(x, self.weight[outputs], bias)


def for_single_rows(network: M) -> M:
    """Return the network with its linear maps replaced; all other weights are shared with it."""
    return _with_linear_maps(network, RowLinear)


def head_for_single_rows(head: TokenHead) -> nn.Module:
    """Return what maps states to logits, of this kind."""
    return for_single_rows(head.as_layers())
