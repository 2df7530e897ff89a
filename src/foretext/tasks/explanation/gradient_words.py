"""Words of texts weighed by the gradients of a network: tokens, their characters, their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.data.framing import Framing
from foretext.data.padded_examples import PaddedExamples
from foretext.heads.long_texts import LongTexts, cut_pair, cut_text
from foretext.heads.matching import MatchMode
from foretext.heads.task_base import TaskBase
from foretext.tasks.computing import TaskNetwork
from foretext.tasks.explanation import Asked, Place, Texts, Weighed, summed
from foretext.tasks.explanation.gradients import STEPS, Gradients, Path, integrated_gradients
from foretext.tasks.explanation.values import Values
from foretext.tokenizers.special_tokens import SpecialTokens

__all__ = [
    "EXPLAINED_BY",
    "GradientReader",
    "TokenRows",
    "pair_places",
    "text_places",
    "weigh_by_gradients",
]

Row = list[Place | None]  # what each position of a row stands for; None: a special token

EXPLAINED_BY = ("occlusion", "gradient")  # methods of a model whose words gradients can weigh
NUM_PREDICTIONS = STEPS + 3  # the answer, both ends of the way, and the points between them


class TokenRows(NamedTuple):
    """One input as a network reads it, and the characters of its tokens."""

    examples: PaddedExamples
    places: list[Row]  # of each row, without padding


class GradientReader(Protocol):
    """A network that reads texts, whose words gradients can weigh."""

    base: TaskBase
    head: Any  # a `TextHead`
    temperature: float

    def token_rows(self, texts: Texts) -> TokenRows:
        """Return one input as the network reads it."""

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return the values of all labels for each input."""

    def exact_network(self) -> TaskNetwork:
        """Return the network in float32."""


def weigh_by_gradients(model: GradientReader, asked: Asked) -> list[Weighed]:
    """Weigh the words of each input by gradients.

    Raises:
        SettingError: the network reads words by their spelling, or the tokenizer does not know
            which characters its tokens stand for.
    """
    backbone = model.base.backbone
    if backbone.open_vocabulary or backbone.reads_characters:
        raise SettingError(
            "method = 'gradient': this network reads words by their spelling, so that they "
            "have no vectors to follow; use method = 'occlusion'."
        )
    return [
        _weighed(model, texts, places, asked.label)
        for texts, places in zip(asked.inputs, asked.places, strict=True)
    ]


def text_places(base: TaskBase, text: str, max_length: int, long_texts: LongTexts) -> list[Row]:
    """Return what the positions of a text's windows stand for; see `Windows.of`."""
    framing, places = base.framing(max_length), _token_places(base, text, 0)
    windows = cut_text(range(len(places)), framing.room, long_texts)
    return [_framed(framing, [places[token] for token in window]) for window in windows]


def pair_places(base: TaskBase, texts: Texts, max_length: int, mode: MatchMode) -> list[Row]:
    """Return what the positions of a pair's rows stand for; see `PairRows.of`."""
    framing = base.framing(max_length)
    first, second = (_token_places(base, text, field) for field, text in enumerate(texts))
    if mode == "siamese":
        return [_framed(framing, own[: framing.room]) for own in (first, second)]
    kept = cut_pair(range(len(first)), range(len(second)), framing.pair_room)
    a, b = first[: len(kept[0])], second[: len(kept[1])]
    return [_framed(framing, a, b), *([_framed(framing, b, a)] if mode == "both_orders" else [])]


def _token_places(base: TaskBase, text: str, field: int) -> list[Place]:
    """Return the characters of each token of a text."""
    [(_, offsets)] = base.tokenizer.encode_with_offsets([text])
    return [Place(field, start, end) for start, end in offsets.tolist()]


def _framed(framing: Framing, *parts: Sequence[Place]) -> Row:
    """Return what the positions of a row with one text, or with two, stand for."""
    row: Row = [None] * len(framing.prefix)
    for number, part in enumerate(parts):
        row += [*([None] * len(framing.between) if number else []), *part]
    return row


def _weighed(
    model: GradientReader, texts: Texts, places: Sequence[Place], label: str | None
) -> Weighed:
    answer = model.values([texts])
    column = answer.chosen(label)
    rows = model.token_rows(texts)
    found = _gradients(model, rows, column)
    weights = summed(_spread(rows.places, found.tokens, texts), places)
    weighed = Weighed.of(answer, column, found.base, places, weights, NUM_PREDICTIONS)
    return weighed._replace(value=found.value)  # in float32, where answers may be in bfloat16


def _gradients(model: GradientReader, rows: TokenRows, column: int) -> Gradients:
    network = model.exact_network()
    keys = np.arange(len(rows.examples))
    inputs = rows.examples.batch(keys).inputs.to(network.backbone.embedding.device)
    is_token = np.zeros(inputs.ids.shape, bool)
    for own, row in zip(is_token, rows.places, strict=True):
        own[: len(row)] = [place is not None for place in row]
    mask = _hiding(model.base.tokenizer.special)
    marks = torch.from_numpy(is_token).to(inputs.ids.device)
    path = Path.of(network.backbone, inputs, rows.examples.group, marks, mask)
    answers, temperature = model.head.answers, model.temperature
    return integrated_gradients(
        network, path, lambda outputs: answers.explained(outputs, temperature)[:, column]
    )


def _hiding(special: SpecialTokens) -> int | None:
    """Return the id that says least of a text."""
    known = (each for each in (special.mask, special.end, special.unknown) if each is not None)
    return next(known, None)


def _spread(
    rows: Sequence[Row], weights: NDArray[np.float64], texts: Texts
) -> list[NDArray[np.float64]]:
    """Share out the weight of each token among its characters that are no blanks."""
    found = [np.zeros(len(text)) for text in texts]
    for row, own in zip(rows, weights, strict=True):
        for place, weight in zip(row, own, strict=False):
            if place is not None:
                characters = _characters(place, texts[place.field])
                found[place.field][characters] += weight / len(characters)
    return found


def _characters(place: Place, text: str) -> list[int]:
    """Return the characters of a token, at least one: a token of a blank has no others."""
    some = range(place.start, place.end)
    return [each for each in some if not text[each].isspace()] or [min(place.start, len(text) - 1)]
