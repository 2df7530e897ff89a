"""One verb for all that learns from labels: a task, and the base that it is learned on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from foretext._version import __version__
from foretext.artifact import load
from foretext.config import Config, duration_seconds
from foretext.errors import ModelFileError, OutputError, SettingError, did_you_mean
from foretext.files import atomic_file
from foretext.finetuning.job import BaseModel, Body, Finetuned, FinetuneJob, Sections
from foretext.parsing import read_toml
from foretext.pipeline.runs import run_folder
from foretext.registry import imported
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder

__all__ = [
    "BACKBONE_NAMES",
    "CLASSIFIERS",
    "TASKS",
    "finetune",
    "load_task",
    "rows_config",
    "rows_of",
    "run_finetuning",
    "section_names",
]

# Of each task, how its files are read; imported when it is asked for.
TASKS: dict[str, str] = {
    "classification": "foretext.data.rows:RowsConfig",
    "matching": "foretext.data.rows:PairsConfig",
    "tagging": "foretext.data.rows:TaggedConfig",
    "span_qa": "foretext.data.rows:QuestionsConfig",
}
# Names that stand for a network without weights yet: the row of BACKBONES, and settings.
BACKBONE_NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "transformer": ("transformer", {}),
    "textcnn": ("textcnn", {}),
    "rnn": ("recurrent", {"kind": "rnn"}),
    "lstm": ("recurrent", {"kind": "lstm"}),
    "gru": ("recurrent", {"kind": "gru"}),
}
NETWORK = "foretext.finetuning.network:NETWORK"  # imports PyTorch
# Names of what learns classification alone, and at once.
CLASSIFIERS: dict[str, str] = {
    "fasttext": "foretext.finetuning.fasttext:FASTTEXT",
    "linear": "foretext.finetuning.linear:LINEAR",
}
FASTTEXT_CLASSIFIER = "foretext.classifiers.fasttext.classifier:FastTextClassifier"
FASTTEXT_FILES = (".bin", ".ftz")
CONTENT = "content"  # of an unfinished run: tells whether its files have changed
GIVEN = "given.toml"  # among the checkpoints: what the user chose; recipe.toml ends as all settings
FREE_TO_CHANGE = ("checkpoint_seconds", "checkpoints_kept", "micro_batch_examples", "tensorboard")


def finetune(
    task: str,
    base: BaseModel,
    train: str | Path,
    out: str | Path,
    *,
    valid: str | Path | None = None,
    test: str | Path | None = None,
    settings: Sections | None = None,
    rows: Config | None = None,
    budget: str | float | None = None,
    search: str | float | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool = True,
) -> Any:
    """Learn a task from a file of labelled rows, keep the run in `out`, and return the model.

    Args:
        task: ``"classification"``, ``"matching"``, ``"tagging"`` or ``"span_qa"``.
        base: what it is learned on: a run, a folder of Hugging Face or sentence-transformers, a
            vector file, one of these opened by `load`, or the name of a network to be drawn anew:
            ``"textcnn"``, ``"lstm"``, ``"gru"``, ``"rnn"``, ``"transformer"``, ``"fasttext"``,
            ``"linear"``.
        train: rows to learn from.
        out: the run's folder; it must not hold a run already, unless `overwrite` or `resume`.
        valid: rows that weights and settings are chosen by.
        test: rows that the result is measured on at the end.
        settings: by section, ``{"training": {"epochs": 3}}``.
        rows: how files are to be read; None: as the task's files usually are.
        budget: wall-clock time of the training, ``"10m"``, in place of epochs.
        search: wall-clock time of a search for settings before it.
        overwrite: replace the run in `out`, once the new one is finished.
        resume: go on with the unfinished run in `out`.
        quiet: show no progress.

    Raises:
        ForetextError: a file, a setting or the folder will not do; the message says why.
    """
    return run_finetuning(
        task, base, train, out, valid=valid, test=test, settings=settings, rows=rows,
        budget=budget, search=search, overwrite=overwrite, resume=resume, quiet=quiet,
    ).model  # fmt: skip


def run_finetuning(
    task: str,
    base: BaseModel,
    train: str | Path,
    out: str | Path,
    *,
    valid: str | Path | None = None,
    test: str | Path | None = None,
    settings: Sections | None = None,
    rows: Config | None = None,
    budget: str | float | None = None,
    search: str | float | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool = True,
    report: bool = False,
) -> Finetuned:
    """Do what `finetune` does, and return the facts, the settings and the card as well.

    With `report` the run has a page before it is finished.
    """
    body = _body(task, base)
    _check_sections(settings or {}, body.sections)
    named = isinstance(base, str | Path) and str(base) not in BACKBONE_NAMES
    if named and os.path.realpath(str(base)) == os.path.realpath(out):  # copes with loops of links
        raise SettingError(f"RUN = '{out}' is BASE itself; keep the new run in another folder.")
    with run_folder(out, overwrite=overwrite, resume=resume) as run:
        job = FinetuneJob(
            task=task,
            base=base,
            train=train,
            run=run,
            rows=rows or rows_config(task)(),
            valid=valid,
            test=test,
            settings=settings or {},
            budget_seconds=None if budget is None else duration_seconds(budget),
            search_seconds=None if search is None else duration_seconds(search),
            resume=resume,
            quiet=quiet,
        )
        given = _given(job)
        if resume:
            _check_same(run, given)
        else:
            _write_settings(run.recipe, given)
        _write_settings(run.checkpoints / GIVEN, given)
        run.note(f"foretext {__version__}: {job.described()}{', resumed' if resume else ''}")
        learned = body.learn(job)
        _write_settings(run.recipe, learned.sections)
        config = learned.facts if body.writes_config else None
        run.finish(learned.card, config, write_report if report else None)
        return learned


def rows_config(task: str) -> type[Config]:
    """Return the class of the section ``[rows]`` of a task.

    Raises:
        SettingError: there is no such task.
    """
    if task not in TASKS:
        hint = did_you_mean(task, TASKS) or f" There are: {', '.join(TASKS)}."
        raise SettingError(f"TASK = '{task}': there is no such task.{hint}")
    config: type[Config] = imported(TASKS[task])
    return config


def section_names(task: str, base: BaseModel) -> tuple[str, ...]:
    """Return the sections of settings that a base has for a task.

    Raises:
        SettingError: there is no such task, or it is not learned on this base.
    """
    return (*_body(task, base).sections, "rows")


def load_task(path: str | Path) -> Any:
    """Open what a task was learned by: a run, a folder of Hugging Face, a .bin or .ftz file.

    Raises:
        VectorFileError: there is none, or it is damaged.
        SettingError: it learned something else.
    """
    if Path(path).suffix in FASTTEXT_FILES and not Path(path).is_dir():
        return imported(FASTTEXT_CLASSIFIER).load(path)
    run = RunFolder(path)
    model = load(path)
    if not hasattr(model, "predict"):
        found = f"a run of {run.kind}" if run.kind else f"{type(model).__name__}, which is no task"
        raise SettingError(
            f"{path} is {found}; give a folder of `foretext finetune`, a task's folder of Hugging "
            "Face, or fastText's .bin or .ftz file."
        )
    return model


def rows_of(path: str | Path) -> Config:
    """Return how the rows of a run were read, so that others are read in the same way."""
    run = RunFolder(path)
    task = run.kind if run.kind in TASKS else "classification"
    if not run.begun:  # a folder of another library
        return rows_config(task)()
    sections = read_toml(run.recipe, ModelFileError)
    try:
        return rows_config(task).checked(sections.get("rows", {}), "rows")
    except SettingError as error:
        raise ModelFileError(f"{run.recipe}: {error}") from error


def _body(task: str, base: BaseModel) -> Body:
    rows_config(task)
    names = [*BACKBONE_NAMES, *CLASSIFIERS]
    if isinstance(base, str | Path) and str(base) not in names and not Path(base).exists():
        hint = did_you_mean(str(base), names) or f" Backbones' names are: {', '.join(names)}."
        raise SettingError(
            f"BASE = '{base}': there is no such run, folder or vector file, and no such name of a "
            f"backbone.{hint}"
        )
    name = base if isinstance(base, str) and base in CLASSIFIERS else None
    if name is not None and task != "classification":
        raise SettingError(f"BASE = '{name}': it learns classification, not {task}.")
    body: Body = imported(NETWORK if name is None else CLASSIFIERS[name])
    return body


def _check_sections(settings: Sections, sections: tuple[str, ...]) -> None:
    for section in settings:
        if section not in sections:
            raise SettingError(
                f"[{section}]: there is no such section here.{did_you_mean(section, sections)} "
                f"There are: {', '.join(sections)}."
            )


def _given(job: FinetuneJob) -> dict[str, Any]:
    """What the user chose, as the recipe of an unfinished run keeps it."""
    rows = {name: value for name, value in job.rows.model_dump().items() if value is not None}
    sections = {name: dict(values) for name, values in job.settings.items() if values}
    lengths = {"budget": job.budget_seconds, "search": job.search_seconds}
    given = {name: seconds for name, seconds in lengths.items() if seconds is not None}
    run = {**job.described(), **given, CONTENT: job.content()}
    return {"run": run, **sections, "rows": rows}


def _check_same(run: RunFolder, given: Sections) -> None:
    """Refuse to resume a run with other settings than it began with."""
    kept = run.checkpoints / GIVEN
    before = read_toml(kept if kept.is_file() else run.recipe, OutputError)
    for section in sorted(before.keys() | given.keys()):
        old, new = before.get(section, {}), given.get(section, {})
        for name in sorted(old.keys() | new.keys()):
            if name not in (*FREE_TO_CHANGE, CONTENT) and _plain(old.get(name)) != _plain(
                new.get(name)
            ):
                raise SettingError(
                    f"{run.named} began with {section}.{name} = {old.get(name)!r}, not "
                    f"{new.get(name)!r}; resume with the same settings, or begin another run."
                )
    if before.get("run", {}).get(CONTENT) != given["run"][CONTENT]:
        raise SettingError(
            f"The files that {run.named} learns from are not what they were when it began; bring "
            "them back, or begin another run."
        )


def _plain(value: Any) -> Any:
    """As TOML keeps it."""
    return list(value) if isinstance(value, tuple) else value


def _write_settings(path: Path, sections: Sections) -> None:
    import tomli_w

    with atomic_file(path) as temporary:
        temporary.write_text(tomli_w.dumps(dict(sections)), encoding="utf-8")
