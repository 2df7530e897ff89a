"""fastText's classifier in training: rows, outputs, and the texts that they learn from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.base.runtime import refuse_without_memory
from foretext.kernels.fasttext_classifier import Model, fill_rows, scratch_for, train_documents
from foretext.kernels.simd import aligned_zeros, padded
from foretext.tasks.fasttext.config import LOSSES
from foretext.tasks.fasttext.dictionary import Dictionary, Units, WordIds
from foretext.tasks.fasttext.features import TrainingFeatures
from foretext.tasks.fasttext.labels import NumberedLabels
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.output_layer import OutputLayer
from foretext.tasks.fasttext.rows import DenseRows
from foretext.vectors.schedule import Learned, Slices
from foretext.vectors.word_vectors import WordVectors

__all__ = ["ClassifierLearner", "LabelledTokens"]

MOST_HELD_OUT = 2_000  # texts; more make the loss no steadier


class LabelledTokens(NamedTuple):
    """Encoded texts and their labels."""

    tokens: WordIds
    labels: NumberedLabels


class ClassifierLearner:
    """A `SliceLearner` for `foretext.vectors.hogwild`.

    Args:
        dictionary: words, labels and settings.
        train: texts to learn from.
        valid: held-out texts, or None.
        pretrained: vectors that words begin with.
        base: a model to go on from, of the same words, labels and buckets.

    Raises:
        SettingError: `pretrained` has vectors of another size.
    """

    def __init__(
        self,
        dictionary: Dictionary,
        train: LabelledTokens,
        *,
        valid: LabelledTokens | None = None,
        pretrained: WordVectors | None = None,
        base: FastTextModel | None = None,
    ) -> None:
        self.dictionary = dictionary
        self.config = dictionary.config
        self.alpha = self.config.lr
        self.stride = padded(self.config.dim)
        self.layer = OutputLayer(self.config.loss, dictionary.label_counts)
        known, vectors = _known_words(dictionary, pretrained)
        self.features = TrainingFeatures.build(dictionary, *train, apart=known, base=base)
        self.slices = Slices.of_starts(self.features.documents.token_starts)
        num_rows = len(self.features.members) + self.layer.num_outputs + self.config.workers
        refuse_without_memory(
            4 * num_rows * self.stride,
            f"A classifier of {num_rows:,} words, n-grams and labels",
            "lower classifier.bucket or classifier.dim, or raise classifier.min_count",
        )
        self.inputs = aligned_zeros(len(self.features.members), self.stride)
        self.outputs = aligned_zeros(
            self.layer.num_outputs + self.config.workers, self.stride
        )  # a null row for each worker
        if base is None:
            self._draw_rows()
            self.rows[self.features.unit_rows[known]] = vectors
        else:
            self._go_on_from(base)
        self._base = base
        self._model = self._kernel_model()
        self._scratch = [scratch_for(self._model) for _ in range(self.config.workers)]
        self._held_out = None if valid is None else self._features_of(valid)

    @property
    def rows(self) -> NDArray[np.float32]:
        """Input rows without padding, (R, D)."""
        return self.inputs.reshape(-1, self.stride)[:, : self.config.dim]

    @property
    def label_outputs(self) -> NDArray[np.float32]:
        """Output rows without padding, (O, D)."""
        rows = self.outputs.reshape(-1, self.stride)
        return rows[: self.layer.num_outputs, : self.config.dim]

    def compile(self) -> None:
        """Learn no text at all, for the sake of the machine code."""
        self._train(0, 0, 0, (self.alpha, self.alpha), 0)

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        """Learn the texts of one slice in place."""
        first, last = self.slices.firsts[slice_index : slice_index + 2]
        return self._train(first, last, worker, rates, seed)

    def held_out_loss(self) -> float | None:
        """Mean loss of the held-out texts that have a label; None where there are none."""
        if self._held_out is None:
            return None
        features, wanted = self._held_out
        chances = self.layer.chances(self.model().means(features), self.label_outputs)
        labelled = wanted.any(axis=1)
        return (
            float(self.layer.losses(chances, wanted)[labelled].mean()) if labelled.any() else None
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Both weight matrices, flat."""
        return {"inputs": self.inputs, "outputs": self.outputs}

    def model(self) -> FastTextModel:
        """Return what was learned; its rows are those of the training, not a copy."""
        num_words = len(self.dictionary)
        unit_rows = self.features.unit_rows
        buckets = np.flatnonzero(unit_rows[num_words:] >= 0)
        return FastTextModel(
            self.dictionary,
            word_rows=unit_rows[:num_words],
            buckets=buckets,
            bucket_rows=unit_rows[num_words:][buckets],
            rows=DenseRows(self.inputs, self.config.dim),
            outputs=self.label_outputs,
            pruned=self._base is not None and self._base.pruned,
        )

    def _train(
        self, first: int, last: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        null = self.layer.num_outputs + worker
        documents, scratch = self.features.documents, self._scratch[worker]
        found = train_documents(documents, self._model, scratch, first, last, null, *rates, seed)
        return Learned(*found)

    def _draw_rows(self) -> None:
        """Evenly from +-1 / D a unit; as wide as the mean of m of them where m share a row."""
        widths = 1 / self.config.dim / np.sqrt(self.features.members)
        fill_rows(
            self.inputs,
            self.config.dim,
            self.stride,
            widths.astype(np.float32),
            self.config.seed,
        )

    def _go_on_from(self, base: FastTextModel) -> None:
        met = np.flatnonzero(self.features.unit_rows >= 0)
        there = base.unit_rows[met]
        known = there >= 0
        self.rows[self.features.unit_rows[met[known]]] = base.rows.take(there[known])
        self.label_outputs[...] = base.outputs

    def _kernel_model(self) -> Model:
        return Model(
            inputs=self.inputs,
            outputs=self.outputs,
            stride=self.stride,
            loss=LOSSES[self.config.loss],
            num_labels=len(self.dictionary.labels),
            negatives=self.config.negative,
            noise=self.layer.noise,
            path_starts=self.layer.paths.starts,
            path_nodes=self.layer.paths.nodes,
            path_codes=self.layer.paths.codes,
        )

    def _features_of(self, texts: LabelledTokens) -> tuple[Units, NDArray[np.bool_]]:
        wanted = texts.labels.matrix(len(self.dictionary.labels))
        features = self.dictionary.units(texts.tokens)
        starts = features.starts[: MOST_HELD_OUT + 1]
        return Units(features.units[: starts[-1]], starts), wanted[:MOST_HELD_OUT]


def _known_words(
    dictionary: Dictionary, vectors: WordVectors | None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the words that `vectors` has, and their rows."""
    dim = dictionary.config.dim
    if vectors is None:
        return np.empty(0, np.int64), np.empty((0, dim), np.float32)
    if vectors.vector_size != dim:
        raise SettingError(
            f"The pretrained vectors have {vectors.vector_size} dimensions, but dim is {dim}; "
            f"set dim = {vectors.vector_size}."
        )
    there = np.array([vectors.key_to_index.get(word, -1) for word in dictionary.words], np.int64)
    known = np.flatnonzero(there >= 0)
    return known, vectors.vectors[there[known]]
