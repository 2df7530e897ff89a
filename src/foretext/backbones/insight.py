"""What a network makes of one row: its states by layer, and which position attends to which.

Of each head the page says how widely it looks (the entropy of its weights), and how much of them
goes to the position itself, to its neighbours and to the first one, which is how heads were first
told apart (Clark et al. 2019, "What Does BERT Look At?", sections 3 and 4). Of each layer it says
how alike its states are to each other and to those below (Ethayarajh 2019).

L layers, H heads, T positions, S positions that are looked at, D numbers of a state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.data.batch import Inputs
from foretext.messages import MessageTable
from foretext.nn.pooling import Pooling
from foretext.shown import Cell, Grid, Grids, Note, Part, Table
from foretext.vectors.insight import NearText, cosines, rounded

__all__ = [
    "MOST_SHOWN",
    "HeadFigures",
    "attention_parts",
    "backbone_parts",
    "gate_parts",
    "head_figures",
    "layer_parts",
    "norm_grid",
    "share_parts",
    "source_parts",
    "token_shares",
]

MOST_SHOWN = 64  # positions of a grid; more could not be read
MOST_NUMBERS = 1 << 18  # of all heads together; of more the mean over the heads of a layer is shown
MOST_LAYERS = 6  # columns of the table of tokens
MOST_HEADS = 24  # that stand in the order of the layers
DIGITS = 4

LAYERS = MessageTable("insight.layers")
ATTENTION = MessageTable("insight.attention")
GATES = MessageTable("insight.gates")
SHARES = MessageTable("insight.shares")

Array = NDArray[np.floating]


def backbone_parts(backbone: Backbone, inputs: Inputs, tokens: Sequence[str]) -> list[Part]:
    """Return what a network makes of one row: its layers, then its attention if it has any.

    Args:
        backbone: that reads the row, and no source.
        inputs: (1, T).
        tokens: T names.
    """
    states = backbone(replace(inputs, needed="all"), keep_layers=True)
    layers = [_array(layer[0]) for layer in [*states.layers[:-1], states.last]]
    parts = [*layer_parts(layers, tokens), *gate_parts(backbone.gates(inputs), tokens)]
    if backbone.has_attention:
        maps = [_array(layer[0]) for layer in backbone.attention_maps(inputs)]
        return [*parts, *attention_parts("self", maps, tokens, tokens)]
    return [*parts, norm_grid(layers, tokens)]


def source_parts(
    backbone: Backbone, inputs: Inputs, tokens: Sequence[str], source: Sequence[str]
) -> list[Part]:
    """Return what an encoder-decoder makes of a source and of the text that follows it.

    Args:
        backbone: that reads a source.
        inputs: (1, T) with a source (1, S).
        tokens: T names of the text.
        source: S names of the source.
    """
    assert inputs.source is not None, "there is no source to be read"
    parts: list[Part] = []
    if backbone.has_cross_attention:
        crossed = [_array(layer[0]) for layer in backbone.cross_attention_maps(inputs)]
        parts += attention_parts("cross", crossed, tokens, source)
    if backbone.has_attention:
        own = [_array(layer[0]) for layer in backbone.attention_maps(inputs)]
        parts += attention_parts("target", own, tokens, tokens)
    return [*parts, *backbone_parts(backbone.for_tasks, inputs.source, source)]


def layer_parts(layers: Sequence[Array], tokens: Sequence[str]) -> list[Part]:
    """Return how the states of a row change from layer to layer.

    Args:
        layers: (T, D) of the embeddings and of each layer; they may differ in width.
        tokens: T names.
    """
    names = layer_names(len(layers))
    columns = ["layer", "norm", "alike", "below"]
    rows = [
        (name, *_layer_figures(layers[max(number - 1, 0)], layer, is_first=number == 0))
        for number, (name, layer) in enumerate(zip(names, layers, strict=True))
    ]
    parts: list[Part] = [Table.of(LAYERS("title"), LAYERS.columns(*columns), rows)]
    last = layers[-1][:MOST_SHOWN]
    if len(last) > 1:
        shown = tokens[: len(last)]
        title = LAYERS("last_grid")
        parts.append(Grid.of(title, shown, shown, rounded(cosines(last, last))))
    return parts


def norm_grid(layers: Sequence[Array], tokens: Sequence[str]) -> Grid:
    """Return the length of each state, a line a layer: what a recurrent network has taken up."""
    norms = np.stack([np.linalg.norm(layer[:MOST_SHOWN], axis=1) for layer in layers])
    names = layer_names(len(layers))
    return Grid.of(LAYERS("norms"), names, tokens[:MOST_SHOWN], rounded(norms))


def gate_parts(
    layers: Sequence[Mapping[tuple[str, str], Tensor]], tokens: Sequence[str]
) -> list[Part]:
    """Return how far gates are open at each position, in the mean of the numbers of a state.

    Args:
        layers: (1, T, D) by side and name, of each layer.
        tokens: T names.
    """
    found = {
        GATES("row", layer=number, side=GATES(side), gate=GATES(gate)): values
        for number, gates in enumerate(layers, 1)
        for (side, gate), values in gates.items()
    }
    if not found:
        return []
    means = np.stack([_array(values[0].mean(-1))[:MOST_SHOWN] for values in found.values()])
    grid = Grid.of(GATES("title"), found, tokens[:MOST_SHOWN], rounded(means))
    return [Note(GATES("note")), grid]


def layer_names(num: int) -> list[str]:
    """Return names of the embeddings and of the layers above them, `num` in all."""
    layers = [LAYERS("layer", number=number) for number in range(1, num)]
    return [LAYERS("embeddings"), *layers]


def attention_parts(
    kind: str, maps: Sequence[Array], rows: Sequence[str], columns: Sequence[str]
) -> list[Part]:
    """Return who attends to whom: figures of the heads, the best of each position, all weights.

    Args:
        kind: "self", of a text to itself; "target", of a decoder's text; "cross", to a source.
        maps: (H, T, S) of each layer; a row sums to 1, or to 0 where a position sees nothing.
        rows: T names.
        columns: S names.
    """
    said = {"layers": len(maps), "heads": len(maps[0])}
    is_whole = all(weights.any(-1).all() for weights in maps)
    parts: list[Part] = [Note(ATTENTION(kind if is_whole else "past", **said))]
    parts.append(_table_of_heads(kind, maps, rows, columns))
    parts.append(_table_of_rows(kind, maps, rows, columns))
    return [*parts, *_grids(kind, maps, rows, columns)]


def share_parts(
    tokens: Sequence[str], states: Array, pooling: Pooling, near: NearText | None
) -> list[Part]:
    """Return how much of a text's vector each token gives; [] where its pooling does not say it.

    Args:
        tokens: T names.
        states: (T, D) that are pooled to one vector.
        pooling: how.
        near: another text, to whose cosine each token adds something; None: there is none.
    """
    own = token_shares(states, pooling)
    if own is None:
        return []
    columns, shares = ["token", "own"], [own]
    if near is not None and (toward := token_shares(states, pooling, near.vector)) is not None:
        columns, shares = [*columns, "near"], [own, toward]
    cells = [[round(float(share), DIGITS) for share in each] for each in shares]
    rows = list(zip(tokens, *cells, strict=True))[:MOST_SHOWN]
    said = [Note(SHARES("sums", own=float(own.sum())))]
    if len(shares) > 1:
        assert near is not None
        said.append(Note(SHARES("near", text=near.text, cosine=float(shares[1].sum()))))
    table = Table.of(SHARES("title", pooling=pooling), SHARES.columns(*columns), rows)
    return [*said, table]


def token_shares(
    states: Array, pooling: Pooling, toward: Array | None = None
) -> NDArray[np.float64] | None:
    """Return what each token adds to the cosine of a text's vector with another one, (T,).

    The sum is the cosine; with the vector itself it is 1. Of a mean each state is a part; of a
    maximum a token gives the numbers that are its own; None of what is no sum over tokens.

    Args:
        states: (T, D).
        pooling: that makes one vector of them.
        toward: (D,) the other vector; None: the same one.
    """
    exact, T = states.astype(np.float64), len(states)
    if pooling == "mean":
        given = exact / T
    elif pooling == "max":
        given = np.where(np.arange(T)[:, None] == exact.argmax(0), exact, 0.0)
    elif pooling in ("cls", "last"):
        given = np.zeros_like(exact)
        given[0 if pooling == "cls" else -1] = exact[0 if pooling == "cls" else -1]
    else:
        return None
    vector = given.sum(0)
    other = vector if toward is None else toward.astype(np.float64)
    scale = float(np.linalg.norm(vector) * np.linalg.norm(other))
    found: NDArray[np.float64] = given @ other / max(scale, 1e-30)
    return found


class HeadFigures(NamedTuple):
    """Where one head looks, in the mean over the positions that look at any."""

    entropy: float  # bits; 0: each position looks at one other
    itself: float  # share of the weights on the position itself
    before: float  # on the one before it
    after: float
    first: float  # on the first position of the row
    row: int  # the largest weight of all: from this position
    column: int  # to that one
    largest: float


def head_figures(weights: Array) -> HeadFigures:
    """Return where a head looks, of its weights (T, S)."""
    exact = weights.astype(np.float64)
    num = max(int(exact.any(1).sum()), 1)  # positions that look at any
    logs = np.log2(exact, out=np.zeros_like(exact), where=exact > 0)
    row, column = np.unravel_index(int(exact.argmax()), exact.shape)
    itself, before, after = (exact.diagonal(offset).sum() / num for offset in (0, -1, 1))
    return HeadFigures(
        float(-(exact * logs).sum() / num),
        float(itself),
        float(before),
        float(after),
        float(exact[:, 0].sum() / num),
        int(row),
        int(column),
        float(exact[row, column]),
    )


def _layer_figures(below: Array, layer: Array, *, is_first: bool) -> tuple[Cell, ...]:
    """Return the mean length of a layer's states, and how alike they are."""
    norm, T = float(np.linalg.norm(layer, axis=1).mean()), len(layer)
    own = cosines(layer, layer)
    alike = None if T < 2 else round(float((own.sum() - np.trace(own)) / (T * (T - 1))), DIGITS)
    same_width = below.shape[1] == layer.shape[1]
    kept = None
    if not is_first and same_width:
        kept = round(float(cosines(below, layer).diagonal().mean()), DIGITS)
    return round(norm, DIGITS), alike, kept


