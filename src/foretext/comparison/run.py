"""The road of a comparison: prepare, give every candidate its turns, answer the test, write.

The recipe of the best model: with the user's files and columns, not those of the comparison. So
`foretext evaluate` and `predict` read other files of the user as they are.

What pretrainings of a comparison have in common: made once, before the first turn. It is nobody's
time: candidates that share a tokenizer would otherwise pay for it or not by the order of their
turns. And all of them read the same part of the corpus.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from foretext.base.errors import ModelFileError
from foretext.base.files import atomic_folder
from foretext.base.parsing import read_toml
from foretext.base.registry import trust
from foretext.base.runtime import command_began
from foretext.base.terminal import say
from foretext.comparison.candidate import Candidate, Sections
from foretext.comparison.child_worker import ChildWorker
from foretext.comparison.comparison import Comparison
from foretext.comparison.figures import comparison_content
from foretext.comparison.final import Final, decide_measured, play_final
from foretext.comparison.ledger import Ledger, Outcome, Plan, comparison_folder, finish
from foretext.comparison.measurement import machine
from foretext.comparison.preparing import kept_plan, make_plan
from foretext.comparison.request import CompareRequest
from foretext.comparison.rounds import Played, play_rounds
from foretext.comparison.rows import PARTS, compared_task
from foretext.comparison.shares import Shares, Stopwatch, machine_pace
from foretext.comparison.turn import Comparing
from foretext.comparison.worker import JobFailed, Prepare, Worker
from foretext.finetuning.bases import is_name
from foretext.finetuning.unchanged import write_sections
from foretext.messages import commas, message
from foretext.pretraining.shared import shared_parts
from foretext.progress import is_quiet
from foretext.progress.budget import Budget
from foretext.report.comparison_report import write_comparison_report
from foretext.report.page import duration
from foretext.report.task_card import figure_name, figure_text
from foretext.run_folder import RunFolder

__all__ = ["name_given_rows", "run_comparison", "share_work", "shared_work"]

REPORT = "report.html"

SHARED_RATE = 0.1  # of the time, at most, for what is shared
LATE_RATE, LATE_SECONDS = 2.0, 30.0  # after which it is stopped, and candidates make it themselves


def run_comparison(
    request: CompareRequest,
    out: str | Path,
    *,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
    worker: Worker | None = None,
) -> Comparison:
    """Compare candidates in one budget, and keep all of it in the folder `out`.

    Args:
        request: what is compared on which rows, in what time.
        out: the folder, new or empty.
        overwrite: replace the comparison in `out`, once the new one is finished.
        resume: go on with the unfinished comparison in `out`.
        quiet: show no progress; None: show it on a terminal and in a notebook.
        worker: trains the candidates; None: a process of its own.

    Raises:
        ForetextError: rows, text, a setting or the folder will not do; the message says why.
        Interrupted: a signal asked for the end; what was done is kept for --resume.
    """
    watch, is_silent = Stopwatch(command_began()), is_quiet(quiet)
    _trust_named(request)
    with comparison_folder(out, overwrite=overwrite, resume=resume) as ledger:
        ledger.candidates.mkdir(exist_ok=True)
        pace = machine_pace()  # before there is a second process, which may need the same core
        with worker or ChildWorker(ledger.candidates) as doing:
            doing.start()  # imports its libraries while the rows are read
            plan = _plan(request, ledger, watch, pace)
            comparing = Comparing(request, plan, ledger, doing, watch, is_silent)
            _tell_plan(comparing)
            comparing = share_work(comparing)
            decide_measured(comparing)
            shares = Shares(Budget(request.budget_seconds, 0.0, watch), plan.pace)
            played = play_rounds(comparing, shares, partial(_tell_turn, comparing))
            final = play_final(comparing, shares, played)
        content = _content(comparing, played, final)
        _keep_best(comparing, played, content)
        write_comparison_report(content, ledger.path / REPORT)
        content["used_seconds"] = round(watch(), 2)
        Comparison(ledger.path, content).save()
        return Comparison(finish(ledger), content)


def _trust_named(request: CompareRequest) -> None:
    """Trust the code that the user named, in the process that opens its runs again, too."""
    given = [request.task, *request.only, *request.given]
    names = [name.rpartition("+")[2].strip() for name in given]
    trust(*(name for name in names if ":" in name and is_name(name)))


def _plan(request: CompareRequest, ledger: Ledger, watch: Stopwatch, pace: float) -> Plan:
    """Return what was decided, now or by the command that is resumed."""
    kept = ledger.plan
    if kept is not None:
        watch.add(kept.seconds)
        return kept_plan(request, kept, ledger.path)
    plan = make_plan(request, ledger, watch, pace)
    ledger.begin(plan)
    return plan


def _content(comparing: Comparing, played: Played, final: Final) -> dict[str, Any]:
    """Return the content of ``compare.json``."""
    plan = comparing.plan
    notes = [*plan.notes, *comparing.notes, *([] if final.note is None else [final.note])]
    rows = {**plan.rows, comparing.part: final.rows}
    return comparison_content(
        comparing.ledger,
        replace(plan, notes=notes, rows=rows),
        played,
        final.answered,
        used_seconds=comparing.watch(),
        failures=final.failures,
        shared=shared_work(comparing, played),
        machine=machine(),
    )


def _keep_best(comparing: Comparing, played: Played, content: Mapping[str, Any]) -> None:
    """Copy the run of the recommended model to where it is easily found."""
    if content["best"] is None:
        return
    name, ledger = content["recommendation"]["name"], comparing.ledger
    candidate = next(each for each in played.finalists if each.name == name)
    outcome = played.history[name][-1]
    run = ledger.run(candidate, outcome.round, outcome.best_seed.seed)
    with atomic_folder(ledger.best) as temporary:
        shutil.copytree(run, temporary, dirs_exist_ok=True)
        name_given_rows(temporary, comparing.request)


def _tell_plan(comparing: Comparing) -> None:
    """Say who takes part, before the first turn."""
    if comparing.quiet:
        return
    plan, request = comparing.plan, comparing.request
    rows = commas(
        message(f"terminal.compare.rows.{part}", number=number)
        for part, number in plan.rows.items()
        if number
    )
    for warning in plan.warnings:
        say(message("findings.size.warning", said=warning), error=True)
    for note in plan.notes:
        say(message("terminal.note", said=note), error=True)
    names = ", ".join(candidate.name for candidate in plan.candidates)
    time = duration(request.budget_seconds)
    known = {"number": len(plan.candidates), "time": time, "rows": rows, "names": names}
    say(message("terminal.compare.plan", **known), error=True)
    if plan.labels:
        numbers = commas(f"{number:,}" for number in plan.labels)
        said = message("terminal.compare.learns", numbers=numbers, draws=request.draws)
        say(said, error=True)


def _tell_turn(
    comparing: Comparing, candidate: Candidate, outcome: Outcome, shares: Shares
) -> None:
    """Say in a line what came of a turn."""
    if comparing.quiet:
        return
    score = outcome.sentence
    if outcome.score is not None and outcome.judged_by is not None:
        figure = figure_text(outcome.judged_by, outcome.score)
        name = figure_name(outcome.judged_by)
        score = message("terminal.compare.score", figure=name, value=figure)
    said = message(
        "terminal.compare.turn",
        round=outcome.round,
        name=candidate.name,
        score=score,
        used=duration(outcome.used),
        left=duration(max(shares.budget.left, 0.0)),
    )
    say(said, error=True)


def name_given_rows(folder: Path, request: CompareRequest) -> None:
    """Write into the recipe of a run which rows the user gave, and how they are read.

    Args:
        folder: of the run.
        request: of the user.

    Raises:
        ModelFileError: the recipe is damaged.
        OutputError: it cannot be written.
    """
    path = RunFolder(folder).recipe
    sections = read_toml(path, ModelFileError)
    given = {part: rows for part, rows in request.kept().items() if part in PARTS}
    others = {name: value for name, value in sections["run"].items() if name not in PARTS}
    config = compared_task(request.task).rows_config.checked(dict(request.rows), "rows")
    rows = config.model_dump(exclude_none=True)
    write_sections(path, {**sections, "run": {**others, **given}, "rows": rows})


def share_work(comparing: Comparing) -> Comparing:
    """Make what pretrainings share; returns the comparison with the part of the corpus they read.

    Where that fails the candidates make it in their own time.

    Raises:
        Interrupted: a signal asked for the end; a resume goes on from there.
    """
    pretrained = [each for each in comparing.plan.candidates if each.recipe is not None]
    if not pretrained:
        return comparing
    recipes: list[tuple[str, Sections]] = []
    for each in pretrained:
        recipe = str(each.recipe), comparing.pretraining_settings(each)
        recipes += [] if recipe in recipes else [recipe]
    seconds = round(SHARED_RATE * comparing.request.budget_seconds, 2)
    job = Prepare(
        tuple(recipes),
        tuple(comparing.plan.corpus),
        str(comparing.ledger.shared),
        budget=seconds,
        quiet=comparing.quiet,
    )
    began = comparing.watch()
    try:
        reply = comparing.worker.run(job, limit=LATE_RATE * seconds + LATE_SECONDS)
    except JobFailed as failure:
        why = f"candidates share no tokenizer and no ids: {failure}"
        return replace(comparing, notes=(*comparing.notes, why))
    comparing.count(reply.seconds, began)
    notes = comparing.notes
    if reply.text_rate < 1:
        notes = (
            *notes,
            f"{reply.text_rate:.0%} of the corpus is read, from its beginning, as the budget "
            "allows; a longer --budget reads all",
        )
    return replace(comparing, text_bytes=reply.text_bytes, notes=notes)


def shared_work(comparing: Comparing, played: Played) -> list[dict[str, Any]]:
    """Return what was made once, how long it took, and whom it served."""
    found: dict[str, dict[str, Any]] = {}
    for name, part in _used(comparing, played):
        new = {"what": part.what, "seconds": part.seconds, "candidates": []}
        served = found.setdefault(part.key, new)["candidates"]
        served += [] if name in served else [name]
    return [*found.values()]


def _used(comparing: Comparing, played: Played) -> Iterator[tuple[str, Any]]:
    """Yield the name of a candidate and a part that it has used."""
    for candidate in comparing.plan.candidates:
        for outcome in played.history[candidate.name]:
            base = RunFolder(comparing.ledger.base(candidate, outcome.round))
            for part in shared_parts(base):
                yield candidate.name, part
