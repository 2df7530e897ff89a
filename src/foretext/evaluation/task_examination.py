"""What a trained task answers to rows with right answers, looked at closely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from foretext.classifiers.class_answers import ClassAnswers
from foretext.classifiers.class_findings import class_findings
from foretext.evaluation.score_findings import score_findings
from foretext.evaluation.span_findings import span_findings
from foretext.evaluation.tag_findings import kind_counts, tag_findings
from foretext.task_models.base import TaskModel
from foretext.task_models.matcher import TextMatcher
from foretext.task_models.reader import SpanReader
from foretext.task_models.tagger import Tagger

__all__ = ["examine"]


def examine(
    model: TaskModel, rows: Sequence[Any], *, learned_from: Sequence[Any] = ()
) -> dict[str, Any]:
    """Answer rows once, and return figures, errors and confusions as JSON has them.

    ``figures`` are those of the model; ``learned`` has how often each label, or kind of entity, was
    seen in training. Labels have ``confusion``, ``confused``, ``reliability`` and ``errors``,
    scores ``points`` and ``errors``, tags ``confusion``, ``entities`` and ``sentences``, answers to
    questions ``by_question_word``, ``by_answer``, ``reliability`` and ``errors``. Of an ensemble
    ``network`` are the figures of its network alone.

    Args:
        model: that answers.
        rows: one or more, with their right answers.
        learned_from: the rows that it learned from.

    Raises:
        CorpusError: a row has no answer of the kind that the model gives.
    """
    answers = model.answer_rows(rows)
    alone = answers.network if isinstance(answers, ClassAnswers) else None
    return {
        "kind": model.task.name,
        "rows": len(rows),
        "figures": model.judge(rows, answers),
        **({} if alone is None else {"network": model.judge(rows, alone)}),
        "learned": dict(_learned(model, learned_from).most_common()),
        **_findings(model, rows, answers),
    }


def _findings(model: TaskModel, rows: Sequence[Any], answers: Any) -> dict[str, Any]:
    if isinstance(model, Tagger):
        tags = model.task.tags
        gold = [tags.lawful(row.tags) for row in rows]
        return tag_findings(rows, gold, answers, of_entities=tags.scheme is not None)
    if isinstance(model, SpanReader):
        chosen = [model.choose(reading) for reading in answers]
        return span_findings(rows, chosen, model.language(rows))
    if isinstance(answers, ClassAnswers):
        return class_findings(rows, answers)
    assert isinstance(model, TextMatcher), model
    return score_findings(rows, answers)


def _learned(model: TaskModel, rows: Sequence[Any]) -> Counter[str]:
    if isinstance(model, Tagger):
        of_entities = model.task.tags.scheme is not None
        return kind_counts([row.tags for row in rows], of_entities=of_entities)
    if isinstance(model, SpanReader):
        return Counter()
    return Counter(label for row in rows for label in row.labels)
