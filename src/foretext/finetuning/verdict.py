"""Whether a model is worth its training: better than its baseline and than one answer to all.

Whether a difference is more than chance is a paired test on the same rows
(`foretext.metrics.paired`).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from foretext.finetuning.learner import Learner
from foretext.report.task_card import figure_name

__all__ = ["base_command", "verdict"]

Figures = Mapping[str, Any]

PARTS = {"valid": "held-out", "test": "test"}  # of the rows, as sentences have them
RIVALS = {"baseline": "the baseline", "majority": "the majority answer"}


def verdict(
    facts: Figures, examination: Figures, command: str | None, remedy: str
) -> dict[str, Any] | None:
    """Compare a model with the best of its rivals; None: it has none.

    Args:
        facts: of ``config.json``: `judged_by`, and the names of `baseline` and `majority`.
        examination: of ``examination.json``: the figures of the model and of those beside it.
        command: that learns the baseline as a model; None: it is no model to use.
        remedy: what may make the model better.

    Returns:
        ``best`` ("model", "baseline", "majority", or None: no difference is more than chance),
        ``against``, the rival, a ``sentence``, and the ``command`` where the rival is to be used.
    """
    judged_by, beside = facts["judged_by"], examination["beside"]
    if not beside:
        return None
    rival = max(beside, key=lambda name: beside[name]["figures"][judged_by])
    ours, theirs = (of["figures"][judged_by] for of in (examination, beside[rival]))
    tested = beside[rival]["difference"]
    is_certain = ours != theirs if tested is None else tested["is_certain"]
    best = None if not is_certain else "model" if ours > theirs else rival
    said = f"{RIVALS[rival]} ({facts[rival]['name']})"
    where = f"on the {examination['rows']:,} {PARTS[examination['part']]} rows"
    figure = figure_name(judged_by)
    if best == "model":
        sentence = (
            f"The model is better than {said}: {figure} {ours:.3f} against {theirs:.3f} {where}"
            f"{_chance(tested, ours - theirs)}."
        )
        return {"best": best, "against": rival, "sentence": sentence, "command": None}
    instead = command if rival == "baseline" else None
    if best is None:
        sentence = (
            f"The model is not clearly better than {said}: {figure} {ours:.3f} against "
            f"{theirs:.3f} {where}{_chance(tested, ours - theirs)}."
        )
    else:
        sentence = (
            f"{said[0].upper()}{said[1:]} is better: {figure} {theirs:.3f} against the model's "
            f"{ours:.3f} {where}{_chance(tested, theirs - ours)}."
        )
    advice = f"Use it: {instead}" if instead else remedy
    return {"best": best, "against": rival, "sentence": f"{sentence} {advice}", "command": instead}


def base_command(learner: Learner, base: str) -> str:
    """Return the command that learns `base` from the same rows, ready to paste."""
    run = learner.job.recipe.run_section()
    words = ["foretext", "finetune", run["task"], base, run["train"]]
    for part in PARTS:
        words += [f"--{part}", run[part]] if part in run else []
    words += ["-o", f"{learner.job.run.named}-{base}"]
    for name, value in learner.settings.get("rows", {}).items():
        words += ["--set", f"rows.{name}={value!r}"]
    return shlex.join(words)


def _chance(tested: Figures | None, difference: float) -> str:
    """Return what a test of the difference says, as the end of a sentence."""
    if tested is None:
        return f", by {difference:.3f}" if difference else ""
    told = f"{abs(difference):.3f}, standard error {tested['standard_error']:.3f}"
    if tested["is_certain"]:
        return f", more than chance explains (a difference of {told})"
    return f", which may be chance (a difference of {told})"
