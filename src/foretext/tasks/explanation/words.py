"""The words of an input, which are left out or weighed: their characters in its texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.corpus.chinese_words import mark_words
from foretext.corpus.text_tokens import split_text

__all__ = [
    "Place",
    "Splitter",
    "Texts",
    "Values",
    "WeighRequest",
    "Weighed",
    "contrasted",
    "log_odds",
    "places_of",
    "split_chinese",
    "split_words",
    "summed",
    "without",
]

Texts = tuple[str, ...]  # one input
Splitter = Callable[[str], Sequence[tuple[int, int]]]  # where the words of a text start and end

_JOINER = "\u200d"  # makes one emoji of two
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"

Array = NDArray[np.float64]

_TINY = 1e-300  # a probability
_HALF_STEP = 1e-16  # from a probability to 1


class Place(NamedTuple):
    """The characters from `start` up to `end` of one of the texts of an input."""

    field: int  # which text
    start: int
    end: int


def split_words(text: str) -> list[tuple[int, int]]:
    """Return where words and punctuation stand; each character where a script has no blanks.

    What belongs to the character before it, such as an accent, is not a word of its own.
    """
    words: list[tuple[int, int]] = []
    for _, start, end in split_text(text):
        if words and words[-1][1] == start and _is_one_emoji(text[start - 1], text[start]):
            words[-1] = words[-1][0], end
        else:
            words.append((start, end))
    return words


def split_chinese(text: str) -> list[tuple[int, int]]:
    """Return where the words stand that jieba finds, and punctuation.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    spans = (match.span() for match in re.finditer("10*", mark_words(text)))
    return [(start, end) for start, end in spans if not text[start:end].isspace()]


def _is_one_emoji(last: str, first: str) -> bool:
    return last == _JOINER or first in _SKIN_TONES


def places_of(texts: Texts, split: Splitter = split_words) -> list[Place]:
    """Return the words of all texts of an input, in order."""
    return [Place(field, *span) for field, text in enumerate(texts) for span in split(text)]


def without(texts: Texts, place: Place) -> Texts:
    """Return the input without some characters, and without one of the blanks around them."""
    text = texts[place.field]
    before, after = text[: place.start], text[place.end :]
    if after[:1].isspace() and (not before or before[-1].isspace()):
        after = after[1:]
    elif not after and before[-1:].isspace():
        before = before[:-1]
    return (*texts[: place.field], before + after, *texts[place.field + 1 :])


def summed(weights: Sequence[NDArray[np.float64]], places: Sequence[Place]) -> NDArray[np.float64]:
    """Return the weight of each word, (W,), from the weights of the characters of each text.

    Characters between two words count for the word before them, those in front for the first one,
    so that nothing is lost where there is a word at all.
    """
    found = np.zeros(len(places))
    for number, start, end in _territories(places, [len(each) for each in weights]):
        found[number] = weights[places[number].field][start:end].sum()
    return found


def _territories(places: Sequence[Place], lengths: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each word's number with the characters from its start up to the next word."""
    for number, place in enumerate(places):
        is_first = number == 0 or places[number - 1].field != place.field
        is_last = number + 1 == len(places) or places[number + 1].field != place.field
        end = lengths[place.field] if is_last else places[number + 1].start
        yield number, 0 if is_first else place.start, end


class Values(NamedTuple):
    """What a model says of N inputs, in a form that words add to.

    The value of one of C labels is the log of its probability less the mean of those of the other
    labels, so of two labels the log of the odds. Where a text may have several labels, it is the
    log of the odds of each. Where answers are scores it is the score.
    """

    labels: tuple[str, ...]  # C; none of scores
    values: Array  # (N, C), (N, 1) of scores
    probabilities: Array | None  # (N, C); None of scores

    def chosen(self, label: str | None) -> int:
        """Return the column of a label; None: that of the most probable one of the first input.

        Raises:
            SettingError: there is no such label.
        """
        if label is None:
            return 0 if self.probabilities is None else int(self.probabilities[0].argmax())
        if label in self.labels:
            return self.labels.index(label)
        if not self.labels:
            raise SettingError(f"label = '{label}': this model gives scores; leave it out.")
        known = ", ".join(f"'{each}'" for each in self.labels[:20])
        raise SettingError(f"label = '{label}': the labels of this model are {known}.")

    def part(self, start: int, stop: int) -> Values:
        """Return the values of some of the inputs."""
        some = slice(start, stop)
        shares = None if self.probabilities is None else self.probabilities[some]
        return Values(self.labels, self.values[some], shares)


def contrasted(logits: Array, *, are_sets: bool) -> Array:
    """Return the values (N, C) of labels whose softmax, or sigmoid of sets, is the probability."""
    num_labels = logits.shape[1]
    if are_sets or num_labels < 2:
        return logits
    found: Array = (logits - logits.mean(1, keepdims=True)) * (num_labels / (num_labels - 1))
    return found


def log_odds(probabilities: Array, *, are_sets: bool) -> Array:
    """Return the values (N, C) of labels with these probabilities."""
    if are_sets:
        inside = np.clip(probabilities, _TINY, 1 - _HALF_STEP)
        odds: Array = np.log(inside) - np.log1p(-inside)
        return odds
    return contrasted(np.log(np.maximum(probabilities, _TINY)), are_sets=False)


class WeighRequest(NamedTuple):
    """What is to be explained: the answers to N inputs."""

    inputs: Sequence[Texts]
    places: Sequence[Sequence[Place]]  # the words of each input
    label: str | None  # None: of each input the most probable one


class Weighed(NamedTuple):
    """The words of one input and what each adds to the value of a label; see `Explanation`."""

    label: str | None
    probability: float | None
    value: float
    base: float  # the value without any word
    places: Sequence[Place]
    weights: NDArray[np.float64]  # one a place
    num_predictions: int

    @classmethod
    def of(
        cls,
        answer: Values,
        column: int,
        base: float,
        places: Sequence[Place],
        weights: NDArray[np.float64],
        num_predictions: int = 1,
    ) -> Self:
        """Put weights beside the answer to one input; `column` is the place of the label."""
        label, probability = None, None
        if answer.probabilities is not None:
            label, probability = answer.labels[column], float(answer.probabilities[0, column])
        value = float(answer.values[0, column])
        return cls(label, probability, value, float(base), places, weights, num_predictions)
