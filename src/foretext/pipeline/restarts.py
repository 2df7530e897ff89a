"""Runs that torchrun starts again: where a process died, all begin once more by the same command.

`torchrun --max-restarts` gives the new processes the number of the restart and the id of the job. A
run that the same job began goes on from its last checkpoint, as with ``--resume``. An unfinished
run of another job is refused, as ever.
"""

from __future__ import annotations

import os
from pathlib import Path

from foretext.files import atomic_file
from foretext.run_folder import RunFolder
from foretext.runtime import num_restarts

__all__ = ["goes_on_after_restart", "keep_job"]

JOB = "torchrun.txt"  # beside the checkpoints


def goes_on_after_restart(out: str | Path | None) -> bool:
    """Whether torchrun has started this job again, and its run is in the folder `out`."""
    if out is None or not num_restarts():
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
    return os.environ.get("TORCHELASTIC_RUN_ID", "")
