"""Processes of this machine that do what another one asks for, through pipes.

`WorkerProcess` is such a process as the one that asks sees it, `WorkerPool` several of them, and
`Service` is the same process from within.
"""

from foretext.base.workers.pool import WorkerPool
from foretext.base.workers.service import Service
from foretext.base.workers.worker_process import (
    WorkerLostError,
    WorkerProcess,
    answer_line,
    read_answer,
    read_values,
    values_line,
)

__all__ = [
    "Service",
    "WorkerLostError",
    "WorkerPool",
    "WorkerProcess",
    "answer_line",
    "read_answer",
    "read_values",
    "values_line",
]
