"""doc2vec: vectors of documents that predict their words (Le & Mikolov 2014).

"Distributed Representations of Sentences and Documents", sections 2.2 (PV-DM) and 2.3 (PV-DBOW).
The inner loop is in `foretext.kernels.doc2vec`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.kernels.doc2vec import Documents, Reading, train_documents
from foretext.kernels.simd import aligned_zeros, padded
from foretext.kernels.windows import MAX_SENTENCE
from foretext.kernels.word2vec_arrays import Method, Scratch, Targets, Weights, scratch_for
from foretext.progress.run_context import RunContext
from foretext.shown import Shown
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.vectors.held_out import MOST_PREDICTIONS, logistic_losses
from foretext.vectors.hogwild import train_hogwild
from foretext.vectors.output_layer import (
    HierarchicalSoftmax,
    NegativeSampling,
    OutputLayer,
    as_chances,
    keep_rates,
    random64,
)
from foretext.vectors.room import refuse_without_room
from foretext.vectors.schedule import DescentConfig, Learned, Slices, cut_sentences
from foretext.vectors.showing.doc2vec import DocumentExamples
from foretext.vectors.showing.parts import Frequencies

__all__ = ["Doc2Vec", "Doc2VecConfig", "DocumentNetwork", "HeldOutWords", "held_out_positions"]

DEFAULT_ALPHA = {"dbow": 0.025, "dm": 0.05}

HOT_NODES = 128  # of the Huffman tree, of which each of several workers has copies

LOOKED_AT = 1 << 22  # tokens hashed at once


class Doc2VecConfig(DescentConfig):
    """Settings of doc2vec."""

    kind: ClassVar[str] = "document vectors"

    epochs: int = Field(10, ge=1)
    """Passes over the text."""
    model: Literal["dbow", "dm"] = "dbow"
    """Predict each word from the document (dbow), or from it and the words around it (dm)."""
    dbow_words: bool = False
    """PV-DBOW: learn word vectors by skip-gram beside it; slower."""
    context: Literal["mean", "sum", "concat"] = "mean"
    """PV-DM: how document and context words are combined."""
    loss: Literal["ns", "hs"] = "ns"
    """Negative sampling (ns) or hierarchical softmax (hs)."""
    vector_size: int = Field(100, ge=1, le=10_000)
    """Numbers of a vector."""
    window: int = Field(5, ge=1, le=1_000)
    """Words to each side, at most; for each word drawn from 1 to this, with concat all."""
    negative: int = Field(5, ge=1, le=1_000)
    """Noise words for each word."""
    ns_exponent: float = 0.75
    """Noise words are drawn in proportion to count ** this."""
    sample: float = Field(1e-3, ge=0, le=1)
    """Threshold of sub-sampling frequent words; 0: no sub-sampling."""
    subsampling: Literal["word2vec", "paper"] = "word2vec"
    """Formula of sub-sampling: that of word2vec's program or of its paper."""
    alpha: float | None = Field(None, gt=0)
    """Learning rate at the start; none: 0.025, PV-DM 0.05."""
    infer_epochs: int | None = Field(None, ge=1)
    """Passes over a new document; none: as many as `epochs`."""
    names: str | None = None
    """Column with the names of documents, of csv, tsv, jsonl and parquet; none: their numbers."""
    exact: bool = False
    """Classic order of dbow_words, with noise of its own for each pair; one worker."""

    @model_validator(mode="after")
    def _has_effect(self) -> Doc2VecConfig:
        for names, needed, holds in (
            (("negative", "ns_exponent"), 'without loss = "ns"', self.loss == "ns"),
            (("context",), 'without model = "dm"', self.model == "dm"),
            (("dbow_words",), 'without model = "dbow"', self.model == "dbow"),
            (("window",), 'without model = "dm" or dbow_words', self.reads_words),
            (("subsampling",), "without sub-sampling (sample = 0)", self.sample > 0),
            (("epochs",), "beside a budget", self.budget_seconds is None),
        ):
            if (idle := [name for name in names if name in self.changed]) and not holds:
                raise ValueError(f"{' and '.join(idle)} would have no effect {needed}")
        if self.exact and not (self.dbow_words and self.loss == "ns"):
            raise ValueError('exact would have no effect without dbow_words and loss = "ns"')
        if self.exact and "workers" in self.changed and self.workers > 1:
            raise ValueError("exact = true takes one worker")
        return self

    @property
    def threads(self) -> int:
        """One, where the order of updates matters."""
        return 1 if self.exact else self.workers

    @property
    def reads_words(self) -> bool:
        """Whether words have vectors of their own."""
        return self.model == "dm" or self.dbow_words

    @property
    def is_concatenated(self) -> bool:
        """Whether document and words are put end to end."""
        return self.model == "dm" and self.context == "concat"

    @property
    def rate(self) -> float:
        """Learning rate at the start."""
        return self.alpha or DEFAULT_ALPHA[self.model]

    @property
    def num_passes(self) -> int:
        """Passes over a new document."""
        return self.infer_epochs or self.epochs