def _table_of_heads(
    kind: str, maps: Sequence[Array], rows: Sequence[str], columns: Sequence[str]
) -> Table:
    """Return a line for each head; how far it looks means nothing between two texts."""
    is_within = kind != "cross"
    names = ["layer", "head", "entropy"]
    names += ["itself", "before", "after", "first"] if is_within else []
    found = []
    for layer, heads in enumerate(maps, 1):
        for head, weights in enumerate(heads, 1):
            own = head_figures(weights)
            near = own[1:5] if is_within else ()
            pair = f"{rows[own.row]} → {columns[own.column]}"
            figures = (round(figure, DIGITS) for figure in (own.entropy, *near))
            found.append((layer, head, *figures, pair, round(own.largest, DIGITS)))
    if len(found) > MOST_HEADS:  # those first that look at least
        found.sort(key=lambda row: row[2])
    names += ["pair", "weight"]
    return Table.of(ATTENTION(f"{kind}_heads"), ATTENTION.columns(*names), found)


def _table_of_rows(
    kind: str, maps: Sequence[Array], rows: Sequence[str], columns: Sequence[str]
) -> Table:
    """Return what each position looks at most, by layer, in the mean of its heads."""
    chosen = np.unique(np.linspace(0, len(maps) - 1, min(len(maps), MOST_LAYERS)).round())
    layers = [int(layer) for layer in chosen]
    means = {layer: maps[layer].astype(np.float64).mean(0) for layer in layers}
    found = []
    for row, name in enumerate(rows[:MOST_SHOWN]):
        cells = []
        for layer in layers:
            best = int(means[layer][row].argmax())
            weight = means[layer][row, best]
            cells.append(f"{columns[best]} {weight:.2f}" if weight else "")
        found.append((name, *cells))
    heads = [ATTENTION("layer_column", number=layer + 1) for layer in layers]
    position = ATTENTION("position")
    return Table.of(ATTENTION(f"{kind}_rows"), [position, *heads], found)


