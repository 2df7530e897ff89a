"""The content of ``compare.json``: what came of all candidates, as figures that a reader can trust.

Candidates are chosen by the held-out rows, and the test is only for the table: the recommendation
does not look at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from foretext._version import __version__
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.candidate import Candidate
from foretext.comparison.disagreements import agreement, disagreements
from foretext.comparison.forecast import forecast
from foretext.comparison.intervals import Difference, Samples, bootstrap
from foretext.comparison.ledger import Ledger, Outcome, Plan
from foretext.comparison.named_candidate import named_candidate
from foretext.comparison.ranking import ranked
from foretext.comparison.recommendation import recommend
from foretext.comparison.rounds import Played
from foretext.comparison.scores import spread
from foretext.comparison.worker import AnswerReply
from foretext.errors import SettingError

__all__ = ["Answered", "comparison_content"]

Content = dict[str, Any]  # as JSON has it


class Answered(NamedTuple):
    """What one model of a candidate answered to the rows that figures are of."""

    reply: AnswerReply
    kept: KeptAnswers


def comparison_content(
    ledger: Ledger,
    plan: Plan,
    played: Played,
    answered: Mapping[str, Sequence[Answered]],
    *,
    used_seconds: float,
    failures: Mapping[str, str] | None = None,
    shared: Sequence[Mapping[str, Any]] = (),
    machine: Mapping[str, float] | None = None,
) -> Content:
    """Return the content of ``compare.json``; `foretext.report.comparison_files` describes it.

    Args:
        ledger: of the folder.
        plan: what was decided.
        played: what came of all turns.
        answered: by the name of a finalist, the answers of its models, one a seed, all to the same
            rows: those of the test, or the held-out ones where there is none.
        used_seconds: by the whole comparison.
        failures: why finalists gave no answers, by name.
        shared: what was made once for several candidates: "what", "seconds" and "candidates".
        machine: its cores and memory.
    """
    part = "test" if plan.rows.get("test") else "valid"
    figures = _figures(answered)
    found = [
        _candidate(each, ledger, plan, played, answered.get(each.name, ()), failures or {})
        | figures.get(each.name, _NOT_MEASURED)
        for each in plan.candidates
    ]
    found += [_left_out(name, why, plan) for name, why in plan.left_out.items()]
    order = ranked(found)
    judged_by = _judged_by(played, answered)
    measured = next((own[0].kept.num_rows for own in answered.values() if own), 0)
    recommendation = recommend(
        order, judged_by, held_out=plan.rows["valid"], tested=measured if part == "test" else 0
    )
    firsts = {each["name"]: answered[each["name"]] for each in order if each["test"] is not None}
    shown = {name: _best_answers(played.history[name][-1], own) for name, own in firsts.items()}
    first = int(plan.request["seed"])
    return {
        "foretext": __version__,
        "task": plan.request["task"],
        "data": _data(plan),
        "judged_by": judged_by,
        "part": part,
        "budget_seconds": plan.request["budget"],
        "used_seconds": round(used_seconds, 2),
        "rows": dict(plan.rows),
        "measured_rows": measured,
        "seeds": list(range(first, first + plan.request["seeds"])),
        "rounds": plan.request["rounds"],
        "shared": [dict(each) for each in shared],
        "warnings": list(plan.warnings),
        "notes": list(plan.notes),
        "candidates": order,
        "recommendation": recommendation,
        "best": "best" if recommendation else None,
        "agreement": agreement(shown),
        "disagreements": disagreements(shown),
        "machine": dict(machine or {}),
    }


_NOT_MEASURED = {"test": None, "against_best": None}


def _figures(answered: Mapping[str, Sequence[Answered]]) -> dict[str, Content]:
    """Return figure, interval and difference to the best, of every candidate that answered."""
    names = [name for name, own in answered.items() if own]
    scores = {name: [each.kept.score for each in answered[name]] for name in names}
    means = {name: spread(each)["mean"] for name, each in scores.items()}
    samples = _samples([answered[name] for name in names])
    best = max(range(len(names)), key=lambda place: means[names[place]], default=0)
    differences = None if samples is None else samples.against(best)
    found: dict[str, Content] = {}
    for place, name in enumerate(names):
        interval = None if samples is None else samples.interval(place)
        found[name] = {
            "test": {
                "value": means[name],
                "low": None if interval is None else interval.low,
                "high": None if interval is None else interval.high,
                "each": scores[name],
                "figures": _mean_figures(answered[name]),
            },
            "against_best": _against(
                None if differences is None else differences[place],
                means[name] - means[names[best]],
            ),
        }
    return found


def _samples(answered: Sequence[Sequence[Answered]]) -> Samples | None:
    """Return samples of the figures; None: the task does not say what each row adds to them."""
    known = [
        [each.kept.tallies for each in own if each.kept.tallies is not None] for own in answered
    ]
    is_whole = all(len(some) == len(own) for some, own in zip(known, answered, strict=True))
    return bootstrap(known) if known and is_whole else None


def _against(difference: Difference | None, value: float) -> Content:
    if difference is None:
        return {"value": value, "low": None, "high": None, "p_value": None, "is_tie": value == 0}
    return {**difference._asdict(), "is_tie": difference.is_tie}


def _mean_figures(answered: Sequence[Answered]) -> dict[str, float]:
    """Return the mean of each figure over the seeds."""
    names = answered[0].kept.figures
    return {name: spread([each.kept.figures[name] for each in answered])["mean"] for name in names}


def _candidate(
    candidate: Candidate,
    ledger: Ledger,
    plan: Plan,
    played: Played,
    answered: Sequence[Answered],
    failures: Mapping[str, str],
) -> Content:
    """Return all of a candidate but its figures on the rows that candidates are compared on."""
    history = played.history[candidate.name]
    last = history[-1]
    status, sentence = _status(candidate, played, failures)
    costs = None if not answered else answered[_best_place(last)].reply
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


def _left_out(name: str, why: str, plan: Plan) -> Content:
    """Return a candidate that takes no part."""
    try:
        candidate = named_candidate(name, plan.request["task"])
        known = {"group": candidate.group, "recipe": candidate.recipe, "base": candidate.base}
    except SettingError:
        known = {"group": "", "recipe": None, "base": None}
    nothing: Content = dict.fromkeys(
        ("valid", "seconds", "milliseconds_per_row", "milliseconds_in_batches", "memory_bytes",
         "disk_bytes", "parameters", "forecast")
    )  # fmt: skip
    found = {"name": name, **known, "status": "left out", "sentence": why, "rounds": []}
    return {**found, **nothing, "warnings": [], **_NOT_MEASURED}


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


def _best_answers(outcome: Outcome, answered: Sequence[Answered]) -> KeptAnswers:
    """Return the answers of the seed that is best on the held-out rows."""
    return answered[_best_place(outcome)].kept


def _best_place(outcome: Outcome) -> int:
    """Return which of the answers are of the seed that is best on the held-out rows."""
    return outcome.seeds.index(outcome.best_seed)


def _judged_by(played: Played, answered: Mapping[str, Sequence[Answered]]) -> str:
    """Return the figure of the scores, which is the same of all candidates."""
    of_answers = [each.kept.judged_by for own in answered.values() for each in own]
    of_turns = [each.judged_by for history in played.history.values() for each in history]
    return next((name for name in [*of_answers, *of_turns] if name), "score")


def _data(plan: Plan) -> str | None:
    """Return the name of the file of rows, without its folder and suffix."""
    named = plan.request.get("train")
    first = named[0] if isinstance(named, list) and named else named
    return Path(str(first)).name.split(".")[0] if first else None
