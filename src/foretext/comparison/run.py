"""The road of a comparison: prepare, give every candidate its turns, answer the test, write."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from foretext.base.files import atomic_folder
from foretext.base.registry import trust
from foretext.base.runtime import command_began
from foretext.base.terminal import say
from foretext.comparison.best_recipe import name_given_rows
from foretext.comparison.candidate import Candidate
from foretext.comparison.child_worker import ChildWorker
from foretext.comparison.comparison import Comparison
from foretext.comparison.figures import comparison_content
from foretext.comparison.final import Final, play_final
from foretext.comparison.folder import comparison_folder, finish
from foretext.comparison.ledger import Ledger, Outcome, Plan
from foretext.comparison.measurement import machine
from foretext.comparison.preparing import kept_plan, make_plan
from foretext.comparison.request import CompareRequest
from foretext.comparison.rounds import Played, play_rounds
from foretext.comparison.shares import Shares, Stopwatch, machine_pace
from foretext.comparison.sharing import share_work, shared_work
from foretext.comparison.turn import Contest
from foretext.comparison.worker import Worker
from foretext.finetuning.bases import is_name
from foretext.progress import is_quiet
from foretext.progress.budget import Budget
from foretext.report.cells import duration
from foretext.report.comparison_report import write_comparison_report
from foretext.report.task_card import figure_name, figure_text

__all__ = ["run_comparison"]

REPORT = "report.html"


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
            contest = Contest(request, plan, ledger, doing, watch, is_silent)
            _tell_plan(contest)
            contest = share_work(contest)
            shares = Shares(Budget(request.budget_seconds, 0.0, watch), plan.pace)
            played = play_rounds(contest, shares, partial(_tell_turn, contest))
            final = play_final(contest, shares, played)
        content = _content(contest, played, final)
        _keep_best(contest, played, content)
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


def _content(contest: Contest, played: Played, final: Final) -> dict[str, Any]:
    """Return the content of ``compare.json``."""
    plan = contest.plan
    notes = [*plan.notes, *contest.notes, *([] if final.note is None else [final.note])]
    rows = {**plan.rows, contest.part: final.rows}
    return comparison_content(
        contest.ledger,
        replace(plan, notes=notes, rows=rows),
        played,
        final.answered,
        used_seconds=contest.watch(),
        failures=final.failures,
        shared=shared_work(contest, played),
        machine=machine(),
    )


def _keep_best(contest: Contest, played: Played, content: Mapping[str, Any]) -> None:
    """Copy the run of the recommended model to where it is easily found."""
    if content["best"] is None:
        return
    name, ledger = content["recommendation"]["name"], contest.ledger
    candidate = next(each for each in played.finalists if each.name == name)
    outcome = played.history[name][-1]
    run = ledger.run(candidate, outcome.round, outcome.best_seed.seed)
    with atomic_folder(ledger.best) as temporary:
        shutil.copytree(run, temporary, dirs_exist_ok=True)
        name_given_rows(temporary, contest.request)


def _tell_plan(contest: Contest) -> None:
    """Say who takes part, before the first turn."""
    if contest.quiet:
        return
    plan, request = contest.plan, contest.request
    rows = ", ".join(f"{number:,} {part}" for part, number in plan.rows.items() if number)
    for warning in plan.warnings:
        say(f"warning: {warning}", error=True)
    for note in plan.notes:
        say(f"note: {note}", error=True)
    names = ", ".join(candidate.name for candidate in plan.candidates)
    time = duration(request.budget_seconds)
    say(f"{len(plan.candidates)} candidates in {time} ({rows} rows): {names}", error=True)


def _tell_turn(contest: Contest, candidate: Candidate, outcome: Outcome, shares: Shares) -> None:
    """Say in a line what came of a turn."""
    if contest.quiet:
        return
    score = outcome.sentence
    if outcome.score is not None and outcome.judged_by is not None:
        figure = figure_text(outcome.judged_by, outcome.score)
        score = f"{figure_name(outcome.judged_by)} {figure} on held-out rows"
    times = f"{duration(outcome.used)} used, {duration(max(shares.budget.left, 0.0))} left"
    say(f"round {outcome.round}, {candidate.name}: {score} ({times})", error=True)
