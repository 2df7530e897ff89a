"""The arrays of doc2vec, as its kernels take them: to learn them, or to infer new documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from foretext.kernels.doc2vec import Documents, Reading
from foretext.kernels.simd import aligned_zeros, padded
from foretext.kernels.word2vec_arrays import Method, Scratch, Targets, Weights, scratch_for
from foretext.vectors.doc2vec_config import Doc2VecConfig
from foretext.vectors.frequencies import as_chances, keep_rates
from foretext.vectors.output_layer import HierarchicalSoftmax, NegativeSampling, OutputLayer
from foretext.vectors.room import refuse_without_room

__all__ = ["DocumentNetwork", "HeldOutWords"]

HOT_NODES = 128  # of the Huffman tree, of which each of several workers has copies


@dataclass(frozen=True)
class HeldOutWords:
    """Which tokens a training leaves out, to be measured on them."""

    rate: float = 0.0
    seed: int = 0

    @property
    def below(self) -> int:
        """The share of the tokens in 1 / 2**32."""
        return int(self.rate * 2**32)

    @property
    def key(self) -> int:
        """What the number of a token is added to before it is hashed."""
        return int(np.random.SeedSequence((self.seed, 1)).generate_state(1, np.uint32)[0]) << 30


class DocumentNetwork:
    """Inputs and outputs of doc2vec, and how a window is learned.

    The input rows are those of the words, where these have any, and then those of the documents.
    With concatenation an output row is as wide as all that predicts it.

    Args:
        config: the user's settings.
        counts: (V,) of the words; id 0 stands for unknown words.
        num_documents: N.
        workers: threads that learn at once.
    """

    def __init__(
        self, config: Doc2VecConfig, counts: np.ndarray, num_documents: int, workers: int = 1
    ) -> None:
        self.config, self.num_documents = config, num_documents
        self.counts = np.array(counts, np.int64)
        self.counts[0] = 0  # unknown words are neither kept, nor noise, nor in the tree
        self.stride = padded(config.vector_size)
        self.places = 2 * config.window + 1 if config.is_concatenated else 1
        self.first_document = len(self.counts) if config.reads_words else 0
        self.layer = self._output_layer(workers)
        self.own_rows = 1 + 2 * self.layer.targets.num_hot  # of each worker, at the end
        num_outputs = len(self.counts) + workers * self.own_rows
        num_rows = self.first_document + num_documents + num_outputs * self.places
        refuse_without_room(num_rows, self.stride)
        self.inputs = aligned_zeros(self.first_document + num_documents, self.stride)
        self.outputs = aligned_zeros(num_outputs, self.places * self.stride)

    @property
    def documents(self) -> np.ndarray:
        """Vectors of the documents, (N, D), which may be written to."""
        return self.input_rows[self.first_document :]

    @property
    def words(self) -> np.ndarray:
        """Input vectors of the words, (V, D); empty where there are none."""
        return self.input_rows[: self.first_document]

    @property
    def input_rows(self) -> np.ndarray:
        """All inputs, (V + N, D)."""
        return self.inputs.reshape(-1, self.stride)[:, : self.config.vector_size]

    @property
    def output_rows(self) -> np.ndarray:
        """Output vectors, (V, places, D)."""
        rows = self.outputs.reshape(-1, self.places, self.stride)
        return rows[: len(self.counts), :, : self.config.vector_size]

    @cached_property
    def keep(self) -> np.ndarray:
        """The chance of each word to survive sub-sampling, (V,) float64."""
        return keep_rates(self.counts, self.config.sample, self.config.subsampling)

    def documents_of(
        self, ids: np.ndarray, starts: np.ndarray, rows: np.ndarray, held_out: HeldOutWords
    ) -> Documents:
        """Return pieces of documents as kernels read them: (P + 1,) starts, (P,) numbers."""
        return Documents(
            ids,
            starts,
            rows.astype(np.int64) + self.first_document,
            as_chances(self.keep),
            held_out.below,
            held_out.key,
        )

    @cached_property
    def arguments(self) -> tuple[Weights, Targets, Method, Reading]:
        """What the kernels take beside the documents."""
        config = self.config
        alone = not config.reads_words
        return (
            Weights(self.inputs, self.outputs, self.stride),
            self.layer.targets,
            Method(
                window=config.window,
                cbow=alone or config.model == "dm",  # one row alone is the mean of itself
                mean=config.context == "mean",
                exact_gradient=False,
                softmax=False,
                shared_noise=not config.exact,
                outside_context=False,
            ),
            Reading(words=config.reads_words, concatenated=config.is_concatenated),
        )

    def scratch(self) -> Scratch:
        """Allocate the room of one worker."""
        weights, targets, method, _ = self.arguments
        wide = self.places * self.stride
        return scratch_for(weights, targets, method)._replace(
            hidden=aligned_zeros(1, wide), back=aligned_zeros(1, wide)
        )

    def null(self, worker: int) -> int:
        """Return the number of a worker's null row among the outputs."""
        return len(self.counts) + worker * self.own_rows

    def _output_layer(self, workers: int) -> OutputLayer:
        if self.config.loss == "ns":
            return NegativeSampling(self.counts, self.config.negative, self.config.ns_exponent)
        return HierarchicalSoftmax(self.counts, num_hot=HOT_NODES * (workers > 1))
