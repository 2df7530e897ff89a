"""Texts of any length as vectors: long ones are cut into windows, whose vectors are averaged.

What a network makes of each token of many texts: the mean of a token's states over its contexts.
Bommasani, Davis and Cardie 2020, "Interpreting Pretrained Contextualized Representations via
Reductions to Static Embeddings", section 3: the mean over contexts tells more of a word than the
word alone does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from foretext.backbones.base import Backbone, States, inference_batches
from foretext.base.errors import CorpusError, SettingError
from foretext.corpus.blocks import Advance
from foretext.data.batch import Inputs, Visibility
from foretext.data.framing import Framing
from foretext.nn.batch_threads import over_batches
from foretext.nn.pooling import POOLS, pool_texts
from foretext.tokenizers.base import Tokenizer

__all__ = [
    "Layers",
    "Pooling",
    "ReadTokens",
    "TextEmbedder",
    "check_layers",
    "framed_pair",
    "is_last",
    "mean_states",
    "paired",
    "read_tokens",
]

TEXTS_AT_ONCE = 1 << 14  # sorted by length together

Pooling = Literal["mean", "cls", "max"]
Layers = int | tuple[int, ...]
BATCH_TOKENS = {"cpu": 1 << 10, "cuda": 1 << 16}  # states of a batch should stay in a cache


class TextEmbedder:
    """Turns texts into vectors with the states of a backbone.

    Args:
        tokenizer: of the backbone.
        visibility: that the backbone is read with.
        length: positions of a window, with the tokens around a text.

    Raises:
        SettingError: there is no room for a text beside the tokens around it.
    """

    def __init__(self, tokenizer: Tokenizer, visibility: Visibility, length: int) -> None:
        self.tokenizer = tokenizer
        self.visibility = visibility
        self.window = Framing.of(tokenizer, visibility, length)
        if self.window.room < 1:
            raise SettingError(
                f"text_length = {length}: the tokens around a text take all of it; give more."
            )

    def embed(
        self,
        backbone: Backbone,
        texts: Sequence[str],
        pooling: Pooling,
        layers: tuple[int, ...],
        overlap: int | None,
        progress: Advance | None = None,
    ) -> NDArray[np.float32]:
        """Return one vector a text, (N, D); `LanguageModel.embed` describes the arguments."""
        self._check_pooling(pooling)
        overlap = self.window.check_overlap(overlap)
        vectors = np.zeros((len(texts), backbone.dim), np.float32)
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            part = slice(start, start + TEXTS_AT_ONCE)
            reader = self.tokenizer.opened() if backbone.open_vocabulary else self.tokenizer
            vectors[part] = self._embed_ids(
                backbone,
                reader.encode_batch(texts[part]),
                reader.spelling,
                pooling,
                layers,
                overlap,
                progress,
            )
        return vectors

    def embed_pairs(
        self,
        backbone: Backbone,
        pairs: Sequence[tuple[str, str]],
        pooling: Pooling,
        layers: tuple[int, ...],
        progress: Advance | None = None,
    ) -> NDArray[np.float32]:
        """Return one vector a pair, (N, D), both texts in one row as in pretraining on pairs.

        Raises:
            CorpusError: a pair is longer than the model.
        """
        self._check_pooling(pooling)
        if not pairs:
            return np.zeros((0, backbone.dim), np.float32)
        reader = self.tokenizer.opened() if backbone.open_vocabulary else self.tokenizer
        firsts = reader.encode_batch([first for first, _ in pairs])
        seconds = reader.encode_batch([second for _, second in pairs])
        rows = [
            framed_pair(self.window, first, second)
            for first, second in zip(firsts, seconds, strict=True)
        ]
        starts = np.array([self.window.second_starts(first) for first in firsts], np.int64)
        return _pool_windows(
            backbone,
            rows,
            pad=self.tokenizer.pad,
            visibility=self.visibility,
            pooling=pooling,
            layers=layers,
            spelling=reader.spelling,
            second_starts=starts if backbone.num_segments > 1 else None,
            done=_texts_done(progress, 1.0),
        )

    def _check_pooling(self, pooling: Pooling) -> None:
        if pooling not in ("mean", "cls", "max"):
            raise SettingError(f"pooling = {pooling!r}: there are 'mean', 'cls' and 'max'.")
        if pooling == "cls" and self.visibility == "causal":
            raise SettingError(
                "pooling = 'cls': the first position of a causal model sees nothing but itself; "
                "use 'mean' or 'max'."
            )

    def _embed_ids(
        self,
        backbone: Backbone,
        encoded: list[list[int]],
        spelling: NDArray[np.uint8] | None,
        pooling: Pooling,
        layers: tuple[int, ...],
        overlap: int,
        progress: Advance | None,
    ) -> NDArray[np.float32]:
        windows = [self.window.windows(ids, overlap) for ids in encoded]
        rows = [row for text in windows for row in text]
        if not rows:
            return np.zeros((len(encoded), backbone.dim), np.float32)
        vectors = _pool_windows(
            backbone,
            rows,
            pad=self.tokenizer.pad,
            visibility=self.visibility,
            pooling=pooling,
            layers=layers,
            spelling=spelling,
            done=_texts_done(progress, len(encoded) / len(rows)),
        )
        owners = np.repeat(np.arange(len(windows)), list(map(len, windows)))
        weights = np.fromiter(map(len, rows), np.int64, len(rows))
        return pool_texts(vectors, owners, weights, len(encoded), pooling)


def paired(
    firsts: Sequence[str], seconds: Sequence[str], overlap: int | None
) -> list[tuple[str, str]]:
    """Return the pairs of two lists of texts.

    Raises:
        SettingError: one list is longer, or an overlap is given, although pairs have no windows.
    """
    if overlap is not None:
        raise SettingError("overlap has no effect on pairs, which are not cut; leave it out.")
    if len(firsts) != len(seconds):
        raise SettingError(
            f"There are {len(firsts):,} texts and {len(seconds):,} seconds; give as many of both."
        )
    return list(zip(firsts, seconds, strict=True))


def framed_pair(framing: Framing, first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return the row of a pair.

    Raises:
        CorpusError: it is longer than the model.
    """
    if len(first) + len(second) > framing.pair_room:
        raise CorpusError(
            f"A pair of texts has {len(first) + len(second):,} tokens, and the model sees "
            f"{framing.pair_room:,} of both at once; give shorter texts."
        )
    return framing.around_pair(first, second)


