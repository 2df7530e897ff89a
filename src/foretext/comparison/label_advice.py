"""One sentence on labels: which candidate suits how many, and what another few are worth.

It says no more than is known. A number at which to change is given only where one candidate is
better before it and the other one after it, both beyond the interval of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from foretext.comparison.label_scores import Crossing, Estimate, LabelScores, crossing
from foretext.comparison.power_law import Worth, worth_of
from foretext.messages import clauses, commas, ended, listed, message
from foretext.report.task_card import POINTS, figure_name, figure_text

__all__ = ["Rivals", "label_crossing", "label_sentence", "label_worth", "rivals", "rounded"]

MOST_TIES = 3  # candidates that a sentence names
LEAST_POINTS = 0.1  # of a figure in percent: less is nothing that a user notices

Rivals = tuple[str, str]  # the best with the fewest labels, and the best with the most


def rivals(scores: LabelScores) -> Rivals:
    """Return the best candidate with few labels and the best one with the most.

    Of those that tie with the best one at the smallest number, the first is the one whose mean over
    all numbers but the largest is highest.
    """
    smallest, largest = scores.labels[0], scores.labels[-1]
    few, many = (scores.best(number) or scores.names[0] for number in (smallest, largest))
    below = scores.labels[:-1] or scores.labels
    means: dict[str, float] = {}
    for name in scores.names:
        points = [point for n in below if (point := scores.point(name, n)) is not None]
        difference = scores.difference(name, few, smallest)
        is_near = name == few or (difference is not None and difference.sign == 0)
        if is_near and len(points) == len(below):
            means[name] = sum(point.value for point in points)
    return max(means, key=lambda name: means[name], default=few), many


def label_crossing(scores: LabelScores, few: str, many: str) -> Crossing | None:
    """Return where the second candidate becomes better than the first one."""
    differences = _differences(scores, many, few)
    found = crossing(scores.labels, differences)
    if found is None:
        return None
    after = differences[scores.labels.index(found.high)]
    return found if after is not None and after.sign > 0 else None


def label_worth(scores: LabelScores, name: str, judged_by: str) -> Worth | None:
    """Return what more labels are worth to a candidate; None: its errors follow no law."""
    points = [(number, scores.point(name, number)) for number in scores.labels]
    known = [(number, point.value) for number, point in points if point is not None]
    if not known or known[-1][0] != scores.labels[-1]:
        return None
    scale = 100.0 if judged_by in POINTS else 1.0
    labels, values = zip(*known, strict=True)
    errors = [1 - value / scale for value in values]
    return worth_of(labels, errors, [each / scale for each in _errors(scores, name, labels)])


def label_sentence(
    scores: LabelScores, judged_by: str, worth: Worth | None, *, is_every_row: bool
) -> str:
    """Return the sentence.

    Args:
        scores: of one candidate or more, at two numbers or more.
        judged_by: the figure of the scores.
        worth: of more labels, to the best candidate with the most labels.
        is_every_row: whether the largest number is that of all rows that the user has.
    """
    few, many = rivals(scores)
    said = _of_one(scores, many, judged_by) if few == many else _of_two(scores, few, many)
    gain = _gain(worth, judged_by, many, is_every_row=is_every_row)
    return ended(clauses(filter(None, [said, gain])))


def rounded(labels: float) -> int:
    """Return a number of labels as a person says it: 812 is about 800, 1534 about 1500."""
    step = 5 * 10 ** max(int(math.log10(max(labels, 1))) - 1, 0)
    return round(labels) if labels < 10 else step * round(labels / step)


def _alone(scores: LabelScores, name: str, judged_by: str) -> str:
    """Say what a single candidate gains from more labels."""
    ends = scores.labels[0], scores.labels[-1]
    points = [point for number in ends if (point := scores.point(name, number)) is not None]
    said = [
        message("findings.labels.value", value=figure_text(judged_by, point.value), number=number)
        for number, point in zip(ends, points, strict=False)
    ]
    known = points[-1].low > points[0].high
    key = f"findings.labels.alone{'' if known else '_chance'}"
    return message(key, name=name, figure=figure_name(judged_by), values=listed(said))


def _of_one(scores: LabelScores, name: str, judged_by: str) -> str:
    """Say where the best one at both ends is better than the others."""
    if len(scores.names) == 1:
        return _alone(scores, name, judged_by)
    smallest, largest = (f"{number:,}" for number in (scores.labels[0], scores.labels[-1]))
    others = [each for each in scores.names if each != name]
    better = list(_places(scores, others, name, sign=1))
    ties = list(_places(scores, others, name, sign=0))
    ends = {"name": name, "smallest": smallest, "largest": largest}
    if not ties and not better:
        return message("findings.labels.any_best", **ends)
    tied = ties[:MOST_TIES]
    named = [message("findings.labels.ties", name=each, where=where) for each, where in tied]
    ahead = better[:MOST_TIES]
    named += [message("findings.labels.better", name=each, where=where) for each, where in ahead]
    return clauses([message("findings.labels.any", **ends), commas(named)])


def _of_two(scores: LabelScores, few: str, many: str) -> str:
    """Say up to where the first one is the better one, or that they tie."""
    found = label_crossing(scores, few, many)
    if found is not None:
        return message(
            "findings.labels.crossing",
            labels=rounded(found.labels),
            few=few,
            many=many,
            low=found.low,
            high=found.high,
        )
    return _by_number(scores, few, many)


def _by_number(scores: LabelScores, few: str, many: str) -> str:
    """Say at which numbers one of two is better, and where they tie."""
    signs = [0 if each is None else each.sign for each in _differences(scores, many, few)]
    numbers = {
        sign: [n for n, own in zip(scores.labels, signs, strict=True) if own == sign]
        for sign in (1, -1, 0)
    }
    if len(numbers[0]) == len(signs):
        ends = {"smallest": scores.labels[0], "largest": scores.labels[-1]}
        return message("findings.labels.tie_at_all", few=few, many=many, **ends)
    said = [
        message("findings.labels.than", winner=winner, loser=loser, where=_with(numbers[sign]))
        for winner, loser, sign in ((many, few, 1), (few, many, -1))
        if numbers[sign]
    ]
    if numbers[0]:
        said.append(message("findings.labels.they_tie", where=_with(numbers[0])))
    return clauses(said)


def _gain(worth: Worth | None, judged_by: str, name: str, *, is_every_row: bool) -> str | None:
    """Say what another few labels are worth; None: nobody knows."""
    if worth is None:
        return None
    value, low, high = (100 * each for each in (worth.value, worth.low, worth.high))
    at = "yours" if is_every_row else "these"
    known = {"labels": worth.labels, "more": worth.more, "name": name}
    if high < LEAST_POINTS:
        return message(f"findings.labels.worth_nothing_{at}", **known)
    gain = {"value": value, "low": max(low, 0.0), "high": high}
    return message(f"findings.labels.worth_{at}", figure=figure_name(judged_by), **known, **gain)


def _places(
    scores: LabelScores, others: Sequence[str], name: str, *, sign: int
) -> Iterator[tuple[str, str]]:
    """Yield others whose difference to one has a sign, and at which numbers."""
    for each in others:
        found = [
            number
            for number in scores.labels
            if (own := scores.difference(each, name, number)) is not None and own.sign == sign
        ]
        if found:
            yield (
                each,
                message("findings.labels.throughout")
                if len(found) == len(scores.labels)
                else _with(found),
            )


def _with(numbers: Sequence[int]) -> str:
    """Return numbers of labels in words."""
    return message("findings.labels.with", numbers=listed(f"{number:,}" for number in numbers))


def _differences(scores: LabelScores, name: str, other: str) -> list[Estimate | None]:
    return [scores.difference(name, other, number) for number in scores.labels]


def _errors(scores: LabelScores, name: str, labels: Sequence[int]) -> Iterator[float]:
    """Yield the standard error over draws at each number; one draw has the deviation before it."""
    before = 0.0
    for number in labels:
        deviation = scores.deviation(name, number)
        before = before if deviation is None else deviation
        draws = len(scores.each[name, number])
        yield before / math.sqrt(draws)
