"""The arrays that kernels of fastText's classifier read and write, and numbers of its losses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES, aligned_zeros

__all__ = [
    "HIERARCHICAL",
    "NEGATIVE_SAMPLING",
    "ONE_VS_ALL",
    "SOFTMAX",
    "Documents",
    "Model",
    "Scratch",
    "scratch_for",
]

HIERARCHICAL, NEGATIVE_SAMPLING, SOFTMAX, ONE_VS_ALL = 1, 2, 3, 4  # as in the authors' files


class Documents(NamedTuple):
    """What is learned from; document i has its entries from ``starts[i]`` on."""

    starts: np.ndarray  # (N + 1,) int64
    rows: np.ndarray  # (E,) int32
    reads: np.ndarray  # (E,) float32, how many units of the document the row stands for
    writes: np.ndarray  # (E,) float32, how often each of them occurs there
    num_units: np.ndarray  # (N,) float32, the sum of its reads
    label_starts: np.ndarray  # (N + 1,) int64
    labels: np.ndarray  # int32
    token_starts: np.ndarray  # (N + 1,) int64, words before each document; the rate falls over them


class Model(NamedTuple):
    """What is learned, and how."""

    inputs: np.ndarray  # (R * D,) float32
    outputs: np.ndarray  # ((O + workers) * D,) float32, a null row for each worker at the end
    stride: int  # D
    loss: int
    num_labels: int  # L
    negatives: int  # K
    noise: np.ndarray  # (L, 2) uint32, alias table
    path_starts: np.ndarray  # (L + 1,) int64
    path_nodes: np.ndarray  # int32, root first
    path_codes: np.ndarray  # uint8, the target of each node


class Scratch(NamedTuple):
    """Room for the intermediate results of one worker."""

    hidden: np.ndarray  # (D,)
    moved: np.ndarray  # (D,), the hidden vector's gradient
    rows: np.ndarray  # (P,) int64, outputs; P is a multiple of GROUP
    targets: np.ndarray  # (P + LANES,) float32
    scores: np.ndarray  # (P + LANES,) float32, then what each output is to be moved by


def scratch_for(model: Model) -> Scratch:
    """Allocate one worker's room; kernels that allocate count references."""
    longest = int(np.diff(model.path_starts).max(initial=0))
    most = max(model.num_labels, model.negatives + 1, longest)
    padded = -(-most // GROUP) * GROUP
    return Scratch(
        hidden=aligned_zeros(1, model.stride),
        moved=aligned_zeros(1, model.stride),
        rows=np.zeros(padded, np.int64),
        targets=np.zeros(padded + LANES, np.float32),
        scores=np.zeros(padded + LANES, np.float32),
    )