def _texts_done(progress: Advance | None, texts_a_window: float) -> Callable[[int], object]:
    """Return what is called with each number of windows that are done."""
    if progress is None:
        return int
    return lambda num_windows: progress.advance(num_windows * texts_a_window)


def _as_inputs(
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


def is_last(backbone: Backbone, layers: tuple[int, ...]) -> bool:
    """Whether layers are the last one alone, whose states are kept anyway."""
    return set(layers) <= {-1, backbone.num_layers}


def mean_states(states: States, layers: tuple[int, ...], num_layers: int) -> Tensor:
    """Return the mean of some layers' states, (B, T, D).

    Args:
        states: of the backbone.
        layers: that are averaged.
        num_layers: of the backbone.
    """
    last = (-1, num_layers)
    chosen = [states.last if layer in last else states.layers[layer] for layer in layers]
    return chosen[0] if len(chosen) == 1 else torch.stack(chosen).mean(0, dtype=torch.float32)


def _pool_windows(
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
    batches = _row_batches(rows, backbone)

    def pooled(places: list[int]) -> Tensor:
        some = [rows[place] for place in places]
        starts = None if second_starts is None else second_starts[places]
        inputs = _as_inputs(some, pad, visibility, unseen, starts).to(device)
        states = _states(backbone, inputs, layers)
        return POOLS[pooling](states, inputs.token_mask).float().cpu()

    for places, found in zip(batches, over_batches(pooled, batches, device), strict=True):
        vectors[places] = found.numpy()  # by PyTorch all of its threads would be woken for it
        done(len(places))
    return vectors


def _row_batches(rows: Sequence[Sequence[int]], backbone: Backbone) -> list[list[int]]:
    """Cut the rows, the longest first, into batches that suit a network; return their indices."""
    return inference_batches(backbone, [len(row) for row in rows], BATCH_TOKENS)


def _states(backbone: Backbone, inputs: Inputs, layers: tuple[int, ...]) -> Tensor:
    """Mean of the layers' states, (B, T, D)."""
    needs_layers = not is_last(backbone, layers)
    return mean_states(backbone(inputs, keep_layers=needs_layers), layers, backbone.num_layers)


class ReadTokens(NamedTuple):
    """What was read; V tokens, W rows of text."""

    sums: NDArray[np.float32]  # (V, D), of the states of each token
    counts: NDArray[np.int64]  # (V,), how often it occurred
    texts: NDArray[np.float32]  # (W, D), the pooled states of each row

    @property
    def means(self) -> NDArray[np.float32]:
        """The mean state of each token (V, D); zeros for one that did not occur."""
        counts = np.maximum(self.counts, 1).astype(np.float32)
        means: NDArray[np.float32] = self.sums / counts[:, None]
        return means


def read_tokens(
    backbone: Backbone,
    rows: Sequence[Sequence[int]],
    framing: Framing,
    *,
    vocab_size: int,
    pad: int,
    visibility: Visibility,
    pooling: Pooling,
    done: Callable[[int], object] = int,
) -> ReadTokens:
    """Read rows of ids, each between the special tokens of `framing`, which are not counted.

    `done` is called with each number of rows. A row has a token at least.
    """
    device = backbone.embedding.device
    sums = torch.zeros(vocab_size, backbone.dim, device=device)
    counts = torch.zeros(vocab_size, dtype=torch.int64, device=device)
    texts = np.empty((len(rows), backbone.dim), np.float32)
    framed = [framing.around(row) for row in rows]
    for places in _row_batches(framed, backbone):
        some = [framed[place] for place in places]
        inputs = _as_inputs(some, pad, visibility).to(device)
        states = backbone(inputs).last.float()  # (B, T, D)
        texts[places] = POOLS[pooling](states, inputs.token_mask).cpu().numpy()
        is_text = _text_positions(some, framing).to(device)  # (B, T)
        ids = inputs.ids[is_text]
        sums.index_add_(0, ids, states[is_text])
        counts.index_add_(0, ids, torch.ones_like(ids))
        done(len(places))
    return ReadTokens(sums.cpu().numpy(), counts.cpu().numpy(), texts)


def _text_positions(rows: Sequence[Sequence[int]], framing: Framing) -> Tensor:
    """(B, T) bool, the positions that are neither padding nor the frame's."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    places = np.arange(lengths.max())
    ends = (lengths - len(framing.suffix))[:, None]
    return torch.from_numpy((places >= len(framing.prefix)) & (places < ends))
