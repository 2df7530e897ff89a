"""Answers of a model to rows, looked at closely: figures, findings, and baselines beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretext.metrics.paired import paired_difference
from foretext.tasks.answers import Answers, numbers
from foretext.tasks.baseline import Baseline
from foretext.tasks.predictor import Predictor

__all__ = ["examine"]


def examine(
    model: Predictor,
    rows: Sequence[Any],
    *,
    learned_from: Sequence[Any] = (),
    beside: Mapping[str, Baseline] | None = None,
) -> dict[str, Any]:
    """Answer rows once, and return figures and findings, as ``examination.json`` has them.

    Args:
        model: that answers.
        rows: one or more, with their right answers.
        learned_from: the rows of the training, whose labels are counted.
        beside: baselines that answer the same rows, by the name that they have in the result.
    """
    answers = model.answer_rows(rows)
    others = {name: each.answers(rows) for name, each in (beside or {}).items()}
    return {
        "rows": len(rows),
        "figures": answers.figures(rows),
        "judged_by": answers.judged_by,  # which may depend on the rows
        "beside": {name: _beside(rows, answers, each) for name, each in others.items()},
        "degenerate": answers.degenerate(rows),
        "learned": dict(model.label_counts(learned_from).most_common()),
        **answers.findings(rows, others),
    }


def _beside(rows: Sequence[Any], answers: Answers, others: Answers) -> dict[str, Any]:
    """Return the figures of a baseline, and whether it differs by more than chance."""
    own, other = (each.tallies(rows).get(answers.judged_by) for each in (answers, others))
    found = None if own is None or other is None else paired_difference(own, other)
    tested = found and {**found._asdict(), "is_certain": found.is_certain}
    return {"figures": numbers(others.figures(rows)), "difference": tested}
