"""How good texts are that a model wrote, beside those that it should have written."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from foretext.data.rows import ParallelText
from foretext.metrics.paired import Tallies
from foretext.metrics.texts import TextFigure, bleu, chrf, rouge_l
from foretext.task_models.text_answer import TextAnswer

__all__ = ["same_texts", "text_figures", "text_tallies"]

_FEW = 3  # rows of which nothing can be said
_ALIKE = 0.9  # share of rows with the same output from which a model says nothing


def text_figures(rows: Sequence[ParallelText], answers: Sequence[TextAnswer]) -> dict[str, Any]:
    """Return BLEU, chrF and ROUGE-L, perplexity where it is known, and the share that never ended.

    Args:
        rows: with the right texts, one or more.
        answers: to them.
    """
    measured = _measured(rows, answers)
    figures: dict[str, Any] = {name: each.value for name, each in measured.items()}
    losses = [answer.loss for answer in answers if answer.loss is not None]
    if losses:
        mean = sum(losses) / max(sum(answer.num_tokens for answer in answers), 1)
        figures["perplexity"] = math.exp(min(mean, 700.0))
    figures["unfinished"] = sum(not answer.ended for answer in answers) / len(answers)
    figures["signatures"] = {name: each.signature for name, each in measured.items()}
    return figures


def text_tallies(rows: Sequence[ParallelText], answers: Sequence[TextAnswer]) -> dict[str, Tallies]:
    """Return what each row adds to BLEU, chrF and ROUGE-L."""
    return {name: each.tallies for name, each in _measured(rows, answers).items()}


def same_texts(rows: Sequence[ParallelText], answers: Sequence[TextAnswer]) -> str | None:
    """Return a sentence where nearly all outputs are empty, or the same though targets differ."""
    (text, number), *_ = Counter(answer.text for answer in answers).most_common(1) or [("", 0)]
    alike = number >= _ALIKE * len(answers) and len(answers) >= _FEW
    if not alike or len({row.target for row in rows}) < len(rows) / 2:
        return None
    if not text:
        return f"{number:,} of {len(answers):,} outputs are empty."
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return f"{number:,} of {len(answers):,} outputs are the same: '{shown}'."


def _measured(rows: Sequence[ParallelText], answers: Sequence[TextAnswer]) -> dict[str, TextFigure]:
    outputs, references = [answer.text for answer in answers], [row.target for row in rows]
    return {
        "bleu": bleu(outputs, references),
        "chrf": chrf(outputs, references),
        "rouge_l": rouge_l(outputs, references),
    }
