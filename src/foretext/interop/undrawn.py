"""Networks whose weights are about to be read: nothing is drawn for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

__all__ = ["undrawn"]

DRAWS = (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_)


@contextmanager
def undrawn() -> Iterator[None]:
    """Leave weights of what is built within as memory has them, and the generator where it is."""
    with torch.random.fork_rng(devices=[]), _Undrawn():
        yield


class _Undrawn(TorchFunctionMode):
    """Takes the functions that initialise weights for done: most of the time of building."""

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
        return func(*args, **kwargs)
