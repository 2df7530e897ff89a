"""word2vec: skip-gram and CBOW with negative sampling, hierarchical softmax or the full softmax.

Mikolov et al. 2013, "Efficient Estimation of Word Representations in Vector Space" (the two models)
and "Distributed Representations of Words and Phrases and their Compositionality" (the losses and
sub-sampling). The inner loop is in `foretext.kernels.word2vec`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.kernels.simd import aligned_zeros, padded
from foretext.kernels.windows import MAX_SENTENCE
from foretext.kernels.word2vec import train_slice
from foretext.kernels.word2vec_arrays import Method, Targets, Text, Weights, scratch_for
from foretext.progress.run_context import RunContext
from foretext.shown import Shown
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.vectors.crowding import longer_learning
from foretext.vectors.held_out import HeldOutWindows
from foretext.vectors.output_layer import (
    FullSoftmax,
    HierarchicalSoftmax,
    NegativeSampling,
    OutputLayer,
    as_chances,
    centre_chances,
    keep_rates,
)
from foretext.vectors.replicas import ReplicasConfig, Rows, train_replicas
from foretext.vectors.room import refuse_without_room
from foretext.vectors.schedule import Learned, Slices
from foretext.vectors.showing.parts import Frequencies
from foretext.vectors.showing.word2vec import Word2VecExamples
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Word2Vec"]

HOT_NODES = 128  # of the Huffman tree, of which each of several workers has copies
RELEASE_EVERY = 16  # slices, of a quarter of a megabyte each
MANY_CENTRES = 25e6  # words of all epochs, after sub-sampling, from which the usual rate is right
MOST_RAISED = 4.0  # times the usual rate, at most
DEFAULT_ALPHA = {"skipgram": 0.025, "cbow": 0.05}


class Word2Vec:
    """Word vectors that predict neighbours; a `SliceLearner` for `Hogwild`.

    Args:
        config: the user's settings.
        vocabulary: words and counts; id 0 stands for unknown words and has no vector.
        tokens: the text to learn from and, where there is one, the held-out text.
        base: vectors to go on from, for the words it knows.
        base_outputs: the output vectors of `base`, (len(base), D), where they were kept.

    Raises:
        CorpusError: fewer than two words, or no sentence of two words.
        SettingError: `base` has vectors of another size.
    """

    class Config(ReplicasConfig):
        """Settings of word2vec, under gensim's names."""

        model: Literal["skipgram", "cbow"] = "skipgram"
        """Predict the context from a word (skipgram), or a word from its context (cbow)."""
        loss: Literal["ns", "hs", "softmax"] = "ns"
        """Negative sampling (ns), hierarchical softmax (hs) or full softmax."""
        vector_size: int = Field(100, ge=1, le=10_000)
        """Numbers of a vector."""
        window: int = Field(5, ge=1, le=1_000)
        """Words to each side, at most; for each word drawn from 1 to this."""
        negative: int = Field(5, ge=1, le=1_000)
        """Noise words for each centre word."""
        ns_exponent: float = 0.75
        """Noise words are drawn in proportion to count ** this."""
        noise_outside_context: bool = False
        """Noise words are none of the words of the window."""
        sample: float = Field(1e-3, ge=0, le=1)
        """Threshold of sub-sampling frequent words; 0: no sub-sampling."""
        subsampling: Literal["word2vec", "paper"] = "word2vec"
        """Formula of sub-sampling: that of the authors' program or of their paper."""
        alpha: float | None = Field(None, gt=0)
        """Learning rate at the start; none: 0.025, CBOW 0.05, and skip-gram of few words to 0.1."""
        cbow_mean: bool = True
        """CBOW: predict from the mean of the context, else from its sum."""
        cbow_gradient: Literal["whole", "divided"] = "whole"
        """CBOW: whether each context word gets the whole gradient or its part."""
        keep: Literal["input", "mean"] = "input"
        """Vectors that are kept: the inputs, or their mean with the outputs."""
        exact: bool = False
        """Skip-gram in the classic order, with noise of its own for each pair; one worker."""

        @model_validator(mode="after")
        def _has_effect(self) -> Word2Vec.Config:
            for names, needed, holds in (
                (
                    ("negative", "ns_exponent", "noise_outside_context"),
                    'without loss = "ns"',
                    self.loss == "ns",
                ),
                (("cbow_mean", "cbow_gradient"), 'without model = "cbow"', self.model == "cbow"),
                (("subsampling",), "without sub-sampling (sample = 0)", self.sample > 0),
                (("epochs",), "beside a budget", self.budget_seconds is None),
            ):
                if (idle := [name for name in names if name in self.changed]) and not holds:
                    raise ValueError(f"{' and '.join(idle)} would have no effect {needed}")
            if self.keep == "mean" and self.loss == "hs":
                raise ValueError(
                    'keep = "mean" needs an output vector a word: loss "ns" or "softmax"'
                )
            if self.exact and (self.model, self.loss) != ("skipgram", "ns"):
                raise ValueError(
                    'exact would have no effect without model = "skipgram" and loss = "ns"; '
                    "workers = 1 alone gives equal bits"
                )
            if self.cbow_gradient == "divided" and not self.cbow_mean:
                raise ValueError('cbow_gradient = "divided" would have no effect on a sum of words')
            if self.exact and "workers" in self.changed and self.workers > 1:
                raise ValueError("exact = true takes one worker")
            return self

        @property
        def threads(self) -> int:
            """One, where the order of updates matters."""
            return 1 if self.exact else super().threads

        def remedy(self, counts: np.ndarray, alpha: float, epochs: float) -> str:
            """Return which rate, or how many epochs, part words that are near each other."""
            keep = keep_rates(counts, self.sample, self.subsampling)
            learned = epochs * float((counts * keep).sum())
            passes = None if self.budget_seconds else epochs
            return longer_learning(self.model, alpha, passes, learned, len(counts))

    held_out: ClassVar[str] = "documents"

    def __init__(
        self,
        config: Word2Vec.Config,
        vocabulary: Vocabulary,
        tokens: Tokens,
        *,
        base: WordVectors | None = None,
        base_outputs: np.ndarray | None = None,
    ) -> None:
        vocabulary.require_two_words()
        self.config = config
        self.vocabulary = vocabulary
        self._text = tokens.train
        self.slices = Slices.of(tokens.train, MAX_SENTENCE)
        self.counts = np.array(vocabulary.counts, np.int64)
        self.counts[0] = 0  # unknown words are neither kept, nor noise, nor in the tree
        self._keep = keep_rates(self.counts, config.sample, config.subsampling)
        self.alpha = config.alpha or self._usual_alpha(is_begun=base is not None)
        self._stride = padded(config.vector_size)
        self._layer = self._output_layer()
        self._own_rows = 1 + 2 * self._layer.targets.num_hot  # of each worker, at the end
        num_rows = 2 * len(self.counts) + config.threads * self._own_rows
        refuse_without_room(num_rows, self._stride)
        self._inputs = aligned_zeros(len(self.counts), self._stride)
        self._outputs = aligned_zeros(
            len(self.counts) + config.threads * self._own_rows, self._stride
        )
        self._start(base, base_outputs)
        self._arguments = self._kernel_arguments()
        self._scratch = [scratch_for(*self._arguments[1:]) for _ in range(config.threads)]
        self._held_out = self._predictions(tokens)

    def train(self, context: RunContext) -> list[dict[str, Any]]:
        """Learn; returns the records. See `Hogwild.run` for what is raised."""
        return train_replicas(self, context)

    def compile(self) -> None:
        """Learn no sentence at all, for the sake of the machine code."""
        text, weights, targets, method = self._arguments
        alone = targets._replace(num_hot=0)  # weights of other processes have no rows of workers
        rates, scratch = (self.alpha, self.alpha), self._scratch[0]
        train_slice(text, weights, alone, method, scratch, 0, 0, len(self.counts), *rates, 0)

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        """Learn the windows of one slice in place; the loss is that of one window in sixteen."""
        first, last = self.slices.firsts[slice_index : slice_index + 2]
        if slice_index % RELEASE_EVERY == 0:  # or an epoch would bring all of the text into memory
            self._text.release()
        null = len(self.counts) + worker * self._own_rows
        scratch = self._scratch[worker]
        return Learned(*train_slice(*self._arguments, scratch, first, last, null, *rates, seed))

    def held_out_loss(self) -> float | None:
        """Mean loss of one prediction over fixed windows and noise words of the held-out text."""
        if self._held_out is None:
            return None
        windows, rows, labels = self._held_out
        hidden = windows.hidden(self._matrix(self._inputs), self.config.cbow_mean)
        return float(self._layer.losses(hidden, self._matrix(self._outputs), rows, labels).mean())

    def arrays(self) -> dict[str, np.ndarray]:
        """Both weight matrices, flat, without rows of workers: their number may change."""
        return {"inputs": self._inputs, "outputs": self._outputs[: len(self.counts) * self._stride]}

    def rows(self) -> dict[str, Rows]:
        """Rows that copies of the weights have in common; nodes of a tree end with the root.

        A window meets its outputs in one step, and each of its context words in one.
        """
        chances = centre_chances(self.counts, self._keep)
        contexts = self.config.window + 1  # of a centre, about
        return {
            "inputs": Rows(contexts * chances, self._stride),
            "outputs": Rows(self._layer.uses(chances), self._stride, self.config.loss == "hs"),
        }

    def learn_in(self, arrays: dict[str, np.ndarray]) -> None:
        """Learn in these arrays from now on; they are as large as `arrays`, and hold weights."""
        self._inputs, self._outputs = arrays["inputs"], arrays["outputs"]
        self._arguments = self._kernel_arguments()

    @property
    def text_folder(self) -> Path:
        """Where the text is that is learned."""
        return self._text.folder

    @property
    def inputs(self) -> np.ndarray:
        """Input vectors of the words, (V - 1, D): row 0 is the first known word."""
        return self._matrix(self._inputs)[1:]

    @property
    def outputs(self) -> np.ndarray | None:
        """Output vectors of the words, (V - 1, D); None with the tree, whose nodes are no words."""
        if self.config.loss == "hs":
            return None
        return self._matrix(self._outputs)[1 : len(self.counts)]

    def vectors(self, split: Callable[[str], list[str]] | None = None) -> WordVectors:
        """The vectors to keep, by the setting `keep`; `split` cuts texts to embed into words."""
        kept = self.inputs
        if self.config.keep == "mean" and self.outputs is not None:
            kept = (self.inputs + self.outputs) / 2
        return WordVectors(
            self.vocabulary.words[1:],
            np.ascontiguousarray(kept, np.float32),
            self.counts[1:],
            split=split,
        )

    def show(self, number: int, seed: int) -> list[Shown]:
        """Show the vocabulary, and so many sentences with their windows."""
        return self.examples.shown(number, seed)

    @property
    def examples(self) -> Word2VecExamples:
        """What is learned from, with the weights as they are."""
        text, _, _, method = self._arguments
        return Word2VecExamples(
            self.config,
            Frequencies(
                self.vocabulary.words,
                int(self.vocabulary.counts[0]),
                self.counts,
                self._keep,
                self.config.sample,
                self.config.subsampling,
                self._layer.weights,
                self.config.ns_exponent,
            ),
            self._layer,
            text,
            method,
            self._scratch[0],
            self.slices,
            self._matrix(self._inputs),
            self._matrix(self._outputs),
        )

    def _usual_alpha(self, *, is_begun: bool) -> float:
        """The learning rate where the user chose none: it follows the number of updates.

        With few of them skip-gram with negative sampling stays near its start. Of a budget of
        seconds nobody knows the updates, and vectors to go on from have left it.
        """
        config, usual = self.config, DEFAULT_ALPHA[self.config.model]
        is_long = is_begun or config.budget_seconds is not None
        if is_long or config.model != "skipgram" or config.loss != "ns":
            return usual
        centres = config.epochs * float((self.counts * self._keep).sum())
        return usual * min(max(MANY_CENTRES / max(centres, 1.0), 1.0), MOST_RAISED)

    def _matrix(self, flat: np.ndarray) -> np.ndarray:
        return flat.reshape(-1, self._stride)[:, : self.config.vector_size]

    def _start(self, base: WordVectors | None, base_outputs: np.ndarray | None) -> None:
        """Inputs uniform in +-1 / 2D as in the authors' program, outputs zero; `base` over them."""
        rng = np.random.default_rng(self.config.seed)
        size = self.config.vector_size
        shape = self.inputs.shape
        self.inputs[...] = (rng.random(shape, np.float32) - np.float32(0.5)) / np.float32(size)
        if base is None:
            return
        if base.vector_size != size:
            raise SettingError(
                f"The vectors to go on from have {base.vector_size} dimensions, but vector_size is "
                f"{size}; set vector_size = {base.vector_size}."
            )
        known = [
            (row, base.key_to_index[word])
            for row, word in enumerate(self.vocabulary.words[1:])
            if word in base.key_to_index
        ]
        rows, base_rows = np.array(known, np.int64).reshape(-1, 2).T
        self.inputs[rows] = base.vectors[base_rows]
        if base_outputs is not None and self.outputs is not None:
            self.outputs[rows] = base_outputs[base_rows]

    def _output_layer(self) -> OutputLayer:
        if self.config.loss == "ns":
            return NegativeSampling(self.counts, self.config.negative, self.config.ns_exponent)
        if self.config.loss == "hs":
            return HierarchicalSoftmax(self.counts, num_hot=HOT_NODES * (self.config.threads > 1))
        return FullSoftmax(self.counts)

    def _kernel_arguments(self) -> tuple[Text, Weights, Targets, Method]:
        config = self.config
        return (
            Text(self._text.ids, self.slices.sentence_starts, as_chances(self._keep)),
            Weights(self._inputs, self._outputs, self._stride),
            self._layer.targets,
            Method(
                window=config.window,
                cbow=config.model == "cbow",
                mean=config.cbow_mean,
                exact_gradient=config.cbow_gradient == "divided",
                softmax=config.loss == "softmax",
                shared_noise=not config.exact,
                outside_context=config.noise_outside_context,
            ),
        )

    def _predictions(self, tokens: Tokens) -> tuple[HeldOutWindows, np.ndarray, np.ndarray] | None:
        """Fixed held-out windows with output rows and labels; None where there are none."""
        if tokens.valid is None:
            return None
        windows = HeldOutWindows.draw(
            tokens.valid, self._keep, self.config.window, self.config.seed
        )
        windows = windows if self.config.model == "cbow" else windows.pairs()
        if len(windows) == 0:
            return None
        return windows, *self._layer.draw(windows.centres, self.config.seed)