class Doc2Vec:
    """Document vectors that predict words; a `SliceLearner` for `Hogwild`.

    Args:
        config: the user's settings.
        vocabulary: words and counts; id 0 stands for unknown words.
        tokens: the text to learn from, with nothing held out: its documents have a vector each, and
            single words of them are held out.
        base: nothing; there is no going on from other vectors.
        base_outputs: nothing, likewise.

    Raises:
        CorpusError: fewer than two words.
        SettingError: there is a `base`.
    """

    Config = Doc2VecConfig
    held_out: ClassVar[str] = "words"

    def __init__(
        self,
        config: Doc2VecConfig,
        vocabulary: Vocabulary,
        tokens: Tokens,
        *,
        base: object = None,
        base_outputs: object = None,
    ) -> None:
        vocabulary.require_two_words()
        if base is not None:
            raise SettingError(
                "doc2vec cannot go on from other vectors; leave out the base. Vectors of new "
                "documents are inferred by embed."
            )
        self.config, self.vocabulary, self.tokens = config, vocabulary, tokens
        self.alpha = config.rate
        starts = np.asarray(tokens.train.document_starts)
        pieces = cut_sentences(starts, MAX_SENTENCE)
        self.slices = Slices.of_starts(pieces)
        self._numbers = np.searchsorted(starts, pieces[:-1], side="right") - 1
        counts = np.array(vocabulary.counts, np.int64)
        num_documents = tokens.train.num_documents
        self.network = DocumentNetwork(config, counts, num_documents, config.threads)
        self._start()
        self._scratch = [self.network.scratch() for _ in range(config.threads)]
        self._hold_out(HeldOutWords())

    def train(self, context: RunContext) -> list[dict[str, Any]]:
        """Learn; returns the records. See `Hogwild.run` for what is raised."""
        self._hold_out(HeldOutWords(context.valid_rate, self.config.seed))
        return train_hogwild(self, self.config, context)

    def compile(self) -> None:
        """Learn no document at all, for the sake of the machine code."""
        self._learn(0, 0, 0, (self.alpha, self.alpha), 0)

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        """Learn the documents of one slice in place; the loss is that of one word in sixteen."""
        first, last = self.slices.firsts[slice_index : slice_index + 2]
        return self._learn(first, last, worker, rates, seed)

    def held_out_loss(self) -> float | None:
        """Mean loss of fixed predictions of words that are held out; None where there are none."""
        if len(self._windows) == 0:
            return None
        return self._windows.loss(self.network)

    def arrays(self) -> dict[str, np.ndarray]:
        """Both weight matrices, flat, without rows of workers: their number may change."""
        network = self.network
        return {
            "inputs": network.inputs,
            "outputs": network.outputs[: network.null(0) * network.places * network.stride],
        }

    def show(self, number: int, seed: int) -> list[Shown]:
        """Show the vocabulary, and so many documents with what predicts their words."""
        return self.examples.shown(number, seed)

    @property
    def examples(self) -> DocumentExamples:
        """What is learned from, with the weights as they are."""
        network = self.network
        found = Frequencies(
            self.vocabulary.words,
            int(self.vocabulary.counts[0]),
            network.counts,
            network.keep,
            self.config.sample,
            self.config.subsampling,
            network.layer.weights,
            self.config.ns_exponent,
        )
        return DocumentExamples(network, found, self._documents, self._scratch[0], self.slices)

    def _learn(
        self, first: int, last: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        network = self.network
        learned = train_documents(
            self._documents,
            *network.arguments,
            self._scratch[worker],
            first,
            last,
            network.null(worker),
            *rates,
            seed,
        )
        return Learned(*learned)

    def _hold_out(self, words: HeldOutWords) -> None:
        """Leave words out of what is learned, and measure the loss on them."""
        ids = self.tokens.train.ids
        self._documents = self.network.documents_of(
            ids, self.slices.sentence_starts, self._numbers, words
        )
        self._windows = _DocumentWindows.draw(self._documents, self.config, self.config.seed)

    def _start(self) -> None:
        """Inputs uniform in +-1 / 2D as in word2vec's program, outputs zero."""
        rows = self.network.input_rows
        rng = np.random.default_rng(self.config.seed)
        size = np.float32(self.config.vector_size)
        rows[...] = (rng.random(rows.shape, np.float32) - np.float32(0.5)) * np.float32(2) / size


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


@dataclass(frozen=True)
class _DocumentWindows:
    """Words with the input rows that predict each of them, drawn once."""

    words: np.ndarray  # (P,) word ids
    rows: np.ndarray  # (P, C) input rows, the document's first; -1 where there is none
    seed: int  # of noise words

    @classmethod
    def draw(cls, documents: Documents, config: Doc2VecConfig, seed: int) -> _DocumentWindows:
        """Take known words that are held out, and the known words around each."""
        positions = held_out_positions(documents)
        positions = positions[np.asarray(documents.ids)[positions] > 0]
        rng = np.random.default_rng(seed)
        at = np.sort(rng.permutation(positions)[:MOST_PREDICTIONS])
        words = np.asarray(documents.ids)[at].astype(np.int64)
        pieces = np.searchsorted(documents.starts, at, side="right") - 1
        rows = documents.rows[pieces][:, None]
        if config.model == "dm":
            rows = np.hstack([rows, _around(documents, at, pieces, config, rng)])
        return cls(words, rows, seed)

    def __len__(self) -> int:
        return len(self.words)

    def loss(self, network: DocumentNetwork) -> float:
        """Return the mean loss of a prediction."""
        outputs, labels = network.layer.draw(self.words, self.seed)
        hidden = self._hidden(network)
        width = hidden.shape[1]
        matrix = network.output_rows.reshape(-1, width)
        return float(logistic_losses(hidden, matrix, outputs, labels).mean())

    def _hidden(self, network: DocumentNetwork) -> np.ndarray:
        """(P, D), or (P, C * D) with concatenation, where a missing word is the null word."""
        present = self.rows >= 0
        vectors = network.input_rows[np.maximum(self.rows, 0)]  # (P, C, D)
        if network.config.is_concatenated:
            return np.asarray(vectors.reshape(len(self), -1))
        total = (vectors * present[..., None]).sum(axis=1)
        counts = present.sum(axis=1, keepdims=True) if network.config.context == "mean" else 1
        return np.asarray(total / counts)


def held_out_positions(documents: Documents) -> np.ndarray:
    """Return the tokens that the kernel leaves out, in their order."""
    if not documents.held_below:
        return np.zeros(0, np.int64)
    found = []
    for first in range(0, len(documents.ids), LOOKED_AT):
        last = min(first + LOOKED_AT, len(documents.ids))
        numbers = np.arange(first, last, dtype=np.uint64) + np.uint64(documents.held_key)
        low = random64(numbers) & np.uint64(0xFFFFFFFF)
        found.append(first + np.flatnonzero(low < np.uint64(documents.held_below)))
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _around(
    documents: Documents,
    at: np.ndarray,
    pieces: np.ndarray,
    config: Doc2VecConfig,
    rng: np.random.Generator,
) -> np.ndarray:
    """(P, 2 * window) the words around positions (P,), -1 where there is none that is known."""
    offsets = np.array([o for o in range(-config.window, config.window + 1) if o])
    spans = rng.integers(1, config.window + 1, len(at))
    if config.is_concatenated:
        spans[:] = config.window
    where = at[:, None] + offsets
    inside = (where >= documents.starts[pieces][:, None]) & (
        where < documents.starts[pieces + 1][:, None]
    )
    inside &= np.abs(offsets) <= spans[:, None]
    ids = np.asarray(documents.ids)[np.where(inside, where, 0)].astype(np.int64)
    return np.where(inside & (ids > 0), ids, -1)
