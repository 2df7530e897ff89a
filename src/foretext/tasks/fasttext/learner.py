"""fastText's classifier in training: rows, outputs, and the texts that they learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError, SettingError
from foretext.base.runtime import refuse_without_memory
from foretext.data.rows.label import kept_values
from foretext.kernels.fasttext_classifier import (
    Documents,
    Model,
    fill_rows,
    scratch_for,
    train_documents,
)
from foretext.kernels.fasttext_features import document_entries, unit_signatures
from foretext.kernels.simd import aligned_zeros, padded
from foretext.messages import message
from foretext.progress.run_context import RunContext
from foretext.tasks.fasttext.config import LOSSES, ResolvedConfig
from foretext.tasks.fasttext.dictionary import Dictionary, Units, WordIds
from foretext.tasks.fasttext.labelled_texts import (
    InternedTexts,
    LabelTable,
    NumberedLabels,
    TextsWithLabels,
    number_labels,
)
from foretext.tasks.fasttext.model import FastTextModel, OutputLayer
from foretext.tasks.fasttext.rows import DenseRows
from foretext.tasks.fasttext.splitter import splitter_of
from foretext.vectors.hogwild import train_hogwild
from foretext.vectors.ngrams import LINE_END
from foretext.vectors.schedule import Learned, Slices
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Trained", "TrainingTexts", "load_pretrained", "retrain", "train"]

MOST_HELD_OUT = 2_000  # texts; more make the loss no steadier


class _LabelledTokens(NamedTuple):
    """Encoded texts and their labels."""

    tokens: WordIds
    labels: NumberedLabels


class _ClassifierLearner:
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
        train: _LabelledTokens,
        *,
        valid: _LabelledTokens | None = None,
        pretrained: WordVectors | None = None,
        base: FastTextModel | None = None,
    ) -> None:
        self.dictionary = dictionary
        self.config = dictionary.config
        self.alpha = self.config.lr
        self.stride = padded(self.config.dim)
        self.layer = OutputLayer(self.config.loss, dictionary.label_counts)
        known, vectors = _known_words(dictionary, pretrained)
        self.features = _TrainingFeatures.build(dictionary, *train, apart=known, base=base)
        self.slices = Slices.of_starts(self.features.documents.token_starts)
        num_rows = len(self.features.members) + self.layer.num_outputs + self.config.workers
        refuse_without_memory(
            4 * num_rows * self.stride,
            message("errors.room.fasttext", rows=num_rows),
            message("errors.room.fasttext_remedy"),
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

    def _features_of(self, texts: _LabelledTokens) -> tuple[Units, NDArray[np.bool_]]:
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


class _TrainingFeatures(NamedTuple):
    """What the kernel learns from, and which row each unit has."""

    documents: Documents
    unit_rows: NDArray[np.int32]  # (V + buckets,), -1 for a bucket that never occurs
    members: NDArray[np.int32]  # (R,), units that share each row

    @classmethod
    def build(
        cls,
        dictionary: Dictionary,
        tokens: WordIds,
        labels: NumberedLabels,
        apart: NDArray[np.int64],
        base: FastTextModel | None = None,
    ) -> _TrainingFeatures:
        """Group the units of the texts, and shuffle these by the seed of the settings.

        Args:
            dictionary: V words and the buckets.
            tokens: the texts, encoded.
            labels: theirs.
            apart: words that share their row with no other unit.
            base: a model to go on from, whose rows stay apart as they are; units that it has no
                row for are left out where it is pruned.
        """
        features = dictionary.units(tokens)
        signatures = unit_signatures(*features, dictionary.num_units)
        signatures[apart] = _numbers(len(apart))
        if base is not None:
            known = base.unit_rows
            features = _without_missing(features, known) if base.pruned else features
            signatures[known >= 0] = _numbers(len(base.rows))[known[known >= 0]]
        config = dictionary.config
        order = np.random.default_rng(config.seed).permutation(len(features.starts) - 1)
        unit_rows = np.full(dictionary.num_units, -1, np.int32)
        members = np.zeros(dictionary.num_units, np.int32)
        rows, times, starts, num_rows = document_entries(
            *features, signatures, order, unit_rows, members
        )
        unmet = unit_rows < 0
        unmet[len(dictionary) :] &= base is not None and base.unit_rows[len(dictionary) :] >= 0
        members = _with_own_rows(unit_rows, members[:num_rows], np.flatnonzero(unmet))
        labels = labels.taken(order)
        reads = times.astype(np.float32)
        documents = Documents(
            starts=starts,
            rows=rows,
            reads=reads,
            writes=reads / members.astype(np.float32)[rows],
            num_units=np.diff(features.starts)[order].astype(np.float32),
            label_starts=labels.starts,
            labels=labels.ids,
            token_starts=np.insert(np.cumsum(np.diff(tokens.starts)[order]), 0, 0),
        )
        return cls(documents, unit_rows, members)


def _numbers(size: int) -> NDArray[np.uint64]:
    """Random numbers that no signature of documents will equal."""
    return np.random.default_rng(size).integers(1, 2**64 - 1, size, np.uint64)


def _without_missing(features: Units, unit_rows: NDArray[np.int32]) -> Units:
    kept = unit_rows[features.units] >= 0
    before = np.insert(np.cumsum(kept), 0, 0)
    return Units(features.units[kept], before[features.starts])


def _with_own_rows(
    unit_rows: NDArray[np.int32], members: NDArray[np.int32], unmet: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Give a row of its own to each unit of `unmet`, which no text has; returns all members."""
    unit_rows[unmet] = len(members) + np.arange(len(unmet))
    return np.concatenate([members, np.ones(len(unmet), np.int32)])


