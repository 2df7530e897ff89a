"""One verb for all that learns from labels: a task, and the body that it is learned by."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from foretext._version import __version__
from foretext.artifact import RunFolder
from foretext.config import duration_seconds
from foretext.data.rows import RowsConfig
from foretext.errors import SettingError, did_you_mean
from foretext.files import atomic_file
from foretext.pipeline.runs import run_folder
from foretext.registry import imported

__all__ = [
    "TASKS",
    "Body",
    "Classifier",
    "FinetuneJob",
    "Finetuned",
    "finetune",
    "load_classifier",
    "rows_of",
    "run_finetuning",
    "section_names",
]

Sections = Mapping[str, Mapping[str, Any]]

# Of each task, the bodies that have a name; what learns, and the sections of its settings.
TASKS: dict[str, dict[str, str]] = {
    "classification": {"fasttext": "foretext.pipeline.fasttext_classifier:FASTTEXT"},
}
_CLASSIFIERS = {  # by the kind that config.json names
    "fasttext classifier": "foretext.tasks.fasttext.classifier:FastTextClassifier",
}
_CLASSIFIER_FILES = {
    ".bin": "foretext.tasks.fasttext.classifier:FastTextClassifier",
    ".ftz": "foretext.tasks.fasttext.classifier:FastTextClassifier",
}


class Classifier(Protocol):
    """What prediction and evaluation ask of a trained classifier."""

    def predict_top(
        self, texts: list[str], k: int | None = 1, threshold: float = 0.0
    ) -> list[list[tuple[str, float]]]:
        """Return of each text up to `k` labels with their chances, the best first."""

    def evaluate(self, texts: Path, *, rows: RowsConfig | None = None) -> dict[str, Any]:
        """Return accuracy and the figures of each label on a file of labelled rows."""


@dataclass(frozen=True)
class FinetuneJob:
    """One run: what is to be learned from what, and where it is kept."""

    task: str
    base: str
    train: str | Path
    run: RunFolder
    valid: str | Path | None = None
    test: str | Path | None = None
    settings: Sections = field(default_factory=dict)
    rows: RowsConfig = field(default_factory=RowsConfig)
    budget_seconds: float | None = None  # of the training
    search_seconds: float | None = None  # of a search for settings before it
    quiet: bool = True


@dataclass(frozen=True)
class Finetuned:
    """What one run gave."""

    model: Any
    sections: Sections  # of the resolved recipe
    facts: dict[str, Any]  # of config.json
    card: str


@dataclass(frozen=True)
class Body:
    """How one body learns one task."""

    sections: tuple[str, ...]  # of settings, beside `rows`
    learn: Callable[[FinetuneJob], Finetuned]


def finetune(
    task: str,
    base: str,
    train: str | Path,
    out: str | Path,
    *,
    valid: str | Path | None = None,
    test: str | Path | None = None,
    settings: Sections | None = None,
    rows: RowsConfig | None = None,
    budget: str | float | None = None,
    search: str | float | None = None,
    overwrite: bool = False,
    quiet: bool = True,
) -> Any:
    """Learn a task from a file of labelled rows, keep the run in `out`, and return the model.

    Args:
        task: ``"classification"``.
        base: ``"fasttext"``.
        train: rows to learn from.
        out: the run's folder; it must not hold a run already, unless `overwrite`.
        valid: rows that settings are chosen by, and whose loss is recorded.
        test: rows that the result is measured on at the end.
        settings: by section, ``{"classifier": {"lr": 0.5}}``.
        rows: how files are to be read.
        budget: wall-clock time of the training, ``"10m"``, in place of epochs.
        search: wall-clock time of a search for settings before it.
        overwrite: replace the run in `out`, once the new one is finished.
        quiet: show no progress.

    Raises:
        ForetextError: a file, a setting or the folder will not do; the message says why.
    """
    return run_finetuning(
        task, base, train, out, valid=valid, test=test, settings=settings, rows=rows,
        budget=budget, search=search, overwrite=overwrite, quiet=quiet,
    ).model  # fmt: skip


def run_finetuning(
    task: str,
    base: str,
    train: str | Path,
    out: str | Path,
    *,
    valid: str | Path | None = None,
    test: str | Path | None = None,
    settings: Sections | None = None,
    rows: RowsConfig | None = None,
    budget: str | float | None = None,
    search: str | float | None = None,
    overwrite: bool = False,
    quiet: bool = True,
) -> Finetuned:
    """Do what `finetune` does, and return the facts, the settings and the card as well."""
    body = _body(task, base)
    with run_folder(out, overwrite=overwrite, resume=False) as run:
        job = FinetuneJob(
            task=task,
            base=base,
            train=train,
            run=run,
            valid=valid,
            test=test,
            settings=settings or {},
            rows=rows or RowsConfig(),
            budget_seconds=None if budget is None else duration_seconds(budget),
            search_seconds=None if search is None else duration_seconds(search),
            quiet=quiet,
        )
        _write_recipe(run, job.settings)
        run.note(f"foretext {__version__}: {task} by {base}")
        learned = body.learn(job)
        _write_recipe(run, learned.sections)
        run.finish(learned.card, learned.facts)
        return learned


def _write_recipe(run: RunFolder, sections: Sections) -> None:
    import tomli_w

    with atomic_file(run.recipe) as temporary:
        temporary.write_text(tomli_w.dumps(dict(sections)), encoding="utf-8")


def section_names(task: str, base: str) -> tuple[str, ...]:
    """Return the sections of settings that a body has for a task.

    Raises:
        SettingError: there is no such task, or it has no such body.
    """
    return (*_body(task, base).sections, "rows")


def load_classifier(path: str | Path) -> Classifier:
    """Open a run of classification, or a classifier of fastText's program.

    Raises:
        VectorFileError: there is none, or it is damaged.
        SettingError: the run learned something else.
    """
    run, suffix = RunFolder(path), Path(path).suffix
    target = _CLASSIFIER_FILES.get(suffix) if not run.path.is_dir() else None
    target = target or _CLASSIFIERS.get(run.kind or "")
    if target is None:
        found = f"a run of {run.kind}" if run.kind else "no finished run"
        raise SettingError(
            f"{path} is {found}, and predict asks classifiers: folders of `foretext finetune "
            "classification`, or fastText's .bin and .ftz files."
        )
    classifier: Classifier = imported(target).load(path)
    return classifier


def rows_of(path: str | Path) -> RowsConfig:
    """Return how the rows of a run were read, so that others are read in the same way."""
    sections = tomllib.loads(RunFolder(path).recipe.read_text("utf-8"))
    return RowsConfig.checked(sections.get("rows", {}), "rows")


def _body(task: str, base: str) -> Body:
    if task not in TASKS:
        hint = did_you_mean(task, TASKS) or f" There are: {', '.join(TASKS)}."
        raise SettingError(f"TASK = '{task}': there is no such task.{hint}")
    bodies = TASKS[task]
    if base not in bodies:
        hint = did_you_mean(base, bodies) or f" There are: {', '.join(bodies)}."
        raise SettingError(f"BASE = '{base}': {task} is not learned by this.{hint}")
    body: Body = imported(bodies[base])
    return body
