"""An explained answer: words with weights, for a program, a terminal and a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from foretext.tasks.explanation.words import Place

__all__ = ["ExplainedWord", "Explanation"]

MARKED_RATE = 0.2  # of the largest weight; words that weigh less are not marked
DIGITS = 6


class ExplainedWord(NamedTuple):
    """A word, or in a long text some neighbouring words, and what it adds to the value."""

    text: str
    start: int  # first character in its text
    end: int  # the one after the last
    weight: float  # above 0: it speaks for the label
    field: str  # which text of the input, such as "text_a"


@dataclass(frozen=True)
class Explanation:
    """Which words decided on the answer to one input.

    Attributes:
        texts: the input by the names of its texts.
        words: all words in order.
        label: that the weights speak of; None where answers are scores.
        probability: of the label; None where answers are scores.
        value: what the weights explain, see `Values`: the log of the odds, where there are two
            labels; the score, where answers are scores.
        base: the same of an input without any word.
        method: how the weights were found.
        num_predictions: how many inputs the model has answered for it.
    """

    texts: dict[str, str]
    words: tuple[ExplainedWord, ...]
    label: str | None
    probability: float | None
    value: float
    base: float
    method: str
    num_predictions: int

    @property
    def rest(self) -> float:
        """What no word adds by itself: the value less the base and all weights."""
        return self.value - self.base - sum(word.weight for word in self.words)

    def top(self, k: int = 5) -> list[ExplainedWord]:
        """Return the `k` words that weigh most, for or against the label."""
        return sorted(self.words, key=lambda word: -abs(word.weight))[:k]

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it; words name their text where an input has several."""
        return {
            "label": self.label,
            "probability": _rounded(self.probability),
            "value": _rounded(self.value),
            "base": _rounded(self.base),
            "method": self.method,
            "predictions": self.num_predictions,
            "words": [self._word_record(word) for word in self.words],
        }

    def marked(self, field: str) -> str:
        """Return one of the texts with its heaviest words as ``[+2.31 fine]``."""
        shown, end = [], 0
        for word in self._marked_words(field):
            shown += [self.texts[field][end : word.start], f"[{word.weight:+.2f} {word.text}]"]
            end = word.end
        return "".join([*shown, self.texts[field][end:]])

    def __str__(self) -> str:
        answer = "" if self.label is None else f"{self.label} {self.probability:.4f}"
        return "\t".join([answer or f"{self.value:.4f}", *map(self.marked, self.texts)])

    def _repr_html_(self) -> str:
        lines = [f"<b>{html.escape(str(self).split(chr(9))[0])}</b>"]
        lines += [self._as_html(field) for field in self.texts]
        return "<br>".join(lines)

    def _word_record(self, word: ExplainedWord) -> dict[str, Any]:
        found = {**word._asdict(), "weight": _rounded(word.weight)}
        if len(self.texts) == 1:
            del found["field"]
        return found

    def _marked_words(self, field: str) -> list[ExplainedWord]:
        least = MARKED_RATE * max((abs(word.weight) for word in self.words), default=0.0)
        heavy = (word for word in self.words if abs(word.weight) >= least and word.weight)
        return [word for word in heavy if word.field == field]

    def _as_html(self, field: str) -> str:
        text, shown, end = self.texts[field], [], 0
        most = max((abs(word.weight) for word in self.words), default=0.0)
        for word in self._marked_words(field):
            colour = "46, 125, 50" if word.weight > 0 else "198, 40, 40"
            strength = f"rgba({colour}, {0.6 * abs(word.weight) / most:.2f})"
            shown.append(html.escape(text[end : word.start]))
            shown.append(
                f"<span style='background:{strength}' title='{word.weight:+.3f}'>"
                f"{html.escape(word.text)}<sup>{word.weight:+.1f}</sup></span>"
            )
            end = word.end
        return "".join([*shown, html.escape(text[end:])])


def explained_words(
    texts: Sequence[str], fields: Sequence[str], places: Sequence[Place], weights: Sequence[float]
) -> tuple[ExplainedWord, ...]:
    """Return words with their text, the name of the field, and their weight."""
    return tuple(
        ExplainedWord(
            texts[place.field][place.start : place.end],
            place.start,
            place.end,
            float(weight),
            fields[place.field],
        )
        for place, weight in zip(places, weights, strict=True)
    )


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, DIGITS)
