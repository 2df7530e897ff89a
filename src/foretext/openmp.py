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

__all__ = ["SPIN_COUNT", "limit_spinning"]

# Turns of some tens of cycles. With 10,000 a team beside a busy process loses as much as with the
# library's 300,000; with none at all, small networks lose a quarter of their speed on free cores
# (docs/decisions/0065-threads-with-batches-of-their-own.md).
SPIN_COUNT = 1_000
CHOICES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")  # of the user


def limit_spinning() -> None:
    """Let threads spin briefly, here and in child processes, unless the user chose something."""
    if not any(name in os.environ for name in CHOICES):
        os.environ["GOMP_SPINCOUNT"] = str(SPIN_COUNT)
