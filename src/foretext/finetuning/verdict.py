"""Whether a model is worth its training: better than its baseline, and than one answer to all.

Whether a difference is more than chance is a paired test on the same rows
(`foretext.metrics.paired`).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from foretext.finetuning.learner import Learner
from foretext.messages import clauses, ended, message, sentences, translated
from foretext.report.task_card import POINTS, figure_name, figure_text

__all__ = ["base_command", "part_name", "verdict"]

Figures = Mapping[str, Any]

PARTS = ("valid", "test")  # of the rows


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
    named = _rival(rival, facts)
    remedy = message("findings.verdict.as_it_was") if rival == "untouched" else remedy
    rows = {"rows": examination["rows"], "part": part_name(examination["part"])}
    instead = command if rival == "baseline" and best != "model" else None
    if best is None and min(ours, theirs) >= highest(judged_by):
        value = figure_text(judged_by, ours)
        neither = message(
            "findings.verdict.neither",
            rival=named,
            figure=figure_name(judged_by),
            value=value,
            **rows,
        )
        after = message("findings.verdict.simpler") if instead else ""
        sentence = sentences([neither, after])
        return {"best": best, "against": rival, "sentence": sentence, "command": instead}
    first, second = (theirs, ours) if best == rival else (ours, theirs)
    said = message(
        f"findings.verdict.{_outcome(best)}",
        rival=named,
        figure=figure_name(judged_by),
        first=figure_text(judged_by, first),
        second=figure_text(judged_by, second),
        **rows,
    )
    said = f"{said[:1].upper()}{said[1:]}"
    sentence = ended(clauses([said, *_chance(judged_by, tested)]))
    if best != "model":
        simpler = "simpler" if best is None else "instead"
        after = message(f"findings.verdict.{simpler}") if instead else remedy
        sentence = sentences([sentence, after])
    return {"best": best, "against": rival, "sentence": sentence, "command": instead}


def _rival(rival: str, facts: Figures) -> str:
    """Return what a rival is called in a sentence."""
    if rival == "untouched":
        return message("findings.rival.untouched")
    return message(f"findings.rival.{rival}", model=translated(facts[rival]["name"]))


def part_name(part: str) -> str:
    """Return what the rows of a part are called in a sentence."""
    return message(f"findings.part.{part}")


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


def _outcome(best: str | None) -> str:
    return "unclear" if best is None else "model" if best == "model" else "rival"


def _chance(judged_by: str, tested: Figures | None) -> Iterator[str]:
    """Yield what the test of the difference says, a clause."""
    if tested is None:
        return
    value, error = (
        figure_text(judged_by, number)
        for number in (abs(tested["value"]), tested["standard_error"])
    )
    method = "" if tested["p_value"] is None else "_bootstrap"
    key = f"findings.chance.{'certain' if tested['is_certain'] else 'chance'}{method}"
    yield message(key, value=value, error=error)
