"""How long PyTorch's idle threads wait in a loop before they sleep.

PyTorch shares out each operation to a team of OpenMP threads, which meet at its end. GNU's OpenMP,
which PyTorch's Linux wheels carry, lets those that are done first spin for milliseconds. Where all
cores are free, the next operation comes long before that. Where another process takes a core, a
thread without a core stops all others: they spin, and so the system sees no idle core to move it
to. After a shorter spin they sleep, and the system can move it (docs/guides/reliability.md).

The library reads this when it is loaded: it has an effect only before PyTorch is imported.
"""

from __future__ import annotations

import os
import sys

__all__ = ["SPIN_COUNT", "limit_spinning", "survive_forks"]

# Turns of some tens of cycles. With 10,000 a team beside a busy process loses as much as with the
# library's 300,000; with none at all, small networks lose a quarter of their speed on free cores
# (docs/decisions/0065-threads-with-batches-of-their-own.md).
SPIN_COUNT = 1_000
CHOICES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")  # of the user


PARALLEL_TOKENS = "TOKENIZERS_PARALLELISM"  # a variable of the library tokenizers


def survive_forks() -> None:
    """Let a child process that was forked compute, where its parent has computed already.

    A forked process has none of its parent's threads, but GNU's OpenMP still waits for them, for
    ever. With one thread it asks none of them. gunicorn and multiprocessing fork.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_alone)


_has_set: list[str] = []  # the variable, while a fork is under way


def _before_fork() -> None:
    """Let the library tokenizers use one thread in the child, which it would warn of otherwise."""
    if "tokenizers" in sys.modules and PARALLEL_TOKENS not in os.environ:
        os.environ[PARALLEL_TOKENS] = "false"
        _has_set.append(PARALLEL_TOKENS)


def _in_parent() -> None:
    while _has_set:
        os.environ.pop(_has_set.pop(), None)


def _alone() -> None:
    """Compute with one thread; PyTorch hands the number on to OpenMP, and to threads to come."""
    _has_set.clear()
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def limit_spinning() -> None:
    """Let threads spin briefly, here and in child processes, unless the user chose something."""
    if not any(name in os.environ for name in CHOICES):
        os.environ["GOMP_SPINCOUNT"] = str(SPIN_COUNT)
