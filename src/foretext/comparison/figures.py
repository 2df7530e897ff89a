"""The content of ``compare.json``: what came of all candidates, as figures that a reader can trust.

Candidates are chosen by the held-out rows, and the test is only for the table: the recommendation
does not look at it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext._version import __version__
from foretext.base.errors import SettingError
from foretext.comparison.answers import Answered, KeptAnswers, agreement, disagreements
from foretext.comparison.candidate import Candidate, named_candidate
from foretext.comparison.forecast import forecast
from foretext.comparison.intervals import Difference, Samples, bootstrap
from foretext.comparison.label_curve import label_content
from foretext.comparison.learned import not_learned
from foretext.comparison.ledger import Ledger, Outcome, Plan
from foretext.comparison.ranking import ranked
from foretext.comparison.recommendation import recommend
from foretext.comparison.rounds import Played
from foretext.corpus.compression import without_compression_suffix
from foretext.messages import message

__all__ = ["comparison_content", "spread"]

Content = dict[str, Any]  # as JSON has it

NOT_MEASURED: Content = {"test": None, "against_best": None}

UNKNOWN = ("valid", "seconds", "milliseconds_per_row", "milliseconds_in_batches", "memory_bytes",
           "disk_bytes", "parameters", "forecast", "not_learned")  # fmt: skip


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
    entries = [
        _candidate_entry(each, ledger, plan, played, answered.get(each.name, ()), failures or {})
        for each in plan.candidates
    ]
    entries += [_left_out_entry(name, why, plan) for name, why in plan.left_out.items()]
    order = ranked([each | figures.get(each["name"], NOT_MEASURED) for each in entries])
    judged_by = _judged_by(played, answered)
    measured = next((own[0].kept.num_rows for own in answered.values() if own), 0)
    recommendation = recommend(
        order, judged_by, held_out=plan.rows["valid"], tested=measured if part == "test" else 0
    )
    shown = _best_answers(order, played, answered)
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
        "seeds": list(range(first, first + _num_models(plan))),
        "rounds": plan.request["rounds"],
        "shared": [dict(each) for each in shared],
        "warnings": [*plan.warnings, *_short_of_learning(order)],
        "notes": list(plan.notes),
        "candidates": order,
        "recommendation": recommendation,
        "label_curve": label_content(ledger, plan, played.history, answered, judged_by),
        "best": "best" if recommendation else None,
        "agreement": agreement(shown),
        "disagreements": disagreements(shown),
        "machine": dict(machine or {}),
    }


def _num_models(plan: Plan) -> int:
    """Return how many models of a candidate are kept: of all rows one a seed, else one a draw."""
    learns_all = not plan.labels or plan.labels[-1] == plan.rows["train"]
    return int(plan.request["seeds" if learns_all else "draws"])


def _short_of_learning(candidates: Sequence[Content]) -> Iterator[str]:
    """Yield a sentence for each candidate whose figures are those of one that has not learned."""
    for each in candidates:
        if each["not_learned"]:
            yield message("findings.learned.has_not", name=each["name"], why=each["not_learned"])


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
    each = [own.kept.figures for own in answered]
    names = [name for name in each[0] if all(name in own for own in each)]
    return {name: spread([own[name] for own in each])["mean"] for name in names}


def _best_answers(
    order: Sequence[Content], played: Played, answered: Mapping[str, Sequence[Answered]]
) -> dict[str, KeptAnswers]:
    """Return the answers of each candidate's best model by name, the best candidate first."""
    names = [each["name"] for each in order if each["test"] is not None]
    places = [_best_seed_place(played.history[name][-1]) for name in names]
    return {name: answered[name][place].kept for name, place in zip(names, places, strict=True)}


def _judged_by(played: Played, answered: Mapping[str, Sequence[Answered]]) -> str:
    """Return the figure of the scores, which is the same of all candidates."""
    of_answers = [each.kept.judged_by for own in answered.values() for each in own]
    of_turns = [each.judged_by for history in played.history.values() for each in history]
    return next((name for name in [*of_answers, *of_turns] if name), "score")


def _data(plan: Plan) -> str:
    """Return the file of rows with its folder, which tells one train.txt from another."""
    named = plan.request["train"]
    path = Path(named[0] if isinstance(named, list) else named)
    return (Path(path.parent.name) / Path(without_compression_suffix(path.name)).stem).as_posix()


def _candidate_entry(
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
    costs = None if not answered else answered[_best_seed_place(last)].reply
    return {
        "name": candidate.name,
        "group": candidate.group,
        "recipe": candidate.recipe,
        "base": candidate.base,
        "is_measure": candidate.is_measure,
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
        "not_learned": _not_learned(last, plan),
        "warnings": list(last.warnings),
    }


def _not_learned(outcome: Outcome, plan: Plan) -> str | None:
    if outcome.score is None or outcome.judged_by is None:
        return None
    return not_learned(
        _valid(outcome),
        outcome.judged_by,
        plan.majority,
        held_out=plan.rows["valid"],
        passes=outcome.passes,
    )


def _left_out_entry(name: str, why: str, plan: Plan) -> Content:
    """Return a candidate that took no part, and why."""
    try:
        candidate = named_candidate(name, plan.request["task"])
        known = {"group": candidate.group, "recipe": candidate.recipe, "base": candidate.base}
    except SettingError:
        known = {"group": "", "recipe": None, "base": None}
    found: Content = {"name": name, **known, "status": "left out", "sentence": why, "rounds": []}
    return {**found, **dict.fromkeys(UNKNOWN), "is_measure": False, "warnings": []}


def _best_seed_place(outcome: Outcome) -> int:
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
        return "dropped", message("findings.status.dropped", round=last.round)
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


def spread(each: Sequence[float]) -> dict[str, Any]:
    """Return "mean", "deviation" and "each" of the scores of one seed or more.

    The deviation is that of a sample, whose squares are divided by one less than their number; None
    of one seed, which says nothing about others. A score that is no number, such as the correlation
    of answers that are all equal, counts as 0.
    """
    scores = [0.0 if math.isnan(score) else float(score) for score in each]
    mean = math.fsum(scores) / len(scores)
    if len(scores) == 1:
        return {"mean": mean, "deviation": None, "each": scores}
    squares = math.fsum((score - mean) ** 2 for score in scores)
    deviation = math.sqrt(squares / (len(scores) - 1))
    return {"mean": mean, "deviation": deviation, "each": scores}
