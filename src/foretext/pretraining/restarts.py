"""Runs that torchrun starts again: where a process died, all begin once more by the same command.

A run that the same job of torchrun began goes on from its last checkpoint, as with ``--resume``. An
unfinished run of another job is refused, as ever. A job is known by its id and by the address at
which its processes meet, which has another port in each job. Where neither is chosen anew
(``--rdzv-backend static``, without an id) the number of the restart has to say so. By itself that
number is no sign: a machine that has lost no process counts no restart.
"""

from __future__ import annotations

import os
from pathlib import Path

from foretext.base.files import atomic_file
from foretext.base.runtime import num_restarts
from foretext.run_folder import RunFolder

__all__ = ["goes_on_after_restart", "keep_job"]

JOB = "torchrun.txt"  # beside the checkpoints
ID = "TORCHELASTIC_RUN_ID"
UNNAMED = "none"  # the id of jobs that got none


def goes_on_after_restart(out: str | Path | None) -> bool:
    """Whether torchrun has started this job again, and its run is in the folder `out`."""
    if out is None or not _job() or (os.environ[ID] == UNNAMED and not num_restarts()):
        return False
    run = RunFolder.unfinished(out)
    kept = run.checkpoints / JOB
    return kept.is_file() and kept.read_text(encoding="utf-8", errors="replace") == _job()


def keep_job(run: RunFolder) -> None:
    """Note which job of torchrun has begun a run, if one has."""
    if job := _job():
        with atomic_file(run.checkpoints / JOB) as temporary:
            temporary.write_text(job, encoding="utf-8")


def _job() -> str:
    """Return what tells this job from others; empty: torchrun has not started this process."""
    if not (name := os.environ.get(ID)):
        return ""
    return f"{name} {os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}"
