"""What to use: of the candidates that are about as good as the best, the one that answers fastest.

About as good is within one standard error of the best score on the held-out rows (the rule of
Breiman et al. 1984, section 3.4.3). The test has no say in it, so that its figures stay honest; the
sentence gives them.

What has not learned anything in its time is no result, and never recommended.

A baseline of seconds and an untouched base are measures for the others, and no folder keeps them:
they are never recommended, but the sentence says if one is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foretext.comparison.candidate import BASELINE
from foretext.messages import clauses, ended, listed, message
from foretext.report.task_card import POINTS, figure_name, figure_text

__all__ = ["about_as_good", "recommend", "standard_error"]

AS_FAST = 1.25  # times the shortest time of a row: no difference that a user notices
MOST_NAMES = 4  # in one sentence
MUCH_FASTER = 1.5  # times, from which on it is a reason

Entry = Mapping[str, Any]


def recommend(
    candidates: Sequence[Entry], judged_by: str, *, held_out: int, tested: int
) -> dict[str, str] | None:
    """Return the name of a candidate and a sentence that says why; None: no model finished.

    Args:
        candidates: as ``compare.json`` has them, the best first.
        judged_by: the figure of the scores.
        held_out: number of the rows that candidates are chosen by; a model that is slow to answer
            may have been measured on a sample of them, so that no sentence gives the number.
        tested: number of the rows of the test; 0: there is none.
    """
    measured = [each for each in candidates if each["status"] == "finished" and each["valid"]]
    finished = [each for each in measured if not each.get("not_learned")]
    models = [each for each in finished if not _is_measure(each)]
    if not models:
        return None
    best = max(models, key=_valid)
    near = about_as_good(models, best, judged_by, held_out)
    fastest = min(map(_cost, near))
    chosen = max((each for each in near if _cost(each) <= AS_FAST * fastest), key=_valid)
    if len(finished) == 1:
        why = message(f"findings.use.only_{'finished' if len(measured) == 1 else 'learned'}")
    elif chosen is best:
        why = _best_reason(best, near, finished, judged_by)
    else:
        why = _faster_reason(chosen, best, judged_by)
    said = message("findings.use.use", name=chosen["name"], why=why)
    said = _but_baseline(said, chosen, finished, judged_by)
    sentence = ended(clauses([said, *_tested(chosen, candidates, judged_by, tested)]))
    return {"name": chosen["name"], "sentence": sentence}


def about_as_good(
    candidates: Sequence[Entry], best: Entry, judged_by: str, num_rows: int
) -> list[Entry]:
    """Return the candidates within one standard error of the best score on the held-out rows."""
    least = _valid(best) - standard_error(best["valid"], judged_by, num_rows)
    return [each for each in candidates if _valid(each) >= least]


def standard_error(valid: Entry, judged_by: str, num_rows: int) -> float:
    """Return by how much a score may differ on other rows, and with other seeds.

    Of a mean p of N numbers from 0 to 1 it is the root of p (1 - p) / N at most, and exactly where
    they are 0 and 1; for other figures that is about the size.
    """
    scale = 100.0 if judged_by in POINTS else 1.0
    share = min(max(valid["mean"] / scale, 0.0), 1.0)
    of_rows = scale**2 * share * (1 - share) / max(num_rows, 1)
    of_seeds = (valid["deviation"] or 0.0) ** 2 / len(valid["each"])
    return math.sqrt(of_rows + of_seeds)


def _best_reason(
    best: Entry, near: Sequence[Entry], finished: Sequence[Entry], judged_by: str
) -> str:
    """Say why the best candidate on the held-out rows is recommended."""
    others = [each for each in finished if each is not best]
    worse = [each for each in others if _valid(each) <= _valid(best)]
    said = message(
        f"findings.use.{'best' if worse == others else 'best_model'}",
        figure=figure_name(judged_by),
        value=figure_text(judged_by, _valid(best)),
    )
    alike = [each for each in near if each is not best]
    if alike:
        key = f"findings.use.alike_{'one' if len(alike) == 1 else 'many'}"
        return message(key, said=said, names=_names(alike))
    if not worse:
        return said
    second = max(worse, key=_valid)
    if _valid(second) == _valid(best):
        return message("findings.use.as_much", said=said, name=second["name"])
    value = figure_text(judged_by, _valid(second))
    return message("findings.use.before", said=said, name=second["name"], value=value)


def _but_baseline(said: str, chosen: Entry, finished: Sequence[Entry], judged_by: str) -> str:
    """Return what was said, with the baseline that is better on the held-out rows, if one is."""
    better = [each for each in finished if _is_measure(each) and _valid(each) > _valid(chosen)]
    if not better:
        return said
    first = max(better, key=_valid)
    key = f"findings.use.{'but_baseline' if first['base'] == BASELINE else 'but_untouched'}"
    return message(key, said=said, name=first["name"], value=figure_text(judged_by, _valid(first)))


def _is_measure(candidate: Entry) -> bool:
    """Whether it is no model to use, but what models are measured against."""
    return candidate["base"] == BASELINE or bool(candidate.get("is_measure"))


def _faster_reason(chosen: Entry, best: Entry, judged_by: str) -> str:
    """Say why a candidate is recommended that is not the best on the held-out rows."""
    own, top = (figure_text(judged_by, _valid(each)) for each in (chosen, best))
    said = message(
        "findings.use.within_error",
        figure=figure_name(judged_by),
        value=own,
        top=top,
        name=best["name"],
    )
    costs = [_cost(each) for each in (chosen, best)]
    times = costs[1] / costs[0] if costs[0] else math.inf
    if MUCH_FASTER <= times < math.inf:
        own, other = map(_milliseconds, costs)
        return message("findings.use.faster", said=said, own=own, other=other)
    if costs[0] < costs[1] < math.inf:
        return message("findings.use.less_time", said=said)
    return said


def _tested(
    chosen: Entry, candidates: Sequence[Entry], judged_by: str, num_rows: int
) -> Iterator[str]:
    """Yield the figure of the test, and who was better there by more than chance: a clause."""
    if not num_rows or chosen["test"] is None:
        return
    test = chosen["test"]
    value = figure_text(judged_by, test["value"])
    if test["low"] is not None:
        low, high = (figure_text(judged_by, test[name]) for name in ("low", "high"))
        value = message("findings.use.interval", value=value, low=low, high=high)
    said = message("findings.use.tested", rows=num_rows, value=value)
    against = chosen["against_best"]
    first = next(each for each in candidates if each["test"] is not None)
    if first is not chosen and against is not None and not against["is_tie"]:
        figure = figure_text(judged_by, first["test"]["value"])
        said = message("findings.use.better_there", said=said, name=first["name"], value=figure)
    yield said


def _valid(candidate: Entry) -> float:
    return float(candidate["valid"]["mean"])


def _cost(candidate: Entry) -> float:
    """Return the milliseconds of a row in use; endless where they were not measured."""
    cost = candidate["milliseconds_per_row"]
    return math.inf if cost is None else float(cost)


def _names(candidates: Sequence[Entry]) -> str:
    """Return the names of some candidates, of many the first ones and how many others there are."""
    names = [str(each["name"]) for each in candidates]
    if len(names) > MOST_NAMES:
        others = message("findings.use.others", number=len(names) - MOST_NAMES + 1)
        names = [*names[: MOST_NAMES - 1], others]
    return listed(names)


def _milliseconds(cost: float) -> str:
    return f"{cost:.2g} ms" if cost < 10 else f"{cost:,.0f} ms"
