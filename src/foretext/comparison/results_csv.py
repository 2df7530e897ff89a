"""The figures of a comparison in the columns of the package ``bencheval``, a line each seed.

``method, task, seed, metric_error, time_train_s, time_infer_s``: lower errors are better. An error
is 1 - score of scores from 0 to 1, and 1 - score / 100 of BLEU, chrF and ROUGE-L. A correlation
below zero gives an error above 1. The times are the seconds that this seed took to fit, with the
pretraining that all seeds share, and the seconds of answering all rows in use, one by one.

The task is the name of the task and of the file of its rows with its folder, so that results of
several comparisons can stand in one table.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from foretext.report.task_card import POINTS

__all__ = ["COLUMNS", "metric_error", "results_csv"]

COLUMNS = ("method", "task", "seed", "metric_error", "time_train_s", "time_infer_s")


def results_csv(content: Mapping[str, Any]) -> str:
    """Return the lines of all candidates that were measured, under a line with the columns."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(COLUMNS)
    for candidate in content["candidates"]:
        if candidate["test"] is not None:
            lines.writerows(_lines(candidate, content))
    return written.getvalue()


def metric_error(judged_by: str, score: float) -> float:
    """Return how far a score is from the best one that there can be, in shares."""
    return 1.0 - score / 100 if judged_by in POINTS else 1.0 - score


def _lines(candidate: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Yield a line for each seed of a candidate."""
    last = candidate["rounds"][-1]
    once = last["used"] - sum(seed["seconds"] for seed in last["seeds"])  # for all seeds together
    milliseconds = candidate["milliseconds_per_row"]
    answering = None if milliseconds is None else milliseconds * content["measured_rows"] / 1000
    for seed, score in zip(last["seeds"], candidate["test"]["each"], strict=True):
        yield [
            candidate["name"],
            f"{content['task']}/{content['data']}",
            content["seeds"][0] + seed["seed"],
            _number(metric_error(content["judged_by"], score)),
            _number(max(once, 0.0) + seed["seconds"]),
            _number(answering),
        ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
