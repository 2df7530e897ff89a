"""What GloVe learns: two vectors and two biases a word, with AdaGrad's sums of squares.

The layout is that of `foretext.kernels.glove`: a record a word, the biases within the vectors, the
words of a block together.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.glove import Parameters
from foretext.kernels.simd import aligned_zeros, padded
from foretext.vectors.room import refuse_without_room
from foretext.vectors.tiles import HeldOutCells, num_blocks

__all__ = ["GloveWeights"]

NEVER_MOVES = np.float32(1e38)  # the sum of squares under a constant
CHUNK = 4096  # held-out cells scored at a time, to bound memory
NUM_BIASES = 2


class GloveWeights:
    """Vectors uniform in +-1 / 2D, as in the authors' program; biases 0."""

    def __init__(self, vocab_size: int, vector_size: int, seed: int) -> None:
        self.vector_size = vector_size
        stride = padded(vector_size + NUM_BIASES)
        self.blocks = num_blocks(vocab_size, 2 * stride * np.float32().itemsize)
        ids = np.arange(vocab_size)
        sizes = np.bincount(ids % self.blocks, minlength=self.blocks)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        self._places = starts[ids % self.blocks] + ids // self.blocks  # (V,) the record of each id
        refuse_without_room(2 * vocab_size, 2 * stride)
        self.arrays = {
            name: aligned_zeros(vocab_size, 2 * stride) for name in ("words", "contexts")
        }
        self.parameters = Parameters(**self.arrays, stride=stride, block_starts=starts)
        self._start(np.random.default_rng(seed))

    @property
    def words(self) -> np.ndarray:
        """(V, D) v, a copy."""
        return self._records("words")[self._places, 0, : self.vector_size]

    @property
    def contexts(self) -> np.ndarray:
        """(V, D) u, a copy."""
        return self._records("contexts")[self._places, 0, : self.vector_size]

    def assign(self, ids: np.ndarray, words: np.ndarray, contexts: np.ndarray) -> None:
        """Set v and u of some words, (N,) ids and (N, D) twice."""
        places = self._places[ids]
        self._records("words")[places, 0, : self.vector_size] = words
        self._records("contexts")[places, 0, : self.vector_size] = contexts

    def learn_in(self, arrays: dict[str, np.ndarray]) -> None:
        """Learn in these arrays from now on; they are as large as `arrays`, and hold weights."""
        self.arrays = arrays
        words, contexts = arrays["words"], arrays["contexts"]
        self.parameters = self.parameters._replace(words=words, contexts=contexts)

    def loss(self, cells: HeldOutCells) -> float:
        """Mean of h(X) (v . u + b + c - log X)**2."""
        words, contexts = self._records("words")[:, 0], self._records("contexts")[:, 0]
        total = 0.0
        for at in range(0, len(cells.rows), CHUNK):
            rows, columns, logs, weights = (array[at : at + CHUNK] for array in cells)
            scores = np.einsum(
                "nd,nd->n", words[self._places[rows]], contexts[self._places[columns]]
            )
            total += float((weights * (scores - logs) ** 2).sum(dtype=np.float64))
        return total / len(cells.rows)

    def moving(self) -> list[np.ndarray]:
        """Vectors and biases as views, without the sums of squares."""
        return [self._records(name)[:, 0] for name in self.arrays]

    def _records(self, name: str) -> np.ndarray:
        """(V, 2, stride) a view: vectors, then sums of squares."""
        return self.arrays[name].reshape(-1, 2, self.parameters.stride)

    def _start(self, rng: np.random.Generator) -> None:
        size = self.vector_size
        for name, constant in (("words", size + 1), ("contexts", size)):
            records = self._records(name)
            shape = (len(records), size)
            # by id, so that the cut into blocks does not matter
            drawn = (rng.random(shape, np.float32) - np.float32(0.5)) / np.float32(size)
            records[self._places, 0, :size] = drawn
            records[:, 0, constant] = 1.0
            records[:, 1] = 1.0
            records[:, 1, constant] = NEVER_MOVES
