"""How much each token adds on the way from hidden tokens to the real ones: integrated gradients.

Sundararajan et al. 2017, section 3. The vectors of tokens go in a straight line from that of the
mask, or of another token that says little, to their own; what the gradients along it add up to is
the change of the value. The integral is Gauss-Legendre quadrature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import functional_call

from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.data.framing import Framing
from foretext.data.padded_examples import PaddedExamples
from foretext.heads.base import TaskBase
from foretext.heads.long_texts import LongTexts, cut_pair, cut_text
from foretext.heads.matching import MatchMode
from foretext.tasks.explanation import Place, Texts, Weighed, WeighRequest, summed
from foretext.tasks.explanation.words import Values
from foretext.tasks.model import BATCH_TOKENS, TaskNetwork
from foretext.tokenizers.special_tokens import SpecialTokens

__all__ = [
    "EXPLAINED_BY",
    "GradientReader",
    "TokenRows",
    "pair_places",
    "text_places",
    "weigh_by_gradients",
]

STEPS = 16  # points of the quadrature

Row = list[Place | None]  # what each position of a row stands for; None: a special token

EXPLAINED_BY = ("occlusion", "gradient")  # methods of a model whose words gradients can weigh
NUM_PREDICTIONS = STEPS + 3  # the answer, both ends of the way, and the points between them


class _Gradients(NamedTuple):
    """What the tokens of one input add to the value of a label."""

    value: float
    base: float  # the value where all tokens are hidden
    tokens: NDArray[np.float64]  # (R, T)


class _Path(NamedTuple):
    """One input with the vectors of its tokens, hidden and real."""

    inputs: Inputs  # R rows
    group: int  # rows of an example: of a window of a text, or of a pair
    hidden: Tensor  # (R, T, E)
    real: Tensor  # (R, T, E)

    @classmethod
    def of(
        cls, backbone: Backbone, inputs: Inputs, group: int, is_token: Tensor, mask: int | None
    ) -> _Path:
        """Hide the tokens of some rows.

        Args:
            backbone: whose vectors they are.
            inputs: R rows, all of one input.
            group: rows of an example.
            is_token: (R, T) bool, False for padding and special tokens, which stay.
            mask: the id that hides a token; None: the mean vector does. Zeros would not do: a
                norm makes the way from them a jump at its start.
        """
        vectors = backbone.embedding.detach()
        real = vectors[inputs.ids]
        hides = vectors.mean(0) if mask is None else vectors[mask]
        return cls(inputs, group, torch.where(is_token[..., None], hides, real), real)

    def batches(self, rates: Tensor) -> list[_Batch]:
        """Return all examples at each rate of the way, the first rate's first."""
        R, T = self.inputs.ids.shape
        rows = torch.arange(R, device=rates.device).repeat(len(rates))
        size = max(1, BATCH_TOKENS["cpu"] // (T * self.group)) * self.group
        steps = torch.split(rates.repeat_interleave(R), size)
        return [_Batch(self, *part) for part in zip(steps, torch.split(rows, size), strict=True)]


class _Batch(NamedTuple):
    path: _Path
    rates: Tensor  # (B,) how far on the way each row is
    rows: Tensor  # (B,)

    def vectors(self) -> Tensor:
        """Return the vectors of the tokens, (B, T, E)."""
        hidden, real = self.path.hidden[self.rows], self.path.real[self.rows]
        return torch.lerp(hidden, real, self.rates[:, None, None].to(real))

    def outputs(self, network: TaskNetwork, vectors: Tensor) -> Tensor:
        """Return the outputs of the task where tokens have these vectors."""
        inputs, backbone = self.path.inputs, network.backbone
        mask, segments = inputs.token_mask, inputs.segments
        numbered = replace(
            inputs,
            ids=torch.arange(vectors[..., 0].numel(), device=vectors.device).view(
                vectors.shape[:2]
            ),
            token_mask=None if mask is None else mask[self.rows],
            segments=None if segments is None else segments[self.rows],
            **inputs.words_of(self.rows),
        )
        [name] = (name for name, each in backbone.named_parameters() if each is backbone.embedding)
        options = {"keep_layers": network.head.needs_layers}
        states = functional_call(backbone, {name: vectors.flatten(0, 1)}, (numbered,), options)
        return network.head.outputs(states, numbered)


def _integrated_gradients(
    network: TaskNetwork, path: _Path, values_of: Callable[[Tensor], Tensor]
) -> _Gradients:
    """Return what each token adds to a value.

    Args:
        network: in float32.
        path: of one input.
        values_of: makes values (N,) of the outputs (N, examples, C) at N points of the path.
    """
    points, shares = np.polynomial.legendre.leggauss(STEPS)
    device = path.real.device
    rates = torch.tensor([0.0, 1.0, *((points + 1) / 2)], device=device)
    weights = torch.tensor([0.0, 0.0, *(shares / 2)], device=device)
    batches = path.batches(rates)
    with torch.no_grad():
        found = torch.cat([batch.outputs(network, batch.vectors()) for batch in batches])
    outputs = found.view(len(rates), -1, found.shape[-1]).requires_grad_()  # (steps, examples, C)
    values = values_of(outputs)  # (steps,)
    (upstream,) = torch.autograd.grad((values * weights).sum(), outputs)
    tokens = torch.zeros(path.inputs.ids.shape, device=device)
    sizes = [len(batch.rows) // path.group for batch in batches]
    for batch, slope in zip(batches, torch.split(upstream.flatten(0, 1), sizes), strict=True):
        vectors = batch.vectors().requires_grad_()
        (slopes,) = torch.autograd.grad(batch.outputs(network, vectors), vectors, slope)
        way = (path.real - path.hidden)[batch.rows]
        tokens.index_add_(0, batch.rows, (slopes * way).sum(-1))
    base, value = values[:2].tolist()
    return _Gradients(value, base, tokens.double().cpu().numpy())


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


def weigh_by_gradients(model: GradientReader, request: WeighRequest) -> list[Weighed]:
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
        _weighed(model, texts, places, request.label)
        for texts, places in zip(request.inputs, request.places, strict=True)
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


def _gradients(model: GradientReader, rows: TokenRows, column: int) -> _Gradients:
    network = model.exact_network()
    keys = np.arange(len(rows.examples))
    inputs = rows.examples.batch(keys).inputs.to(network.backbone.embedding.device)
    is_token = np.zeros(inputs.ids.shape, bool)
    for own, row in zip(is_token, rows.places, strict=True):
        own[: len(row)] = [place is not None for place in row]
    mask = _hiding(model.base.tokenizer.special)
    marks = torch.from_numpy(is_token).to(inputs.ids.device)
    path = _Path.of(network.backbone, inputs, rows.examples.group, marks, mask)
    answers, temperature = model.head.answers, model.temperature
    return _integrated_gradients(
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
