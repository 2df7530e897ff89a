"""What ``config.json`` keeps of a run beside the model: its figures, and those it compares with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from foretext._version import __version__
from foretext.finetuning.learner import Found, Learner
from foretext.finetuning.seeds import Outcome, Trained
from foretext.finetuning.verdict import base_command, verdict
from foretext.finetuning.warnings import model_warnings, remedy
from foretext.tasks.answers import numbers
from foretext.tasks.baseline import Baseline

__all__ = ["task_facts"]

Figures = Mapping[str, Any]


def task_facts(learner: Learner, outcome: Outcome) -> dict[str, Any]:
    """Return the facts of a run; every learner has the same."""
    rows, best, examination = outcome.rows, outcome.best, outcome.examination
    seen = {} if examination is None else {examination["part"]: examination["figures"]}
    valid = seen.get("valid") or (best.model.figures(rows.valid) if rows.valid else None)
    alone = _alone(best, examination)
    own = seen.get("test") if alone is None else alone["test"]
    tests = [
        own if each is best else each.model.figures(rows.test)
        for each in outcome.trained
        if own is not None
    ]
    recipe = learner.job.recipe
    judged_by = best.model.judged_by if examination is None else examination["judged_by"]
    described = best.model.described()
    facts = {
        "foretext": __version__,
        **described,
        "judged_by": judged_by,
        "watched": list(dict.fromkeys([judged_by, *described["watched"]])),
        "task": recipe.task,
        "base": recipe.run_section()["base"],
        "origin": learner.origin,
        "method": learner.method,
        "rows": len(rows.learned),
        "cut": 0,  # rows that are longer than a network reads; `finish` counts them
        "steps": best.record["step"],
        "loss": best.record.get("loss"),
        "valid_loss": best.record.get("valid_loss"),
        "seconds": best.record["time"],
        "search": None if outcome.found is None else _searched(outcome.found),
        "valid": _judged_alike(valid, judged_by),
        "test": seen.get("test"),
        "network": alone,
        "baseline": _measured(outcome, "baseline", outcome.baseline, judged_by),
        "majority": _measured(outcome, "majority", best.model.majority(rows.train), judged_by),
        "seeds": _seeds(outcome.trained, tests, judged_by) if len(outcome.trained) > 1 else None,
    }
    return {**facts, **_judged(learner, outcome, facts)}


def _searched(found: Found) -> dict[str, Any]:
    return {"trials": found.trials, "score": found.score, "settings": found.tried}


def _alone(best: Trained, examination: Figures | None) -> dict[str, Any] | None:
    """By part, the figures of a network that answers together with its baseline."""
    if examination is None or "network" not in examination:
        return None
    answered = {examination["part"]: examination["network"]}
    return {"valid": best.valid, "test": answered.get("test")}


def _measured(
    outcome: Outcome, name: str, rival: Baseline | None, judged_by: str
) -> dict[str, Any] | None:
    """Return the figures of a baseline; those of the examined rows are there already."""
    if rival is None:
        return None
    rows, examination = outcome.rows, outcome.examination
    seen = {} if examination is None else {examination["part"]: examination["beside"][name]}
    parts = {"valid": rows.valid, "test": rows.test}
    measured = {
        part: seen[part]["figures"] if part in seen else numbers(rival.answers(own).figures(own))
        for part, own in parts.items()
        if own
    }
    alike = {part: _judged_alike(figures, judged_by) for part, figures in measured.items()}
    return {"name": rival.name, "seconds": rival.seconds, **dict.fromkeys(parts), **alike}


def _judged_alike(figures: Figures | None, judged_by: str) -> Figures | None:
    """Return figures if the one that counts is among them.

    It is that of the test rows, which may be of another kind than the held-out rows.
    """
    return figures if figures is not None and judged_by in figures else None


def _judged(learner: Learner, outcome: Outcome, facts: Figures) -> dict[str, Any]:
    """Return what the examination means: the verdict, and warnings."""
    examination = outcome.examination
    if examination is None:
        return {"verdict": None, "warnings": learner.job.warnings}
    base = None if outcome.baseline is None else outcome.baseline.base
    command = None if base is None else base_command(learner, base)
    advice = remedy(learner) if examination["degenerate"] is None else ""  # a warning has it
    return {
        "verdict": verdict(facts, examination, command, advice),
        "warnings": [
            *learner.job.warnings,
            *model_warnings(learner, outcome.best.model, examination),
        ],
    }


def _seeds(trained: Sequence[Trained], tests: Sequence[Figures], judged_by: str) -> dict[str, Any]:
    """Mean and standard deviation of the figure that counts, over all seeds."""
    found: dict[str, Any] = {"seeds": [each.seed for each in trained]}
    valid = [each.valid for each in trained if each.valid is not None]
    for part, figures in (("valid", valid), ("test", tests)):
        values = [float(each[judged_by]) for each in figures if judged_by in each]
        found[part] = values and {
            "each": values,
            "mean": float(np.mean(values)),
            "deviation": float(np.std(values, ddof=1)),
        }
    return found
