"""What became of a job that raised an error: its candidate is a row with a sentence."""

from __future__ import annotations

import traceback
from pathlib import Path

from foretext.base.errors import BudgetError, ForetextError
from foretext.base.files import atomic_file
from foretext.base.runtime import lacks_memory
from foretext.comparison.worker import Cause, Job

__all__ = ["described_failure"]


def described_failure(job: Job, error: Exception) -> tuple[str, Cause]:
    """Return a sentence for a person, and why the job failed.

    The traceback of a defect is kept beside the folder of the job.
    """
    if lacks_memory(error):
        detail = str(error).partition("\n")[0].rstrip(".")
        return (
            f"The memory does not suffice{f' ({detail})' if detail else ''}; free memory, or lower "
            "what sets the size, such as training.batch_examples."
        ), "memory"
    if isinstance(error, BudgetError):
        return str(error), "short"
    if isinstance(error, ForetextError):
        return str(error), "refused"
    if isinstance(error, OSError):
        what = "A file or device" if error.filename is None else str(error.filename)
        cause = error.strerror or str(error) or type(error).__name__
        return f"{what} cannot be read or written: {cause}.", "refused"
    log = Path(job.out).with_name(f"{Path(job.out).name}-traceback.txt")
    with atomic_file(log) as temporary:
        temporary.write_text("".join(traceback.format_exception(error)), "utf-8")
    return f"a defect: {type(error).__name__}: {error}. Report what {log} says.", "defect"
