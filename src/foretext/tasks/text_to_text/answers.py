"""Texts that a model wrote as answers: how good they are beside the right ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foretext.data.rows import ParallelText
from foretext.metrics.paired import Tallies
from foretext.metrics.texts import TextFigure, bleu, chrf, rouge_l
from foretext.tasks.answers import Answers
from foretext.tasks.shown_row import ShownRow, shown_rows
from foretext.tasks.text_to_text.text_answer import TextAnswer
from foretext.tasks.text_to_text.text_findings import Written, text_findings

__all__ = ["TextAnswers"]

_FEW = 3  # rows of which nothing can be said
_ALIKE = 0.9  # share of rows with the same output from which a model says nothing

Align = Callable[[Sequence[ParallelText], Sequence[str]], list[dict[str, Any]]]


@dataclass(frozen=True)
class TextAnswers(Answers):
    """What each of N sources became.

    Attributes:
        each: N outputs.
        name: of who wrote them, as a page has it.
        judged_by: the figure by which they are compared.
        align: draws which words of sources some of the outputs look at; None: nothing does.
    """

    each: Sequence[TextAnswer]
    name: str = "this model"
    judged_by: str = "chrf"
    align: Align | None = None

    @property
    def texts(self) -> list[str]:
        """The outputs alone."""
        return [answer.text for answer in self.each]

    def figures(self, rows: Sequence[ParallelText]) -> dict[str, Any]:
        """Return BLEU, chrF and ROUGE-L, from 0 to 100, with their signatures.

        `perplexity` is that of the right targets, a token, where it is known; `unfinished` the
        share of outputs that were stopped.
        """
        measured = self._measured(rows)
        figures: dict[str, Any] = {name: each.value for name, each in measured.items()}
        losses = [answer.loss for answer in self.each if answer.loss is not None]
        if losses:
            mean = sum(losses) / max(sum(answer.num_tokens for answer in self.each), 1)
            figures["perplexity"] = math.exp(min(mean, 700.0))
        figures["unfinished"] = sum(not each.ended for each in self.each) / len(self.each)
        figures["signatures"] = {name: each.signature for name, each in measured.items()}
        return figures

    def tallies(self, rows: Sequence[ParallelText]) -> dict[str, Tallies]:
        """Return what each row adds to BLEU, chrF and ROUGE-L."""
        return {name: each.tallies for name, each in self._measured(rows).items()}

    def findings(
        self, rows: Sequence[ParallelText], beside: Mapping[str, Answers] | None = None
    ) -> dict[str, Any]:
        """Return samples, the worst outputs, faults, quality by length, and alignments."""
        rival = (beside or {}).get("baseline")
        theirs = rival._written() if isinstance(rival, TextAnswers) else None
        found = text_findings(rows, self._written(), theirs)
        pictures = None if self.align is None else self.align(rows, self.texts)
        return {**found, "alignments": pictures} if pictures else found

    def shown(self, rows: Sequence[ParallelText]) -> list[ShownRow]:
        """Return sources with targets and outputs, as a person reads them."""
        return shown_rows([row.source for row in rows], [row.target for row in rows], self.texts)

    def degenerate(self, rows: Sequence[ParallelText]) -> str | None:
        """Return a sentence where nearly all outputs are empty, or the same for all sources."""
        (text, number), *_ = Counter(self.texts).most_common(1) or [("", 0)]
        alike = number >= _ALIKE * len(self.each) and len(self.each) >= _FEW
        if not alike or len({row.target for row in rows}) < len(rows) / 2:
            return None
        if not text:
            return f"{number:,} of {len(self.each):,} outputs are empty."
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        return f"{number:,} of {len(self.each):,} outputs are the same: '{shown}'."

    def _measured(self, rows: Sequence[ParallelText]) -> dict[str, TextFigure]:
        references = [row.target for row in rows]
        return {
            "bleu": bleu(self.texts, references),
            "chrf": chrf(self.texts, references),
            "rouge_l": rouge_l(self.texts, references),
        }

    def _written(self) -> Written:
        return Written(self.name, self.texts, [answer.ended for answer in self.each])
