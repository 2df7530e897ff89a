"""The arrays that kernels of fastText read and write.

V words, R rows of sub-words, D floats a row (`stride`, whole registers). Each predicted word has a
block of outputs, in groups of six; a short group is filled with a null row under label 1/2, whose
gradient is nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES, aligned_zeros
from foretext.kernels.windows import MAX_SENTENCE

__all__ = ["Model", "Scratch", "Subwords", "Text", "scratch_for"]


class Text(NamedTuple):
    """What is read, in any order of its sentences."""

    ids: np.ndarray  # (N,) uint16 or uint32
    places: np.ndarray  # (S,) int64, where each sentence begins in ids
    sentence_starts: np.ndarray  # (S + 1,) int64, the words learned before each sentence
    keep: np.ndarray  # (V,) uint32, the chance to survive sub-sampling, in 1 / 2**32


class Subwords(NamedTuple):
    """The rows of each word."""

    starts: np.ndarray  # (V + 1,) int64
    rows: np.ndarray  # (E,) int32
    weights: np.ndarray  # (E,) float32, how often a row is in the sum
    num_units: np.ndarray  # (V,) float32, the sum of a word's weights
    pulls: np.ndarray  # (V,) float32, by how much that sum moves when 1 is given to each entry


class Model(NamedTuple):
    """What is learned, and how."""

    inputs: np.ndarray  # (R * D,) float32
    outputs: np.ndarray  # ((V + workers) * D,) float32, a null row for each worker at the end
    stride: int  # D
    subwords: Subwords
    negatives: int  # K; 0 for the Huffman tree
    noise: np.ndarray  # (V, 2) uint32, alias table
    path_starts: np.ndarray  # (V + 1,) int64
    path_nodes: np.ndarray  # int32, root first
    path_codes: np.ndarray  # uint8
    groups: int  # groups of six in a block, at most
    window: int
    cbow: bool  # else skip-gram


class Scratch(NamedTuple):
    """Room for the intermediate results of one worker.

    Blocks have room for two windows: while one is learned, the rows of the next are on their way.
    """

    words: np.ndarray  # (MAX_SENTENCE,) int64, what sub-sampling left of a sentence
    spans: np.ndarray  # (MAX_SENTENCE,) int64, their windows
    contexts: np.ndarray  # (2 * window + 2,) int64
    rows: np.ndarray  # (2 * G * 6,) int64, outputs, G groups in the blocks of a window
    labels: np.ndarray  # (2 * G * 16,) float32
    ends: np.ndarray  # (2 * blocks,) int64, the group at which each block ends
    gradients: np.ndarray  # (2 * G * 6 + 16,) float32, of the scores
    hidden: np.ndarray  # (D,)
    moved: np.ndarray  # (D,), the hidden vector's gradient, added up
    sums: np.ndarray  # (S * D,), CBOW: the sum of each word within reach, S = 2 * window + 1
    owed: np.ndarray  # (S * D,), CBOW: what their rows are still to be given


def scratch_for(model: Model) -> Scratch:
    """Allocate one worker's room; kernels that allocate count references."""
    blocks = 1 if model.cbow else 2 * model.window
    num_groups = 2 * blocks * model.groups
    reach = 2 * model.window + 1
    return Scratch(
        words=np.empty(MAX_SENTENCE, np.int64),
        spans=np.empty(MAX_SENTENCE, np.int64),
        contexts=np.zeros(2 * model.window + 2, np.int64),
        rows=np.zeros(num_groups * GROUP, np.int64),
        labels=np.zeros(num_groups * LANES, np.float32),
        ends=np.zeros(2 * blocks, np.int64),
        gradients=np.zeros(num_groups * GROUP + LANES, np.float32),
        hidden=aligned_zeros(1, model.stride),
        moved=aligned_zeros(1, model.stride),
        sums=aligned_zeros(reach, model.stride),
        owed=aligned_zeros(reach, model.stride),
    )
