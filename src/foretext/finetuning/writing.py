"""The end of a run: answers are examined, and everything is written into its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from foretext._version import __version__
from foretext.base.counted import number_of
from foretext.base.files import atomic_file
from foretext.finetuning.job import Finetuned
from foretext.finetuning.learner import Found, Learner
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.seeds import Outcome, Trained
from foretext.finetuning.task_rows import TaskRows
from foretext.finetuning.unchanged import write_sections
from foretext.finetuning.verdict import base_command, highest, verdict
from foretext.messages import message, sentences
from foretext.report.page import tile
from foretext.report.task_card import task_card
from foretext.tasks.answers import numbers
from foretext.tasks.baseline import Baseline
from foretext.tasks.examining import examine
from foretext.tasks.predictor import Predictor

__all__ = ["examined", "keep", "model_warnings", "remedy", "summary_lines", "task_facts"]

Figures = Mapping[str, Any]

MISCALIBRATED = 0.1  # expected calibration error from which probabilities mislead
ENOUGH = 200  # rows; of fewer the error is mostly noise


def examined(
    model: Predictor, rows: TaskRows, baseline: Baseline | None, untouched: Baseline | None = None
) -> dict[str, Any] | None:
    """Answer the rows to test on, or those held out where there are none, and look closely."""
    part, others = ("test", rows.test) if rows.test else ("valid", rows.valid)
    if not others:
        return None
    rivals = {
        "baseline": baseline,
        "majority": model.task.majority(rows.train),
        "untouched": untouched,
    }
    beside = {name: each for name, each in rivals.items() if each is not None}
    return {"part": part, **examine(model, others, learned_from=rows.train, beside=beside)}


def keep(learner: Learner, outcome: Outcome, facts: Mapping[str, Any]) -> Finetuned:
    """Write examination, recipe, model, card and page, and mark the run as finished."""
    job, model = learner.job, outcome.best.model
    sections = resolved_sections(learner, outcome)
    if outcome.examination is not None:
        with atomic_file(job.run.examination) as temporary:
            text = json.dumps(outcome.examination, ensure_ascii=False)
            temporary.write_text(text, encoding="utf-8", newline="\n")
    for sentence in summary_lines(facts):
        job.run.note(sentence)
    model.write(job.run.path, facts)
    write_sections(job.run.recipe, sections)
    card = task_card(job.run.facts(), sections, job.run.named, job.run.their_class)
    job.run.finish(card, None, job.report)
    return Finetuned(model, sections, dict(facts), card)


def summary_lines(facts: Mapping[str, Any]) -> list[str]:
    """Return what a person should read of a run: its size, the verdict, and the warnings."""
    verdict = facts["verdict"] or {"sentence": None, "command": None}
    rows, parameters = number_of("row", facts["rows"]), tile(facts["parameters"])
    scheme = facts.get("scheme")
    key = f"findings.size.{'tagged' if scheme else 'plain'}"
    size = message(key, rows=rows, scheme=scheme, parameters=parameters)
    lines = [size, verdict["sentence"], verdict["command"] and f"  {verdict['command']}"]
    warnings = [message("findings.size.warning", said=each) for each in facts["warnings"]]
    return [line for line in lines if line] + warnings


def resolved_sections(learner: Learner, outcome: Outcome) -> dict[str, dict[str, Any]]:
    """Return the recipe that repeats the run: every setting, and those that a search found."""
    chosen = {
        "baseline": learner.wants_baseline,
        "valid_rate": outcome.rows.valid_rate,
        "refit": learner.refits,
        **learner.resolved_finetuning,
    }
    finetuning = learner.finetuning.model_copy(update=chosen)
    return {
        "run": _run_section(learner.job.kept_recipe),
        **learner.resolved(outcome.best.model, outcome.rows),
        "finetuning": finetuning.kept(include=set(learner.uses)),
        "rows": learner.rows_config.kept(),
    }


def _run_section(recipe: TaskRecipe) -> dict[str, Any]:
    """Return what is learned from what, and in what time; what a search found is in the rest."""
    budget = recipe.budget_seconds
    return {**recipe.run_section(), **({} if budget is None else {"budget": budget})}


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
        "base": learner.job.kept_recipe.run_section()["base"],
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
        "majority": _measured(outcome, "majority", best.model.task.majority(rows.train), judged_by),
        "untouched": _measured(outcome, "untouched", outcome.untouched, judged_by),
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


def model_warnings(
    learner: Learner, model: Predictor, examination: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a sentence, with the remedy, for each thing that is wrong with the answers."""
    if examination["degenerate"] is not None:
        figures = examination.get("figures", {})
        is_right = figures.get(model.judged_by, 0.0) >= highest(model.judged_by)
        advice = message("findings.degenerate.all_right") if is_right else remedy(learner)
        yield sentences([examination["degenerate"], advice])
    error = examination.get("calibration_error")
    if error is not None and error > MISCALIBRATED and examination["rows"] >= ENOUGH:
        yield sentences([_miscalibration(examination, error), _calibration_remedy(learner, model)])


def remedy(learner: Learner) -> str:
    """Return what may make a model better that has learned too little."""
    if "training" not in learner.sections:
        return message("findings.remedy.rows")
    if learner.origin == "pretrained":
        return message("findings.remedy.longer")
    return message("findings.remedy.longer_or_pretrained")


def _miscalibration(examination: Mapping[str, Any], error: float) -> str:
    bins = examination["reliability"]
    sizes = [each["size"] for each in bins]
    sure, right = (
        np.average([each[name] for each in bins], weights=sizes)
        for name in ("confidence", "accuracy")
    )
    return message("findings.calibration.misleading", sure=sure, right=right, error=error)


def _calibration_remedy(learner: Learner, model: Predictor) -> str:
    can_be_set = "calibrate" in learner.uses and not learner.finetuning.calibrate
    if can_be_set and model.can_calibrate:
        return message("findings.calibration.set")
    return message("findings.calibration.order")
