"""What a run says when it has to wait for the compiler, as the first one on a machine does."""

from __future__ import annotations

from foretext.base.terminal import say
from foretext.kernels.compile import when_compiling

__all__ = ["tell_of_compiling"]

LINE = "compiling kernels for this machine, once; the next run starts at once"


def tell_of_compiling(*, quiet: bool) -> None:
    """Have one line on standard error where this run compiles what no earlier one has left."""
    when_compiling(_nothing if quiet else _say)


def _say() -> None:
    say(LINE, error=True)


def _nothing() -> None:
    pass
