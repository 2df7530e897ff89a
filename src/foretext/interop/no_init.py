"""Networks whose weights are about to be read: none is initialised, and none is too large."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from foretext.base.errors import ModelFileError

__all__ = ["no_init"]

DRAWS = (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_)
WEIGHTS = (torch.empty, torch.zeros, torch.ones, torch.full)  # the first argument is a shape
FACTOR, SMALL = 4, 1 << 16  # room for biases that are not stored, and for temporary copies
LARGEST_TABLE = 1 << 27  # numbers of a table of positions: a million times 128


@contextmanager
def no_init(weights: Mapping[str, Tensor], path: Path) -> Iterator[None]:
    """Build networks without initialising their weights; random numbers go on as before.

    Args:
        weights: that will be copied into the network. They limit its size: a few digits in a
            config.json could ask for more memory than there is.
        path: of the file that describes the network.

    Raises:
        ModelFileError: the network is much larger than the weights.
    """
    numbers = sum(weight.numel() for weight in weights.values())
    with torch.random.fork_rng(devices=[]), _NoInit(FACTOR * numbers + SMALL, path):
        yield


class _NoInit(TorchFunctionMode):
    """Skips the functions that initialise weights, which take most of the time of building."""

    def __init__(self, room: int, path: Path) -> None:
        super().__init__()
        self.room = room  # numbers that may still be allocated
        self.path = path

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if func in DRAWS:
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        if func in WEIGHTS:
            self.room -= math.prod(_integers(kwargs.get("size", args)))
        if self.room < 0 or _table_size(func, args) > LARGEST_TABLE:
            raise ModelFileError(
                f"{self.path} describes a network that is much larger than the weights beside it; "
                "download both again."
            )
        return func(*args, **kwargs)


def _integers(shape: Any) -> Iterator[int]:
    """Sizes of a shape, given as one argument or as several."""
    if isinstance(shape, int):
        yield shape
    elif isinstance(shape, Sequence):
        for size in shape:
            yield from _integers(size)


def _table_size(func: Callable[..., Any], args: tuple[Any, ...]) -> int:
    if func is torch.arange:
        return max(_integers(args), default=0)
    return math.prod(each.numel() for each in args) if func is torch.outer else 0
