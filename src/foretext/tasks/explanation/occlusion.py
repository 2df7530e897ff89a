"""What an answer loses when a word is left out (Zeiler & Fergus 2014, 4.2; Li et al. 2016, 4).

Every predictor can be asked so: all inputs with a word left out are answered together. Of a long
text neighbouring words are left out together at first, and the groups that weigh most are then
taken apart, as far as the number of predictions allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from foretext.tasks.explanation.values import Values
from foretext.tasks.explanation.weighed import Asked, Weighed
from foretext.tasks.explanation.words import Place, Texts, without

__all__ = ["occlude"]

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


def occlude(model: Answering, asked: Asked, most: int) -> list[Weighed]:
    """Weigh words by leaving them out.

    Args:
        model: answers the inputs.
        asked: inputs and their words.
        most: rows that the model reads for an input, at most; FEWEST parts are tried in any case.
    """
    rooms = [max(most // rows - 2, FEWEST) for rows in model.num_rows(asked.inputs)]
    found = [_Occlusion(*each) for each in zip(asked.inputs, asked.places, rooms, strict=True)]
    for some in _groups(found):
        _ask(model, some, [each.begin() for each in some], asked.label)
        while any(parts := [each.take_apart() for each in some]):
            _ask(model, some, parts, asked.label)
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
    asked: Sequence[_Occlusion],
    parts: Sequence[Sequence[Part]],
    label: str | None,
) -> None:
    """Answer the questions of several inputs together."""
    questions = [each.questions(own) for each, own in zip(asked, parts, strict=True)]
    answers = model.values([texts for own in questions for texts in own])
    start = 0
    for each, own, asks in zip(asked, parts, questions, strict=True):
        if asks:
            each.note(own, answers.part(start, start + len(asks)), label)
        start += len(asks)


def _groups(asked: Sequence[_Occlusion]) -> Iterator[list[_Occlusion]]:
    """Yield inputs that are asked together; one that asks much is alone."""
    some: list[_Occlusion] = []
    size = 0
    for each in asked:
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