def _grids(
    kind: str, maps: Sequence[Array], rows: Sequence[str], columns: Sequence[str]
) -> list[Part]:
    """Return the mean of the last layer's heads, then each head of each layer, if there is room."""
    T, S = min(len(rows), MOST_SHOWN), min(len(columns), MOST_SHOWN)
    labels = rows[:T], columns[:S]
    parts: list[Part] = []
    if (len(rows), len(columns)) != (T, S):
        parts.append(Note(ATTENTION("cut", shown=MOST_SHOWN, all=max(map(len, (rows, columns))))))
    mean = rounded(maps[-1].astype(np.float64).mean(0)[:T, :S])
    title = ATTENTION(f"{kind}_mean", layer=len(maps))
    parts.append(Grid.of(title, *labels, mean))
    num = sum(len(layer) for layer in maps)
    if num == 1:
        return parts
    if num * T * S <= MOST_NUMBERS:
        names = [
            ATTENTION("head_name", layer=layer, head=head)
            for layer, heads in enumerate(maps, 1)
            for head in range(1, len(heads) + 1)
        ]
        weights = [rounded(head[:T, :S]) for heads in maps for head in heads]
        across = len(maps[0])
    else:
        names = [ATTENTION("layer_column", number=n) for n in range(1, len(maps) + 1)]
        weights = [rounded(layer.astype(np.float64).mean(0)[:T, :S]) for layer in maps]
        across = min(len(maps), MOST_LAYERS)
    return [*parts, Grids.of(ATTENTION(f"{kind}_all"), names, *labels, weights, across)]


def _array(values: torch.Tensor) -> Array:
    found: Array = values.float().cpu().numpy()
    return found
