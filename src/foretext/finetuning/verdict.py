"""Whether a model is worth its training: better than its baseline, and than one answer to all.

Whether a difference is more than chance is a paired test on the same rows
(`foretext.metrics.paired`).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.finetuning.learner import Learner
from foretext.report.task_card import POINTS, figure_name, figure_text

__all__ = ["base_command", "verdict"]

Figures = Mapping[str, Any]

PARTS = {"valid": "held-out", "test": "test"}  # of the rows, as sentences have them
RIVALS = {
    "baseline": "the baseline",
    "majority": "the majority answer",
    "untouched": "the untouched base",
}
AS_IT_WAS = "The base answers these rows without this training; give it more rows, or fewer steps."
INSTEAD = {  # by whether the difference may be chance
    False: "Learn that one instead:",
    True: "The baseline is simpler and may serve as well:",
}


def verdict(
    facts: Figures, examination: Figures, command: str | None, remedy: str
) -> dict[str, Any] | None:
    """Compare a model with the best of its rivals; None: it has none.

    Args:
        facts: of ``config.json``: `judged_by`, and the names of those beside the model.
        examination: of ``examination.json``: the figures of the model and of those beside it.
        command: that learns the baseline as a model; None: it is no model to use.
        remedy: a sentence on what may make the model better, or "".

    Returns:
        ``best``: "model" or the name of the rival; None where the difference may be chance.
        ``against``: the rival. ``sentence``: for people. ``command``: that learns the baseline,
        where the model is not better.
    """
    judged_by, beside = facts["judged_by"], examination["beside"]
    if not beside:
        return None
    rival = max(beside, key=lambda name: beside[name]["figures"][judged_by])
    ours, theirs = (of["figures"][judged_by] for of in (examination, beside[rival]))
    tested = beside[rival]["difference"]
    is_certain = ours != theirs if tested is None else tested["is_certain"]
    best = ("model" if ours > theirs else rival) if is_certain else None
    named = RIVALS[rival] if rival == "untouched" else f"{RIVALS[rival]} ({facts[rival]['name']})"
    said = {"model": "the model", rival: named}
    remedy = AS_IT_WAS if rival == "untouched" else remedy
    instead = command if rival == "baseline" and best != "model" else None
    if best is None and min(ours, theirs) >= highest(judged_by):
        sentence = (
            f"Neither the model nor {said[rival]} makes a mistake: {figure_name(judged_by)} "
            f"{figure_text(judged_by, ours)} on the {examination['rows']:,} "
            f"{PARTS[examination['part']]} rows; more rows, or harder ones, can show which is "
            f"better. {INSTEAD[True] if instead else ''}"
        )
        return {"best": best, "against": rival, "sentence": sentence.rstrip(), "command": instead}
    first, second = (theirs, ours) if best == rival else (ours, theirs)
    sentence = (
        f"{_comparison(best, said, rival)}: {figure_name(judged_by)} "
        f"{figure_text(judged_by, first)} against {figure_text(judged_by, second)} on the "
        f"{examination['rows']:,} {PARTS[examination['part']]} rows{_chance(judged_by, tested)}."
    )
    if best != "model":
        sentence += f" {INSTEAD[best is None]}" if instead else f" {remedy}".rstrip()
    return {"best": best, "against": rival, "sentence": sentence, "command": instead}


def highest(figure: str) -> float:
    """Return the value of a figure that none can exceed."""
    return 100.0 if figure in POINTS else 1.0


def base_command(learner: Learner, base: str) -> str:
    """Return what learns `base` from the same rows, ready to paste: in Python of rows in memory."""
    recipe = learner.job.recipe
    given = recipe.rows
    if not all(isinstance(rows, str | Path) for rows in given.values()):
        also = "".join(f", {name}={name}" for name in PARTS if name in given)
        return f'ft.finetune("{recipe.task}", "{base}", train{also})'
    run = recipe.run_section()
    words = ["foretext", "finetune", run["task"], base, run["train"]]
    for part in PARTS:
        words += [f"--{part}", run[part]] if part in run else []
    words += ["-o", f"{learner.job.run.named}-{base}"]
    for name, value in learner.settings.get("rows", {}).items():
        words += ["--set", f"rows.{name}={json.dumps(value)}"]
    return shlex.join(words)


def _comparison(best: str | None, said: Mapping[str, str], rival: str) -> str:
    if best is None:
        return f"The model is not clearly better than {said[rival]}"
    worse = rival if best == "model" else "model"
    return f"{said[best][0].upper()}{said[best][1:]} is better than {said[worse]}"


def _chance(judged_by: str, tested: Figures | None) -> str:
    """Return what the test of the difference says, as the end of a sentence."""
    if tested is None:
        return ""
    said = "is more than chance explains" if tested["is_certain"] else "may be chance"
    value, error = (
        figure_text(judged_by, number)
        for number in (abs(tested["value"]), tested["standard_error"])
    )
    method = "" if tested["p_value"] is None else " (paired bootstrap)"
    return f"; a difference of {value}, with a standard error of {error}, {said}{method}"
