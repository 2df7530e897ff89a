"""Which words decided on an answer: `explain`, the explanation, and weights by leaving out.

What an answer loses when a word is left out (Zeiler & Fergus 2014, 4.2; Li et al. 2016, 4). Every
predictor can be asked so: all inputs with a word left out are answered together. Of a long text
neighbouring words are left out together at first, and the groups that weigh most are then taken
apart, as far as the number of predictions allows.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from foretext.base.errors import SettingError
from foretext.tasks.explanation.words import (
    Place,
    Texts,
    Values,
    Weighed,
    WeighRequest,
    places_of,
    without,
)

__all__ = ["MOST", "ExplainedWord", "Explanation", "Method", "explain"]

Method = Literal["auto", "linear", "occlusion", "gradient"]

MOST = 256  # rows that a network reads for one input, where nobody says

MARKED_RATE = 0.2  # of the largest weight; words that weigh less are not marked
DIGITS = 6

OCCLUSION = "occlusion"
AT_ONCE = 1 << 22  # characters of inputs that are answered together
FEWEST = 4  # parts of an input whose rows use up all predictions
PIECES = 8  # that a part is taken apart into, at most

Part = range  # numbers of neighbouring words of one text


class Answering(Protocol):
    """What answers inputs; see `Predictor.explain`."""

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return the values of all labels for each input."""

    def num_rows(self, inputs: Sequence[Texts]) -> list[int]:
        """Return how many rows a network reads of each input."""


