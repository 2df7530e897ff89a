"""What a run keeps of the user's choices while it is unfinished, so that a resume can compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.base.errors import OutputError, SettingError
from foretext.base.files import atomic_file
from foretext.base.parsing import read_toml
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.recipe import Sections
from foretext.messages import message
from foretext.recipe.same_settings import check_same

__all__ = ["CONTENT", "keep_given", "write_sections"]

GIVEN = "given.toml"  # among the checkpoints; recipe.toml becomes the resolved recipe at the end
CONTENT = "content"  # digest of the files that are learned from
FREE_TO_CHANGE = ("checkpoint_seconds", "checkpoints_kept", "micro_batch_examples", "tensorboard")


def keep_given(job: FinetuneJob, rows: dict[str, Any]) -> None:
    """Write what the user chose; where a run is resumed, compare it with what the run began with.

    Args:
        job: that begins or is resumed.
        rows: all settings of ``[rows]``.

    Raises:
        SettingError: the run began with other settings, or its files have changed.
    """
    given = _given(job, rows)
    kept = job.run.checkpoints / GIVEN
    if job.resume:
        before = read_toml(kept if kept.is_file() else job.run.recipe, OutputError)
        check_same(job.run.named, before, given, (*FREE_TO_CHANGE, CONTENT))
        if before.get("run", {}).get(CONTENT) != given["run"][CONTENT]:
            raise SettingError(message("files.rows.changed", run=job.run.named))
    else:
        write_sections(job.run.recipe, given)
    write_sections(kept, given)


def write_sections(path: Path, sections: Sections) -> None:
    """Write sections as TOML, whole or not at all."""
    import tomli_w

    with atomic_file(path) as temporary:
        temporary.write_text(tomli_w.dumps(dict(sections)), encoding="utf-8", newline="\n")


def _given(job: FinetuneJob, rows: dict[str, Any]) -> dict[str, Any]:
    recipe = job.recipe
    settings = {
        name: dict(values) for name, values in recipe.settings.items() if values and name != "rows"
    }
    lengths = {"budget": recipe.budget_seconds, "search": recipe.search_seconds}
    chosen = {name: seconds for name, seconds in lengths.items() if seconds is not None}
    run = {**recipe.run_section(), **chosen, CONTENT: job.content()}
    known = {name: value for name, value in rows.items() if value is not None}
    return {"run": run, **settings, "rows": known}
