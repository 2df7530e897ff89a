"""Texts that a model wrote as answers: how good they are beside the right ones.

What is wrong with an output at first sight: it copies, repeats itself, or has the wrong length.
References are looked at in the same way, because a summary copies and a list repeats without
fault.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows import ParallelText
from foretext.messages import message
from foretext.metrics.paired import Tallies
from foretext.metrics.texts import TextFigure, bleu, chrf, rouge_l, text_units
from foretext.tasks.answers import Answers, ShownRow, shown_rows

__all__ = [
    "TextAnswer",
    "TextAnswers",
    "TextFaults",
    "Written",
    "copied_rate",
    "repeated_phrase",
    "text_faults",
    "text_findings",
]

_FEW = 3  # rows of which nothing can be said
_ALIKE = 0.9  # share of rows with the same output from which a model says nothing

Align = Callable[[Sequence[ParallelText], Sequence[str]], list[dict[str, Any]]]

SAMPLES, WORST, EXAMPLES = 10, 12, 3  # of rows; examples are of each fault
LONGEST = 600  # characters of a text on a page
POINTS = 500  # of lengths
BINS, FEWEST = 8, 5  # of lengths, and rows of one at least

COPIED = 0.5  # share of an output's phrases from which on it counts as a copy
PHRASE, CHARACTERS = 4, 8  # words of a phrase, and characters where a script has no blanks
SHORT, LONG = 0.5, 2.0  # length of an output by that of its reference

FAULTS = {
    "empty": "no word",
    "unended": "stopped at the most tokens allowed",
    "copy": "copies most of its source",
    "repetition": f"repeats a phrase of {PHRASE} words",
    "short": "less than half as long as its reference",
    "long": "more than twice as long as its reference",
}


class TextAnswer(NamedTuple):
    """An output, and how probable the right one is where it is known."""

    text: str
    score: float | None = None  # log-probability, normalised by length; None: nothing is known
    ended: bool = True  # False: it was stopped at the most tokens that an output may have
    loss: float | None = None  # -log P(reference | source), summed over its tokens; None: not known
    num_tokens: int = 0  # of the reference, with its end

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        score = None if self.score is None else round(self.score, 6)
        return {"text": self.text, "score": score, "ended": self.ended}


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
            return message("findings.degenerate.empty", number=number, outputs=len(self.each))
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        same = {"number": number, "outputs": len(self.each), "shown": shown}
        return message("findings.degenerate.same", **same)

    def _measured(self, rows: Sequence[ParallelText]) -> dict[str, TextFigure]:
        references = [row.target for row in rows]
        return {
            "bleu": bleu(self.texts, references),
            "chrf": chrf(self.texts, references),
            "rouge_l": rouge_l(self.texts, references),
        }

    def _written(self) -> Written:
        return Written(self.name, self.texts, [answer.ended for answer in self.each])


class Written(NamedTuple):
    """What one model wrote for N rows."""

    name: str  # of the model
    texts: Sequence[str]
    ended: Sequence[bool]  # False: it was stopped at the most tokens allowed


class TextFaults(NamedTuple):
    """Which of `FAULTS` an output has."""

    kinds: tuple[str, ...]
    phrase: str  # that it repeats; "": none


class _Judged(NamedTuple):
    """Outputs with their chrF and faults."""

    written: Written
    figure: TextFigure
    faults: list[TextFaults]


def text_findings(
    rows: Sequence[ParallelText], own: Written, baseline: Written | None = None
) -> dict[str, Any]:
    """Return what a page shows of outputs, and of a baseline beside them.

    Args:
        rows: with their references.
        own: outputs of the model.
        baseline: outputs of what it is compared with.
    """
    ours = _judged(rows, own)
    theirs = None if baseline is None else _judged(rows, baseline)
    step = max(1, len(rows) // SAMPLES)
    worst = np.argsort(ours.figure.each, kind="stable")[:WORST].tolist()

    def shown(places: Iterable[int]) -> list[dict[str, Any]]:
        return [_record(rows[place], place, ours, theirs) for place in places]

    examples = _examples(ours)
    return {
        "samples": shown(range(0, len(rows), step)[:SAMPLES]),
        "worst_texts": shown(worst),
        "faulty_texts": [
            {"fault": FAULTS[kind], "texts": shown(places)} for kind, places in examples.items()
        ],
        "tables": [_fault_table(rows, ours, theirs)],
        "quality": _quality(rows, [each for each in (ours, theirs) if each is not None]),
        "text_lengths": _lengths(rows, own),
    }


def _judged(rows: Sequence[ParallelText], written: Written) -> _Judged:
    faults = [
        text_faults(row.source, text, row.target, ended=ended)
        for row, text, ended in zip(rows, written.texts, written.ended, strict=True)
    ]
    return _Judged(written, chrf(written.texts, [row.target for row in rows]), faults)


def _record(row: ParallelText, place: int, ours: _Judged, theirs: _Judged | None) -> dict[str, Any]:
    kinds, phrase = ours.faults[place]
    return {
        "source": _cut(row.source),
        "reference": _cut(row.target),
        "output": _cut(ours.written.texts[place]),
        "baseline": None if theirs is None else _cut(theirs.written.texts[place]),
        "chrf": float(ours.figure.each[place]),
        "faults": [
            f"repeats “{phrase}”" if kind == "repetition" else FAULTS[kind] for kind in kinds
        ],
        "place": row.place,
    }


def _examples(judged: _Judged) -> dict[str, list[int]]:
    """Return some rows of each fault; one that has several is shown once."""
    found: dict[str, list[int]] = {}
    for kind in FAULTS:
        shown = {place for places in found.values() for place in places}
        places = [place for place in _having(kind, judged) if place not in shown]
        if places:
            found[kind] = places[:EXAMPLES]
    return found


def _having(kind: str, judged: _Judged) -> list[int]:
    return [place for place, each in enumerate(judged.faults) if kind in each.kinds]


def _fault_table(
    rows: Sequence[ParallelText], ours: _Judged, theirs: _Judged | None
) -> dict[str, Any]:
    """Return how many outputs have each fault, and what share of references and baseline has."""
    right = [text_faults(row.source, row.target) for row in rows]
    table = []
    for kind, name in FAULTS.items():
        number = len(_having(kind, ours))
        row = {"fault": name, "outputs": number, "share": number / len(rows)}
        if theirs is not None:
            row["of the baseline"] = len(_having(kind, theirs)) / len(rows)
        row["of references"] = sum(kind in each.kinds for each in right) / len(rows)
        table.append(row)
    return {
        "title": "What outputs do wrong",
        "hint": "Shares from 0 to 1. References show what is usual in such texts.",
        "rows": table,
    }


def _quality(rows: Sequence[ParallelText], models: Sequence[_Judged]) -> list[dict[str, Any]]:
    """Return chrF of each model for sources of about the same length, as many rows in each."""
    lengths = np.array([len(text_units(row.source)) for row in rows])
    found = []
    for members in _bins(lengths):
        low, high = int(lengths[members].min()), int(lengths[members].max())
        for judged in models:
            sums = judged.figure.tallies.parts[members].sum(axis=0)
            value = float(judged.figure.tallies.figure(sums))
            name, number = judged.written.name, len(members)
            found.append({"low": low, "high": high, "rows": number, "model": name, "chrf": value})
    return found


def _bins(lengths: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """Return the rows of each bin; rows of equal length are in the same one."""
    number = min(BINS, len(lengths) // FEWEST)
    if number < 2:
        return []
    edges = np.unique(np.quantile(lengths, np.arange(1, number) / number, method="lower"))
    bins = np.searchsorted(edges, lengths, side="left")
    members = (np.flatnonzero(bins == each) for each in range(len(edges) + 1))
    return [rows for rows in members if len(rows)]


def _lengths(rows: Sequence[ParallelText], own: Written) -> list[list[int]]:
    """Return pairs of the words of a reference and of its output, for rows of all parts."""
    step = max(1, len(rows) // POINTS)
    pairs = zip(rows[::step], own.texts[::step], strict=True)
    return [[len(text_units(row.target)), len(text_units(text))] for row, text in pairs][:POINTS]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def text_faults(
    source: str, output: str, reference: str | None = None, *, ended: bool = True
) -> TextFaults:
    """Return the faults of an output; without a reference its length is right."""
    words, right = text_units(output), [] if reference is None else text_units(reference)
    phrase = repeated_phrase(words)
    found = {
        "empty": not words,
        "unended": not ended,
        "copy": copied_rate(words, text_units(source)) > COPIED,
        "repetition": bool(phrase),
        "short": 0 < len(words) < SHORT * len(right),
        "long": bool(right) and len(words) > LONG * len(right),
    }
    return TextFaults(tuple(kind for kind, has in found.items() if has), phrase)


def copied_rate(words: Sequence[str], source: Sequence[str]) -> float:
    """Return the share of the phrases of a text that stand in its source; all of a short one."""
    length = _phrase_length(words)
    if len(words) < length:
        return float(bool(words) and _holds(source, words))
    known = set(_phrases(source, length))
    phrases = list(_phrases(words, length))
    return sum(phrase in known for phrase in phrases) / len(phrases)


def repeated_phrase(words: Sequence[str]) -> str:
    """Return the phrase that comes most often, if that is more than once; "" if none does."""
    length = _phrase_length(words)
    counts = Counter(_phrases(words, length))
    if not counts:
        return ""
    phrase, times = counts.most_common(1)[0]
    return (" " if length == PHRASE else "").join(phrase) if times > 1 else ""


def _phrase_length(words: Sequence[str]) -> int:
    """Return the words of a phrase; of a text whose words are mostly single characters, more."""
    single = sum(len(word) == 1 and not word.isascii() for word in words)
    return CHARACTERS if 2 * single > len(words) else PHRASE


def _phrases(words: Sequence[str], length: int) -> zip[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(length)), strict=False)


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return tuple(part) in set(_phrases(words, len(part)))
