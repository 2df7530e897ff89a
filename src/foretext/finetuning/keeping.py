"""The end of a run: answers are examined, and everything is written into its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from foretext.base.counted import counted
from foretext.base.files import atomic_file
from foretext.finetuning.job import Finetuned
from foretext.finetuning.learner import Learner
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.resume import write_sections
from foretext.finetuning.seeds import Outcome
from foretext.finetuning.task_rows import TaskRows
from foretext.report.cells import tile
from foretext.report.task_card import task_card
from foretext.tasks.baseline import Baseline
from foretext.tasks.examining import examine
from foretext.tasks.predictor import Predictor

__all__ = ["examined", "keep", "told"]


def examined(model: Predictor, rows: TaskRows, baseline: Baseline | None) -> dict[str, Any] | None:
    """Answer the rows to test on, or those held out where there are none, and look closely."""
    part, others = ("test", rows.test) if rows.test else ("valid", rows.valid)
    if not others:
        return None
    beside = {
        name: each
        for name, each in (("baseline", baseline), ("majority", model.majority(rows.train)))
        if each is not None
    }
    return {"part": part, **examine(model, others, learned_from=rows.train, beside=beside)}


def keep(learner: Learner, outcome: Outcome, facts: Mapping[str, Any]) -> Finetuned:
    """Write examination, recipe, model, card and page, and mark the run as finished."""
    job, model = learner.job, outcome.best.model
    sections = resolved_sections(learner, outcome)
    if outcome.examination is not None:
        with atomic_file(job.run.examination) as temporary:
            text = json.dumps(outcome.examination, ensure_ascii=False)
            temporary.write_text(text, encoding="utf-8")
    for sentence in told(facts):
        job.run.note(sentence)
    model.write(job.run.path, facts)
    write_sections(job.run.recipe, sections)
    card = task_card(job.run.facts(), sections, job.run.named, job.run.their_class)
    job.run.finish(card, None, job.report)
    return Finetuned(model, sections, dict(facts), card)


def told(facts: Mapping[str, Any]) -> list[str]:
    """Return what a person should read of a run: its size, the verdict, and the warnings."""
    verdict = facts["verdict"] or {"sentence": None, "command": None}
    rows = counted(facts["rows"], "row")
    scheme = f", tags of the scheme {facts['scheme']}" if facts.get("scheme") else ""
    size = f"{rows}{scheme}, {tile(facts['parameters'])} parameters"
    lines = [size, verdict["sentence"], verdict["command"] and f"  {verdict['command']}"]
    return [line for line in lines if line] + [f"warning: {each}" for each in facts["warnings"]]


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
        "run": _run_section(learner.job.recipe),
        **learner.resolved(outcome.best.model, outcome.rows),
        "finetuning": finetuning.kept(include=set(learner.uses)),
        "rows": learner.rows_config.kept(),
    }


def _run_section(recipe: TaskRecipe) -> dict[str, Any]:
    """Return what is learned from what, and in what time; what a search found is in the rest."""
    budget = recipe.budget_seconds
    return {**recipe.run_section(), **({} if budget is None else {"budget": budget})}
