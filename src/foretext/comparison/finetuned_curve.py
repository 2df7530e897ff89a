"""`finetune --curve`: what one model learns from fewer labels, beside the run that has all of them.

    RUN/label_curve.json                    points, worth and sentence, as in ``compare.json``
    RUN/curve/given.toml                    what the user chose, and a digest of the rows
    RUN/curve/rows/train-N-draw-D.jsonl     rows that stand for N labels
    RUN/curve/labels-N/draw-D/              the answers of a model that learned from them
    RUN/curve/bases/                        what was pretrained on the texts, until all is done

With any number of labels, all texts without labels are used. Pretraining needs no labels, so it is
done once, for the run and for each of these models.

Each of these models is learned by the job of a comparison, so that it is done once, whatever kills
the command; ``--resume`` goes on, with the same rows and settings. The run itself is the point of
all labels.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from foretext.artifact import load_task
from foretext.base.errors import BudgetError, OutputError, SettingError
from foretext.base.files import atomic_file, discard_folder
from foretext.base.parsing import read_toml
from foretext.base.terminal import say
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.cells import Cell, cells_of, measured_number, total_weight
from foretext.comparison.draws import ALL, Labels, nested_draw, numbers_of
from foretext.comparison.label_curve import curve_content
from foretext.comparison.label_scores import MeasuredCell
from foretext.comparison.local_worker import LocalWorker
from foretext.comparison.worker import Finetune, JobFailed
from foretext.data.rows import LabelledText, write_rows
from foretext.finetuning.bases import learner_class
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.recipe import Sections, TaskRecipe
from foretext.finetuning.rows import read_rows, read_unlabelled
from foretext.finetuning.run import run_finetuning
from foretext.finetuning.task_rows import sampled
from foretext.finetuning.unchanged import CONTENT, write_sections
from foretext.messages import message
from foretext.progress import is_quiet
from foretext.recipe.same_settings import check_same
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder
from foretext.tasks.predictor import Predictor
from foretext.tasks.task import Task

__all__ = ["finetune_curve"]

LEAST_SECONDS = 2.0  # of a model with few labels
ANSWERING_RATE = 0.3  # of its time, at most, that is kept free for its answers
GROUP = "given"
MANY = 4  # times as many labels as the largest number, all rows are taken for
GIVEN = Path("curve", "given.toml")  # in the folder of the run
BASES = Path("curve", "bases")  # likewise
# Keys of [run]: what the run learned from.
OF_RUN = ("task", "base", "beside", "train", "valid", "unlabelled")


@dataclass(frozen=True)
class _Curve:
    """What is learned from which rows.

    Attributes:
        recipe: of the run.
        run: its folder.
        model: that learned from all rows.
        cells: with fewer labels, those with few first.
        train, test: rows.
        texts: without labels.
        clipped: a note where numbers are more than the rows.
    """

    recipe: TaskRecipe
    run: RunFolder
    model: Predictor
    cells: list[Cell]
    train: Sequence[Any]
    test: Sequence[Any]
    texts: Sequence[LabelledText]
    clipped: str | None

    @property
    def folder(self) -> Path:
        """Where rows and answers are."""
        return self.run.curve

    @property
    def reading(self) -> dict[str, Any]:
        """The section `[rows]` that reads files of this folder."""
        return self.model.task.reading_again(self.model.reading)

    def file(self, name: str) -> Path:
        """Return a file of rows."""
        return self.folder / "rows" / f"{name}.jsonl"

    def train_file(self, cell: Cell) -> Path:
        """Return the rows that a cell learns from."""
        return self.file(f"train-{cell.labels}-draw-{cell.draw}")

    @property
    def texts_file(self) -> Path | None:
        """Return the texts without labels; None: there are none."""
        return None if self.recipe.unlabelled is None else self.file("unlabelled")

    def answers(self, cell: Cell) -> Path:
        """Return the folder of the answers of a cell."""
        return self.folder / f"labels-{cell.labels}" / f"draw-{cell.draw}"


def finetune_curve(
    recipe: TaskRecipe,
    out: str | Path,
    labels: Labels,
    *,
    draws: int = 5,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
    report: bool = False,
) -> dict[str, Any]:
    """Fine-tune on all rows, then on draws of fewer; return the content of ``label_curve.json``.

    Args:
        recipe: of the run; a budget is divided among all trainings.
        out: the folder of the run.
        labels: numbers of labels; all rows are a point of the curve in any case.
        draws: of each number.
        overwrite, resume, quiet, report: as of `run_finetuning`.

    Raises:
        ForetextError: a file, a setting or the folder will not do; the message says why.
        Interrupted: a signal asked for the end; what was learned is kept.
    """
    _check(recipe, labels, draws)
    run = RunFolder(out)
    whole = _of_all(recipe, _share_of_all(labels, draws))
    was_finished = resume and run.finished and not run.label_curve.is_file()
    if not was_finished:
        options = {"overwrite": overwrite, "resume": resume, "quiet": quiet, "report": report}
        _learn_all(whole, out, _share_of_all(labels, draws), options)
    curve = _begun(recipe, RunFolder(out), labels, draws)
    _write_rows(curve, draws)
    if was_finished and recipe.unlabelled is not None:
        _pretrain(whole, curve, quiet)
    content = _content(curve, quiet)
    with atomic_file(curve.run.label_curve) as temporary:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
    _discard_texts(curve)
    if report:
        write_report(curve.run)
    return content


def _check(recipe: TaskRecipe, labels: Labels, draws: int) -> None:
    """Refuse what a curve cannot be of."""
    if recipe.test is None:
        raise SettingError(message("options.curve.test"))
    if not any(each != ALL for each in labels):
        raise SettingError(message("options.curve.beside_all"))
    if draws < 1:
        raise SettingError(message("options.curve.draws", draws=draws))
    for name, value in {"--teacher": recipe.teacher, "--search": recipe.search_seconds}.items():
        if value is not None:
            raise SettingError(message("options.curve.other", name=name))
    if recipe.unlabelled is not None and recipe.settings.get("finetuning", {}).get("adapt"):
        raise SettingError(
            "--curve would continue the pretraining of BASE on --unlabelled again for each number "
            "and draw; continue it once before, with `foretext pretrain --base`, and leave --adapt "
            "and --unlabelled out."
        )
    if not isinstance(recipe.base, str | Path):
        raise SettingError("--curve opens BASE again for each model; give its path or name.")


def _of_all(recipe: TaskRecipe, share: float) -> TaskRecipe:
    """Return the recipe for all rows, with its share of the budget."""
    budget = recipe.budget_seconds
    if budget is None:
        return recipe
    return replace(recipe, budget_seconds=round(share * budget, 2))


def _learn_all(
    recipe: TaskRecipe, out: str | Path, share: float, options: Mapping[str, Any]
) -> None:
    """Learn from all rows, and keep what is pretrained on texts without labels.

    Raises:
        BudgetError: the share of the time is too short.
    """
    bases = None if recipe.unlabelled is None else BASES
    try:
        run_finetuning(recipe, out, bases=bases, **options)
    except BudgetError as error:
        raise BudgetError(
            f"With --curve the training with all rows has {share:.0%} of --budget. It says: "
            f"{error} Of that time give {1 / share:.1f} times as much."
        ) from error


def _pretrain(recipe: TaskRecipe, curve: _Curve, quiet: bool | None) -> None:
    """Pretrain again what a run that was finished before its curve began has not kept."""
    assert isinstance(recipe.base, str | Path), "it was checked before the run"
    kind = learner_class(recipe.base, recipe.task)
    if not kind.pretrains:
        return
    job = FinetuneJob(
        run=curve.run, recipe=recipe, resume=True, quiet=is_quiet(quiet), rows_are_checked=True,
        bases=BASES,
    )  # fmt: skip
    learner = kind(job, recipe.settings)
    learner.start(read_rows(learner))


def _discard_texts(curve: _Curve) -> None:
    """Remove what is no longer needed: the texts, and what was pretrained on them."""
    if curve.texts_file is not None:
        curve.texts_file.unlink(missing_ok=True)
    bases = curve.run.path / BASES
    if bases.is_dir():
        discard_folder(bases)


def _share_of_all(labels: Labels, draws: int) -> float:
    """Return the share of the time that all rows have; they are not read yet."""
    numbers = [each for each in labels if each != ALL]
    assumed = MANY * max(numbers)
    return 1 / total_weight(cells_of([*numbers, assumed], assumed, draws=draws, seeds=1))


def _begun(recipe: TaskRecipe, run: RunFolder, labels: Labels, draws: int) -> _Curve:
    """Open the run, and read its rows again.

    Raises:
        SettingError: run or curve began with other settings, or with other rows.
    """
    model = load_task(run.path)
    config = model.task.rows_config.checked(dict(recipe.settings.get("rows", {})), "rows")
    model.reading = config
    rows = {name: value for name, value in config.model_dump().items() if value is not None}
    given = _given(recipe, rows, labels, draws)
    _refuse_others(run, given)
    assert recipe.test is not None, "it was checked before the run"
    train = model.task.read(recipe.train, config)
    test: Sequence[Any] = model.task.read(recipe.test, config)
    texts = [] if recipe.unlabelled is None else read_unlabelled(recipe.unlabelled, config)
    _keep_given(run, given, _digest(model.task, [*train, *test], texts))
    numbers, clipped = numbers_of((*labels, ALL), len(train))
    cells = cells_of(numbers, len(train), draws=draws, seeds=1)
    few = [cell for cell in cells if not cell.learns_all]
    budget = recipe.budget_seconds
    if budget is not None:
        test = sampled(test, measured_number(len(test), [GROUP], len(cells), budget))
    return _Curve(recipe, run, model, few, train, test, texts, clipped)


def _given(
    recipe: TaskRecipe, rows: Mapping[str, Any], labels: Labels, draws: int
) -> dict[str, dict[str, Any]]:
    """Return what the user chose, by section."""
    settings = {
        name: dict(values) for name, values in recipe.settings.items() if values and name != "rows"
    }
    budget = {} if recipe.budget_seconds is None else {"budget": recipe.budget_seconds}
    curve = {"labels": sorted({*map(str, labels), ALL}), "draws": draws}
    return {"run": {**recipe.run_section(), **budget}, "curve": curve, **settings, "rows": {**rows}}


def _refuse_others(run: RunFolder, given: Sections) -> None:
    """Compare with what the curve began with, or with the run where the curve has not begun.

    Raises:
        SettingError: something differs.
    """
    kept = run.path / GIVEN
    if kept.is_file():
        check_same(run.named, read_toml(kept, OutputError), given, (CONTENT,))
    else:
        check_same(run.named, _of_run(read_toml(run.recipe, OutputError)), _of_run(given))


def _of_run(sections: Sections) -> Sections:
    """Return the sections that a recipe with every setting has as the user gave them."""
    run = {name: value for name, value in sections["run"].items() if name in OF_RUN}
    return {"run": run, "rows": sections.get("rows", {})}


def _keep_given(run: RunFolder, given: dict[str, dict[str, Any]], content: str) -> None:
    """Write what the curve begins with, or compare the digest of its rows.

    Raises:
        SettingError: the rows have changed since.
    """
    path = run.path / GIVEN
    if not path.is_file():
        path.parent.mkdir(exist_ok=True)
        write_sections(path, {**given, "curve": {**given["curve"], CONTENT: content}})
    elif read_toml(path, OutputError)["curve"][CONTENT] != content:
        raise SettingError(
            f"The rows that the curve of {run.named} is learned from or measured on have changed "
            "since it began; give the same rows, or begin another run."
        )


def _digest(task: Task, rows: Sequence[Any], texts: Sequence[LabelledText]) -> str:
    """Return a digest of rows and texts, whatever their files are."""
    found = hashlib.sha256()
    for each in chain(task.objects_of(rows), _objects_of(texts)):
        found.update(json.dumps(each, ensure_ascii=False).encode() + b"\n")
    return found.hexdigest()[:32]


def _objects_of(texts: Sequence[LabelledText]) -> Iterator[dict[str, Any]]:
    """Yield texts without labels as a file of rows has them."""
    return ({"text": row.text} for row in texts)


def _write_rows(curve: _Curve, draws: int) -> None:
    """Write the rows of all cells, those that are measured, and the texts without labels."""
    task = curve.model.task
    kinds = [task.stratum_of(row) for row in curve.train]
    numbers = sorted({cell.labels for cell in curve.cells})
    write_rows(task.objects_of(curve.test), curve.file("test"))
    if curve.texts_file is not None:
        write_rows(_objects_of(curve.texts), curve.texts_file)
    for draw in range(draws):
        drawn = nested_draw(kinds, numbers, seed=0, draw=draw)
        for number, indices in drawn.items():
            some = [curve.train[index] for index in indices]
            write_rows(task.objects_of(some), curve.train_file(Cell(number, draw)))


def _content(curve: _Curve, quiet: bool | None) -> dict[str, Any]:
    """Learn what is missing, and return the points of the curve."""
    name, number = str(curve.recipe.base), len(curve.train)
    if curve.clipped and not is_quiet(quiet):
        say(message("terminal.note", said=curve.clipped), error=True)
    tried = list(_tried(curve, quiet))
    kept = KeptAnswers.of(curve.test, curve.model.answer_rows(curve.test))
    measured = [
        MeasuredCell(name, each["labels"], each["draw"], KeptAnswers.load(curve.answers(cell)))
        for each, cell in zip(tried, curve.cells, strict=True)
        if each["score"] is not None
    ]
    whole = {"name": name, "labels": number, "draw": 0, "score": kept.score,
             "seconds": float(curve.run.facts()["seconds"]), "sentence": None}  # fmt: skip
    found = curve_content(
        [*measured, MeasuredCell(name, number, 0, kept)],
        {name: GROUP},
        kept.judged_by,
        is_every_row=True,
        tried=[*tried, whole],
    )
    assert found is not None, "the run itself was measured"
    return {"judged_by": kept.judged_by, "part": "test", **found}


def _tried(curve: _Curve, quiet: bool | None) -> Iterator[dict[str, Any]]:
    """Learn each cell, unless an earlier command has; yield what came of it."""
    worker = LocalWorker()
    for cell in curve.cells:
        found: dict[str, Any] = {"score": None, "seconds": 0.0, "sentence": None}
        if not is_quiet(quiet):
            said = message("terminal.curve.learning", labels=cell.labels, draw=cell.draw + 1)
            say(said, error=True)
        try:
            reply = worker.run(_job(curve, cell))
            found = {**found, "score": reply.score, "seconds": reply.seconds}
        except JobFailed as failure:
            found = {**found, "seconds": failure.seconds, "sentence": str(failure)}
        yield {"name": str(curve.recipe.base), "labels": cell.labels, "draw": cell.draw, **found}


def _job(curve: _Curve, cell: Cell) -> Finetune:
    """Return what learns from a draw, as the run has learned from all rows."""
    recipe, answers, texts = curve.recipe, curve.answers(cell), curve.texts_file
    budget = recipe.budget_seconds
    if budget is not None:
        share = budget * cell.weight / (total_weight(curve.cells) + 1)
        budget = round(max((1 - ANSWERING_RATE) * share, LEAST_SECONDS), 2)
    return Finetune(
        recipe.task,
        str(recipe.base),
        str(curve.train_file(cell)),
        str(curve.file("test")),
        str(answers.with_name(f"{answers.name}-run")),
        settings={**recipe.settings, "rows": curve.reading},
        budget=budget,
        seed=cell.draw,
        quiet=True,
        holds_out=True,
        answers=str(answers),
        is_kept=False,
        beside=tuple(map(str, recipe.beside)),
        unlabelled=None if texts is None else str(texts),
        bases=None if texts is None else str(curve.run.path / BASES),
    )
