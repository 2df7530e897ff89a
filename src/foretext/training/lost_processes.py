"""What is said when another process of a training dies, and this one waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch.distributed as dist

from foretext.base.errors import Interrupted
from foretext.training.processes import Processes

__all__ = ["told_of_lost_processes"]

# What gloo says in errors of no class of their own when the other end of a connection is gone.
SIGNS = ("gloo/transport", "Connection closed by peer", "Connection reset by peer")


@contextmanager
def told_of_lost_processes(processes: Processes) -> Iterator[None]:
    """Turn errors of the connection to another process into a sentence.

    Raises:
        Interrupted: another process has ended.
    """
    try:
        yield
    except RuntimeError as error:
        is_lost = isinstance(error, dist.DistError) or any(sign in str(error) for sign in SIGNS)
        if processes.size == 1 or not is_lost:
            raise
        raise Interrupted(
            f"Process {processes.rank} of {processes.size} lost the connection to another one, "
            "whose own message says why it ended; go on from the last checkpoint with --resume, or "
            "let torchrun do so with --max-restarts."
        ) from error