class Explainable(Answering, Protocol):
    """What `explain` asks of a model."""

    explained_by: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name of its task."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The texts of an input."""

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the words of a text start and end."""

    def weigh(self, request: WeighRequest, method: str) -> list[Weighed]:
        """Weigh the words of each input by another method than occlusion."""


def explain(
    model: Explainable,
    inputs: str | tuple[str, ...] | Sequence[str] | Sequence[tuple[str, ...]],
    label: str | None,
    method: Method,
    most: int,
) -> Explanation | list[Explanation]:
    """Say which words decided on answers of a model; see `Predictor.explain`."""
    chosen = _chosen(model, method)
    is_single = isinstance(inputs, str | tuple)
    given = _as_inputs([inputs] if is_single else inputs, model.fields)  # type: ignore
    if not given:
        return []
    request = WeighRequest(given, [places_of(texts, model.word_spans) for texts in given], label)
    left_out = chosen == OCCLUSION
    weighed = _occlude(model, request, most) if left_out else model.weigh(request, chosen)
    found = [
        _explanation(model.fields, texts, each, chosen)
        for texts, each in zip(given, weighed, strict=True)
    ]
    return found[0] if is_single else found


def _chosen(model: Explainable, method: Method) -> str:
    known = model.explained_by
    if not known:
        raise SettingError(
            f"{model.title} cannot be explained by words: only labels and scores can, the answers "
            "of classification and matching."
        )
    if method == "auto":
        return known[0]
    if method not in known:
        raise SettingError(
            f"method = '{method}': the answers of this model can be explained by "
            f"{' or '.join(known)}."
        )
    return method


def _as_inputs(given: Sequence[str | Texts], fields: Sequence[str]) -> list[Texts]:
    """Return inputs as tuples of texts."""
    inputs = [(each,) if isinstance(each, str) else tuple(each) for each in given]
    for texts in inputs:
        if len(texts) != len(fields):
            needed = " and ".join(f"'{name}'" for name in fields)
            raise SettingError(
                f"explain takes inputs, or a list of inputs, that consist of {needed}; one of "
                f"these has {len(texts)} texts."
            )
    return inputs


def _explanation(fields: Sequence[str], texts: Texts, weighed: Weighed, method: str) -> Explanation:
    words = explained_words(texts, fields, weighed.places, weighed.weights.tolist())
    return Explanation(
        dict(zip(fields, texts, strict=True)), words, weighed.label, weighed.probability,
        weighed.value, weighed.base, method, weighed.num_predictions,
    )  # fmt: skip


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


def _occlude(model: Answering, request: WeighRequest, most: int) -> list[Weighed]:
    """Weigh words by leaving them out.

    Args:
        model: answers the inputs.
        request: inputs and their words.
        most: rows that the model reads for an input, at most; FEWEST parts are tried in any case.
    """
    rooms = [max(most // rows - 2, FEWEST) for rows in model.num_rows(request.inputs)]
    found = [_Occlusion(*each) for each in zip(request.inputs, request.places, rooms, strict=True)]
    for some in _groups(found):
        _ask(model, some, [each.begin() for each in some], request.label)
        while any(parts := [each.take_apart() for each in some]):
            _ask(model, some, parts, request.label)
    return [each.weighed() for each in found]


class _Occlusion:
    """One input, the parts of it that were left out, and how that changed its value."""

    def __init__(self, texts: Texts, places: Sequence[Place], room: int) -> None:
        self.texts = texts
        self.places = places
        self.room = room  # parts that may still be left out
        self.weights: dict[Part, float] = {}
        self.num_predictions = 0
        self.answer: Values | None = None  # to the input as it is
        self.column = 0  # of the label
        self.value = self.base = 0.0

    def begin(self) -> list[Part]:
        """Return the first parts: the words, or groups of them that take half of the room."""
        if len(self.places) <= self.room:
            return self._used([range(word, word + 1) for word in range(len(self.places))])
        of_texts = _runs([place.field for place in self.places])
        size = -(-len(self.places) // max(self.room // 2 - len(of_texts), 1))
        return self._used([part for run in of_texts for part in _cut(run, size)])

    def take_apart(self) -> list[Part]:
        """Return pieces of the parts that weigh most; [] where all is known, or room is used up."""
        pieces: list[Part] = []
        for part in sorted(self.weights, key=lambda each: -abs(self.weights[each])):
            if len(part) == 1:
                continue
            own = _cut(part, -(-len(part) // PIECES))
            if len(pieces) + len(own) > self.room or not self.weights[part]:
                break
            del self.weights[part]
            pieces += own
        return self._used(pieces)

    def questions(self, parts: Sequence[Part]) -> list[Texts]:
        """Return the input without each part; the first time also as it is, and without words."""
        first = [] if self.num_predictions else [self.texts, tuple("" for _ in self.texts)]
        return [*first, *(without(self.texts, self._place(part)) for part in parts)]

    def note(self, parts: Sequence[Part], answers: Values, label: str | None) -> None:
        """Note the answers to `questions`."""
        if not self.num_predictions:
            self._note_first(answers, label)
        own = answers.values[len(answers.values) - len(parts) :, self.column]
        self.num_predictions += len(answers.values)
        self.weights.update(zip(parts, (self.value - own).tolist(), strict=True))

    def weighed(self) -> Weighed:
        """Return what was found, in the order of the text."""
        parts = sorted(self.weights, key=lambda part: part.start)
        weights = np.array([self.weights[part] for part in parts])
        places = [self._place(part) for part in parts]
        assert self.answer is not None, "questions were not answered"
        return Weighed.of(
            self.answer, self.column, self.base, places, weights, self.num_predictions
        )

    def _note_first(self, answers: Values, label: str | None) -> None:
        self.answer, self.column = answers.part(0, 1), answers.chosen(label)
        self.value, self.base = answers.values[:2, self.column].tolist()

    def _place(self, part: Part) -> Place:
        first, last = self.places[part.start], self.places[part.stop - 1]
        return Place(first.field, first.start, last.end)

    def _used(self, parts: list[Part]) -> list[Part]:
        self.room -= len(parts)
        return parts


def _ask(
    model: Answering,
    request: Sequence[_Occlusion],
    parts: Sequence[Sequence[Part]],
    label: str | None,
) -> None:
    """Answer the questions of several inputs together."""
    questions = [each.questions(own) for each, own in zip(request, parts, strict=True)]
    answers = model.values([texts for own in questions for texts in own])
    start = 0
    for each, own, asks in zip(request, parts, questions, strict=True):
        if asks:
            each.note(own, answers.part(start, start + len(asks)), label)
        start += len(asks)


def _groups(request: Sequence[_Occlusion]) -> Iterator[list[_Occlusion]]:
    """Yield inputs that are asked together; one that asks much is alone."""
    some: list[_Occlusion] = []
    size = 0
    for each in request:
        own = (min(len(each.places), each.room) + 2) * sum(map(len, each.texts))
        if some and size + own > AT_ONCE:
            yield some
            some, size = [], 0
        some.append(each)
        size += own
    if some:
        yield some


def _runs(fields: Sequence[int]) -> list[Part]:
    """Return the words of each text."""
    order = np.array(fields)
    starts = [0, *(np.flatnonzero(np.diff(order)) + 1).tolist(), len(order)]
    return [range(*ends) for ends in pairwise(starts)]


def _cut(part: Part, size: int) -> list[Part]:
    return [part[start : start + size] for start in range(0, len(part), size)]
