"""Where an export may be written: not over the model that it is made of."""

from __future__ import annotations

from pathlib import Path

from foretext.base.errors import OutputError
from foretext.base.files import refuse_existing

__all__ = ["refuse_output"]


def refuse_output(output: Path, run: Path, *, overwrite: bool) -> None:
    """Refuse a folder that may not be written, or that would take the model with it.

    Args:
        output: the folder to write.
        run: the folder or file of the model.
        overwrite: whether another folder may be replaced.

    Raises:
        OutputError: the output exists, or it is the run, holds it, or lies in it.
    """
    refuse_existing(output, overwrite=overwrite)
    ours, theirs = output.resolve(), run.resolve()
    if ours == theirs or ours in theirs.parents or theirs in ours.parents:
        raise OutputError(
            f"{output} is {run}, holds it, or lies in it, and the export would change the model; "
            "choose a folder elsewhere."
        )
