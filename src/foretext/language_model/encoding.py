"""Texts as vectors: sorted by length, in batches of about as many tokens, pooled over positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from foretext.backbones.base import Backbone, States
from foretext.backbones.inference_batches import inference_batches
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs, Visibility
from foretext.nn.batch_threads import over_batches
from foretext.nn.pooling import POOLS

__all__ = [
    "Layers",
    "Pooling",
    "as_inputs",
    "check_layers",
    "pool_texts",
    "pool_windows",
    "row_batches",
]

Pooling = Literal["mean", "cls", "max"]
Layers = int | tuple[int, ...]
BATCH_TOKENS = {"cpu": 1 << 10, "cuda": 1 << 16}  # states of a batch should stay in a cache


def as_inputs(
    rows: Sequence[Sequence[int]],
    pad: int,
    visibility: Visibility,
    spelling: Tensor | None = None,
    second_starts: NDArray[np.int64] | None = None,
) -> Inputs:
    """Put rows of ids side by side, (B, T); a mask only where their lengths differ.

    With `second_starts`, (B,), each row is a pair: from that position on, the second text.
    """
    width = max(map(len, rows))
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    ids = np.full((len(rows), width), pad, np.int64)
    real = np.arange(width) < lengths[:, None]
    ids[real] = np.fromiter((token for row in rows for token in row), np.int64, lengths.sum())
    token_mask = None if real.all() else torch.from_numpy(real)
    segments = None
    if second_starts is not None:
        is_second = np.arange(width) >= second_starts[:, None]
        segments = torch.from_numpy(is_second.astype(np.int64))
    return Inputs(
        torch.from_numpy(ids), token_mask, visibility, segments=segments, spelling=spelling
    )


def check_layers(layers: Layers, backbone: Backbone) -> tuple[int, ...]:
    """Return the layers as a tuple, negative numbers as they are.

    Raises:
        SettingError: the backbone has no such layer.
    """
    wanted = (layers,) if isinstance(layers, int) else tuple(layers)
    num_layers = backbone.num_layers
    for layer in wanted:
        if not -num_layers - 1 <= layer <= num_layers:
            raise SettingError(
                f"layer = {layer}: there are 0 (the embeddings) to {num_layers}, and -1 is the "
                "last one."
            )
    if not wanted:
        raise SettingError("layer = (): name one layer at least.")
    return wanted


def pool_windows(
    backbone: Backbone,
    rows: Sequence[Sequence[int]],
    *,
    pad: int,
    visibility: Visibility,
    pooling: Pooling,
    layers: tuple[int, ...],
    spelling: NDArray[np.uint8] | None = None,
    second_starts: NDArray[np.int64] | None = None,
    done: Callable[[int], object] = int,
) -> NDArray[np.float32]:
    """Return one vector a row of ids, (N, D); `done` is called with each number of rows.

    Rows are texts or, with `second_starts` (N,), pairs of texts.
    """
    device = backbone.embedding.device
    unseen = None if spelling is None else torch.from_numpy(spelling)
    vectors = np.empty((len(rows), backbone.dim), np.float32)
    batches = row_batches(rows, backbone)

    def pooled(places: list[int]) -> Tensor:
        some = [rows[place] for place in places]
        starts = None if second_starts is None else second_starts[places]
        inputs = as_inputs(some, pad, visibility, unseen, starts).to(device)
        states = _states(backbone, inputs, layers)
        return POOLS[pooling](states, inputs.token_mask).float().cpu()

    for places, found in zip(batches, over_batches(pooled, batches, device), strict=True):
        vectors[places] = found.numpy()  # by PyTorch all of its threads would be woken for it
        done(len(places))
    return vectors


def pool_texts(
    vectors: NDArray[np.float32],
    owners: NDArray[np.int64],
    weights: NDArray[np.int64],
    num_texts: int,
    pooling: Pooling,
) -> NDArray[np.float32]:
    """Return one vector a text, (N, D), of those of its windows, (W, D): zeros without a window.

    Args:
        vectors: of the windows.
        owners: text of each window, (W,), in order.
        weights: tokens of each window, (W,).
        num_texts: N.
        pooling: "max" takes the largest, the others the mean by tokens.
    """
    pooled = np.zeros((num_texts, vectors.shape[1]), np.float32)
    texts, first = np.unique(owners, return_index=True)
    if pooling == "max":
        pooled[texts] = np.maximum.reduceat(vectors, first, axis=0)
    else:
        sums = np.add.reduceat(vectors * weights[:, None].astype(np.float32), first, axis=0)
        pooled[texts] = sums / np.add.reduceat(weights, first)[:, None]
    return pooled


def row_batches(rows: Sequence[Sequence[int]], backbone: Backbone) -> list[list[int]]:
    """Cut the rows, the longest first, into batches that suit a network; return their indices."""
    return inference_batches(backbone, [len(row) for row in rows], BATCH_TOKENS)


def _states(backbone: Backbone, inputs: Inputs, layers: tuple[int, ...]) -> Tensor:
    """Mean of the layers' states, (B, T, D)."""
    last = (-1, backbone.num_layers)
    states: States = backbone(inputs, keep_layers=any(layer not in last for layer in layers))
    chosen = [states.last if layer in last else states.layers[layer] for layer in layers]
    return chosen[0] if len(chosen) == 1 else torch.stack(chosen).mean(0, dtype=torch.float32)