@dataclass(frozen=True)
class TrainingTexts:
    """Texts that were cut into words once, for any number of trainings with these words."""

    interned: InternedTexts
    labels: Sequence[Sequence[str]]

    @classmethod
    def of(cls, given: TextsWithLabels, config: ResolvedConfig) -> TrainingTexts:
        """Cut texts by the settings that say what a word is."""
        splitter = splitter_of(config)
        return cls(InternedTexts.of(given.texts, splitter, config.label_prefix), given.labels)


class Trained(NamedTuple):
    """What one training gave."""

    model: FastTextModel
    history: list[dict[str, Any]]  # the records of metrics.jsonl


def train(
    config: ResolvedConfig,
    texts: TrainingTexts,
    valid: TextsWithLabels | None = None,
    pretrained: WordVectors | None = None,
    context: RunContext | None = None,
) -> Trained:
    """Learn a classifier.

    Raises:
        CorpusError: there are not two labels, or no words that are frequent enough.
        SettingError: `pretrained` has another size, or the loss is no longer a number.
        Interrupted: a signal asked for it.
    """
    table = LabelTable.of(texts.labels, config.min_count_label)
    names = [config.label_prefix + name for name in table.names]
    more = () if pretrained is None else pretrained.index_to_key
    dictionary, tokens = Dictionary.learn(
        texts.interned, names, table.counts, config, more, kept_values(table.names)
    )
    if set(dictionary.words) <= {LINE_END}:
        raise CorpusError(
            f"The texts hold no word that occurs min_count = {config.min_count} times; give texts "
            "with words, or lower min_count."
        )
    learner = _ClassifierLearner(
        dictionary,
        _LabelledTokens(tokens, number_labels(texts.labels, table.names)),
        valid=None if valid is None else _encoded(valid, dictionary),
        pretrained=pretrained,
    )
    return _trained(learner, context)


def retrain(
    model: FastTextModel,
    texts: TextsWithLabels,
    *,
    epochs: int | None = None,
    lr: float | None = None,
    context: RunContext | None = None,
) -> Trained:
    """Continue the training of a model; its words, labels and n-grams stay as they are."""
    changes: dict[str, Any] = {} if lr is None else {"lr": lr}
    if epochs is not None:
        changes |= {"epochs": epochs, "budget_seconds": None}
    dictionary = model.dictionary.with_config(model.dictionary.config.model_copy(update=changes))
    encoded = _encoded(texts, dictionary)
    return _trained(_ClassifierLearner(dictionary, encoded, base=model), context)


def load_pretrained(config: ResolvedConfig) -> WordVectors | None:
    """Open the vectors that the settings name: a run's folder, or a vector file.

    Raises:
        VectorFileError: there are none, or the file is damaged.
    """
    if config.pretrained_vectors is None:
        return None
    path = Path(config.pretrained_vectors)
    return WordVectors.load(path / "vectors.safetensors" if path.is_dir() else path)


def _encoded(given: TextsWithLabels, dictionary: Dictionary) -> _LabelledTokens:
    return _LabelledTokens(
        dictionary.encode(given.texts), number_labels(given.labels, dictionary.classes)
    )


def _trained(learner: _ClassifierLearner, context: RunContext | None) -> Trained:
    context = context or RunContext(Path(), title="fasttext")
    history = train_hogwild(learner, learner.config.descent, context)
    return Trained(learner.model(), history)
