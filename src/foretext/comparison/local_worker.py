"""A worker in this process, for tests and where no process can be started."""

from __future__ import annotations

import time
from typing import Any

from foretext.base.errors import Interrupted
from foretext.comparison.child_worker import described_failure
from foretext.comparison.jobs import do_job
from foretext.comparison.worker import Job, JobFailed, Worker

__all__ = ["LocalWorker"]


class LocalWorker(Worker):
    """Does jobs here; limits have no effect."""

    def __exit__(self, *_: object) -> None:
        return

    def run(self, job: Job, *, limit: float | None = None) -> Any:  # the overloads say which reply
        """Do a job, and return what came of it."""
        began = time.monotonic()
        try:
            return do_job(job)
        except Interrupted:
            raise
        except Exception as error:
            sentence, cause = described_failure(job, error)
            raise JobFailed(sentence, cause, time.monotonic() - began) from error
