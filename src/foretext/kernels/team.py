"""Work shared out to the threads that torch already has.

torch keeps a team of OpenMP threads, which look for work for some milliseconds after each
operation. Threads of our own would have to push them off their cores first, and did: a kernel
between two matrix products was no faster on two threads than on one. So a kernel asks torch's own
team, through the one function by which gcc's compiled code asks it, ``GOMP_parallel``.

The work is cut into numbered portions, and each thread takes the next number that nobody has: who
took which is a matter of luck, what a portion does is not. Without a team (address 0) the calling
thread takes them all.

The definition of `share_out` is in `foretext.kernels.shared_work`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from foretext.kernels.compile import Intrinsic

__all__ = ["ALONE", "Team", "share_out"]


class Team(NamedTuple):
    """Where ``GOMP_parallel`` is in memory, and how many threads it is asked for."""

    fork: int
    num_threads: int


ALONE = Team(0, 1)

share_out: Any = Intrinsic("foretext.kernels.shared_work", "share_out")
