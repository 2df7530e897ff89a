"""What ``compare.json`` says of each candidate, beside its figures on the rows of the test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretext.base.errors import SettingError
from foretext.comparison.answered import Answered
from foretext.comparison.candidate import Candidate
from foretext.comparison.forecast import forecast
from foretext.comparison.ledger import Ledger, Outcome, Plan
from foretext.comparison.named_candidate import named_candidate
from foretext.comparison.rounds import Played
from foretext.comparison.scores import spread

__all__ = ["best_seed_place", "candidate_entry", "left_out_entry"]

Content = dict[str, Any]  # as JSON has it

UNKNOWN = ("valid", "seconds", "milliseconds_per_row", "milliseconds_in_batches", "memory_bytes",
           "disk_bytes", "parameters", "forecast")  # fmt: skip


def candidate_entry(
    candidate: Candidate,
    ledger: Ledger,
    plan: Plan,
    played: Played,
    answered: Sequence[Answered],
    failures: Mapping[str, str],
) -> Content:
    """Return what came of a candidate in all rounds, and what its best model costs.

    Args:
        candidate: of the plan.
        ledger: of the folder.
        plan: what was decided.
        played: what came of all turns.
        answered: what its models answered, one a seed; (): it is no finalist.
        failures: why finalists gave no answers, by name.
    """
    history = played.history[candidate.name]
    last = history[-1]
    status, sentence = _status(candidate, played, failures)
    costs = None if not answered else answered[best_seed_place(last)].reply
    return {
        "name": candidate.name,
        "group": candidate.group,
        "recipe": candidate.recipe,
        "base": candidate.base,
        "status": status,
        "sentence": sentence,
        "rounds": [_round(candidate, each, ledger) for each in history],
        "valid": None if last.score is None else _valid(last),
        "seconds": _seconds(history),
        "milliseconds_per_row": None if costs is None else costs.milliseconds_per_row,
        "milliseconds_in_batches": None if costs is None else costs.milliseconds_in_batches,
        "memory_bytes": last.memory_bytes,
        "disk_bytes": last.disk_bytes,
        "parameters": last.parameters,
        "forecast": forecast(last.judged_by or "", history, plan.rows["valid"]),
        "warnings": list(last.warnings),
    }


def left_out_entry(name: str, why: str, plan: Plan) -> Content:
    """Return a candidate that took no part, and why."""
    try:
        candidate = named_candidate(name, plan.request["task"])
        known = {"group": candidate.group, "recipe": candidate.recipe, "base": candidate.base}
    except SettingError:
        known = {"group": "", "recipe": None, "base": None}
    found: Content = {"name": name, **known, "status": "left out", "sentence": why, "rounds": []}
    return {**found, **dict.fromkeys(UNKNOWN), "warnings": []}


def best_seed_place(outcome: Outcome) -> int:
    """Return which of the seeds is best on the held-out rows."""
    return outcome.seeds.index(outcome.best_seed)


def _status(
    candidate: Candidate, played: Played, failures: Mapping[str, str]
) -> tuple[str, str | None]:
    last = played.history[candidate.name][-1]
    failure = last.sentence if last.score is None else failures.get(candidate.name)
    if last.score is None or failure is not None:
        return "failed", failure
    if candidate not in played.finalists:
        return "dropped", f"It was not among the better half after round {last.round}."
    return "finished", None


def _round(candidate: Candidate, outcome: Outcome, ledger: Ledger) -> Content:
    return {
        "round": outcome.round,
        "given": outcome.given,
        "used": outcome.used,
        "shared": outcome.shared,
        "pretraining": outcome.pretraining,
        "finetuning": outcome.finetuning,
        "seeds": [
            {
                "seed": each.seed,
                "run": ledger.run(candidate, outcome.round, each.seed)
                .relative_to(ledger.path)
                .as_posix(),
                "valid": each.valid,
                "seconds": each.seconds,
            }
            for each in outcome.seeds
        ],
        "pretraining_curve": [list(point) for point in outcome.pretraining_curve],
        "curve": [list(point) for point in outcome.curve],
    }


def _valid(outcome: Outcome) -> Content:
    return {**spread([each.valid for each in outcome.seeds]), "figures": dict(outcome.figures)}


def _seconds(history: Sequence[Outcome]) -> Content:
    """Return the seconds of all rounds; of the last one is the model that was kept."""
    return {
        "given": sum(each.given for each in history),
        "used": sum(each.used for each in history),
        "shared": sum(each.shared for each in history),
        "fit": history[-1].used,
    }
