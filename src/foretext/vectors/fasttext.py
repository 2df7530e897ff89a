"""fastText: skip-gram and CBOW over words made of character n-grams.

Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information". Defaults are those of the
authors' program, the names those of gensim. The inner loop is in `foretext.kernels.fasttext`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.kernels.fasttext import Model, Subwords, Text, scratch_for, train_slice, word_sums
from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import aligned_zeros, padded
from foretext.kernels.windows import MAX_SENTENCE
from foretext.progress.run_context import RunContext
from foretext.shown import Shown
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.vectors.crowding import longer_learning
from foretext.vectors.held_out import HeldOutWindows
from foretext.vectors.ngrams import CharacterNgrams, SubwordTable
from foretext.vectors.output_layer import (
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
from foretext.vectors.showing.fasttext import FastTextExamples
from foretext.vectors.showing.parts import Frequencies
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.word_vectors import WordVectors

__all__ = ["FastText", "SubwordWeights"]


class FastText:
    """Word vectors from sub-words, so that unseen words have vectors too; a `SliceLearner`.

    Args:
        config: the user's settings.
        vocabulary: words and counts; id 0 stands for unknown words and is not learned.
        tokens: the text to learn from and, where there is one, the held-out text.
        base: vectors to go on from, for the words and n-grams that they know.
        base_outputs: the output vectors of `base`, (len(base), D), where they were kept.

    Raises:
        CorpusError: fewer than two words, or no sentence of two words.
        SettingError: `base` has vectors of another size, or other n-grams.
    """

    class Config(ReplicasConfig):
        """Settings of fastText, under gensim's names."""

        model: Literal["skipgram", "cbow"] = "skipgram"
        """Predict the context from a word (skipgram), or a word from its context (cbow)."""
        loss: Literal["ns", "hs"] = "ns"
        """Negative sampling (ns) or hierarchical softmax (hs)."""
        vector_size: int = Field(100, ge=1, le=10_000)
        """Numbers of a vector."""
        window: int = Field(5, ge=1, le=1_000)
        """Words to each side, at most; for each word drawn from 1 to this."""
        negative: int = Field(5, ge=1, le=1_000)
        """Noise words for each predicted word."""
        ns_exponent: float = 0.5
        """Noise words are drawn in proportion to count ** this."""
        sample: float = Field(1e-4, ge=0, le=1)
        """Threshold of sub-sampling frequent words; 0: no sub-sampling."""
        minn: int = Field(3, ge=1, le=100)
        """Length of the shortest n-gram, in characters."""
        maxn: int = Field(6, ge=0, le=100)
        """Length of the longest n-gram, in characters; 0: no n-grams."""
        bucket: int = Field(2_000_000, ge=1, lt=2**31)
        """Number of rows that n-grams are hashed into."""
        alpha: float = Field(0.05, gt=0)
        """Learning rate at the start."""
        sync_words: int = Field(1 << 14, ge=256)
        """Words that a process learns at most between two meetings with the others."""

        @model_validator(mode="after")
        def _has_effect(self) -> FastText.Config:
            for names, needed, holds in (
                (("negative", "ns_exponent"), 'without loss = "ns"', self.loss == "ns"),
                (("minn", "bucket"), "without n-grams (maxn = 0)", self.maxn > 0),
                (("epochs",), "beside a budget", self.budget_seconds is None),
            ):
                if (idle := [name for name in names if name in self.changed]) and not holds:
                    raise ValueError(f"{' and '.join(idle)} would have no effect {needed}")
            if 0 < self.maxn < self.minn:
                raise ValueError(f"maxn = {self.maxn} must not be less than minn = {self.minn}")
            return self

        def remedy(self, counts: np.ndarray, alpha: float, epochs: float) -> str:
            """Return which rate, or how many epochs, part words that are near each other."""
            keep = keep_rates(counts, self.sample, "word2vec")
            learned = epochs * float((counts * keep).sum())
            passes = None if self.budget_seconds else epochs
            return longer_learning(self.model, alpha, passes, learned, len(counts))

    held_out: ClassVar[str] = "documents"

    def __init__(
        self,
        config: FastText.Config,
        vocabulary: Vocabulary,
        tokens: Tokens,
        *,
        base: WordVectors | None = None,
        base_outputs: np.ndarray | None = None,
    ) -> None:
        vocabulary.require_two_words()
        self.config = config
        self.vocabulary = vocabulary
        self.text_folder = tokens.train.folder
        self.alpha = config.alpha
        self.slices = Slices.dealt(tokens.train, MAX_SENTENCE)
        self.counts = np.array(vocabulary.counts, np.int64)
        self.counts[0] = 0  # unknown words are neither kept, nor noise, nor in the tree
        # The formula of the program, sqrt(t / f) + t / f, is that of word2vec's.
        self._keep = keep_rates(self.counts, config.sample, "word2vec")
        self.weights = SubwordWeights(
            vocabulary.words,
            self.counts * self._keep,
            CharacterNgrams(config.minn, config.maxn, config.bucket if config.maxn else 0),
            config.vector_size,
            config.threads,
            config.seed,
        )
        if base is not None:
            self.weights.go_on_from(base, base_outputs)
        self._layer = self._output_layer()
        self._text = Text(
            tokens.train.ids,
            self.slices.places,
            self.slices.sentence_starts,
            as_chances(self._keep),
        )
        self._model = self._kernel_model()
        self._scratch = [scratch_for(self._model) for _ in range(config.threads)]
        self._held_out = self._predictions(tokens)

    def train(self, context: RunContext) -> list[dict[str, Any]]:
        """Learn; returns the records. See `Hogwild.run` for what is raised."""
        return train_replicas(self, context)

    def compile(self) -> None:
        """Learn no sentence at all, for the sake of the machine code."""
        rates, null = (self.alpha, self.alpha), len(self.counts)
        train_slice(self._text, self._model, self._scratch[0], 0, 0, null, *rates, 0)

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        """Learn the windows of one slice in place; the loss is that of one window in sixteen."""
        first, last = self.slices.firsts[slice_index : slice_index + 2]
        null = len(self.counts) + worker
        scratch = self._scratch[worker]
        return Learned(
            *train_slice(self._text, self._model, scratch, first, last, null, *rates, seed)
        )

    def held_out_loss(self) -> float | None:
        """Mean loss of one prediction over fixed windows and noise words of the held-out text."""
        if self._held_out is None:
            return None
        windows, rows, labels = self._held_out
        units = np.insert(self.weights.table.num_units, 0, 1)[:, None]
        totals = windows.hidden(np.hstack([self.weights.sums(), units]), mean=False)
        hidden = totals[:, :-1] / totals[:, -1:]  # the mean over all rows of the context words
        outputs = self.weights.outputs.reshape(-1, self.weights.stride)[:, : self.weights.dim]
        return float(self._layer.losses(hidden, outputs, rows, labels).mean())

    def arrays(self) -> dict[str, np.ndarray]:
        """Both weight matrices, flat, without rows of workers: their number may change."""
        size = len(self.counts) * self.weights.stride
        return {"inputs": self.weights.inputs, "outputs": self.weights.outputs[:size]}

    def rows(self) -> dict[str, Rows]:
        """Rows that copies of the weights have in common; nodes of a tree end with the root."""
        chances = centre_chances(self.counts, self._keep)
        contexts = self.config.window + 1  # of a centre, about
        stride, is_tree = self.weights.stride, self.config.loss == "hs"
        return {
            "inputs": Rows(contexts * self.weights.uses(chances), stride),
            "outputs": Rows(self._layer.uses(chances), stride, is_tree),
        }

    def learn_in(self, arrays: dict[str, np.ndarray]) -> None:
        """Learn in these arrays from now on; they are as large as `arrays`, and hold weights."""
        self.weights.inputs, self.weights.outputs = arrays["inputs"], arrays["outputs"]
        self._model = self._kernel_model()

    @property
    def outputs(self) -> np.ndarray | None:
        """Output vectors of the words, (V - 1, D); None with the tree, whose nodes are no words."""
        return None if self.config.loss == "hs" else self.weights.word_outputs

    def vectors(self, split: Callable[[str], list[str]] | None = None) -> WordVectors:
        """Vectors of words and n-grams; `split` cuts texts to embed into words."""
        return WordVectors(
            self.weights.words,
            self.weights.vectors(),
            self.counts[1:],
            self.weights.subword_vectors() if self.config.maxn else None,
            split=split,
        )

    def show(self, number: int, seed: int) -> list[Shown]:
        """Show the vocabulary, and so many sentences with their windows."""
        return self.examples.shown(number, seed)

    @property
    def examples(self) -> FastTextExamples:
        """What is learned from, with the weights as they are."""
        found = Frequencies(
            self.vocabulary.words,
            int(self.vocabulary.counts[0]),
            self.counts,
            self._keep,
            self.config.sample,
            "word2vec",
            self._layer.weights,
            self.config.ns_exponent,
        )
        return FastTextExamples(
            self.config,
            found,
            self._layer,
            self.weights,
            self._text,
            self._model,
            self._scratch[0],
            self.slices,
        )

    def _output_layer(self) -> OutputLayer:
        if self.config.loss == "ns":
            return NegativeSampling(self.counts, self.config.negative, self.config.ns_exponent)
        return HierarchicalSoftmax(self.counts)

    def _kernel_model(self) -> Model:
        targets = self._layer.targets
        return Model(
            inputs=self.weights.inputs,
            outputs=self.weights.outputs,
            stride=self.weights.stride,
            subwords=self.weights.subwords(),
            negatives=targets.negatives,
            noise=targets.noise,
            path_starts=targets.path_starts,
            path_nodes=targets.path_nodes,
            path_codes=targets.path_codes,
            groups=-(-targets.most // GROUP),
            window=self.config.window,
            cbow=self.config.model == "cbow",
        )

    def _predictions(self, tokens: Tokens) -> tuple[HeldOutWindows, np.ndarray, np.ndarray] | None:
        """Fixed held-out windows with output rows and labels; None where there are none.

        With skip-gram each pair is met both ways, and one of them is counted.
        """
        if tokens.valid is None:
            return None
        config = self.config
        windows = HeldOutWindows.draw(tokens.valid, self._keep, config.window, config.seed)
        windows = windows if config.model == "cbow" else windows.pairs()
        if len(windows) == 0:
            return None
        return windows, *self._layer.draw(windows.centres, config.seed)


class SubwordWeights:
    """Input rows of sub-words and output rows of a vocabulary whose word 0 has neither.

    Args:
        words: V words.
        uses: (V,), how often each is met; it decides the order of rows in memory alone.
        ngrams: how words are cut.
        dim: D.
        num_null_rows: rows of zeros behind the outputs, one a worker.
        seed: of the first values: uniform in +-1 / D a sub-word as in the authors' program; outputs
            begin with zero.
    """

    def __init__(
        self,
        words: list[str],
        uses: np.ndarray,
        ngrams: CharacterNgrams,
        dim: int,
        num_null_rows: int,
        seed: int,
    ) -> None:
        self.words = words[1:]
        self.ngrams = ngrams
        self.dim = dim
        self.stride = padded(dim)
        self.table = SubwordTable.build(self.words, uses[1:], ngrams)
        num_rows = len(self.table.members) + len(words) + num_null_rows
        refuse_without_room(num_rows, self.stride)
        self.inputs = aligned_zeros(len(self.table.members), self.stride)
        self.outputs = aligned_zeros(len(words) + num_null_rows, self.stride)
        rng = np.random.default_rng(seed)
        start = rng.random(self.rows.shape, np.float32)
        start -= np.float32(0.5)
        # As wide as the mean of m independent values, as a row stands for m sub-words.
        start *= (2 / dim / np.sqrt(self.table.members)).astype(np.float32)[:, None]
        self.rows[...] = start

    @property
    def rows(self) -> NDArray[np.float32]:
        """Input rows without padding, (R, D)."""
        return self.inputs.reshape(-1, self.stride)[:, : self.dim]

    @property
    def word_outputs(self) -> NDArray[np.float32]:
        """Output vectors, (V - 1, D)."""
        return self.outputs.reshape(-1, self.stride)[1 : len(self.words) + 1, : self.dim]

    def uses(self, chances: np.ndarray) -> np.ndarray:
        """Return how often each row is met, (R,), from how often each word is, (V,)."""
        table = self.table
        parts = np.repeat(chances[1:], np.diff(table.starts))
        return np.bincount(table.rows, parts, minlength=len(table.members))

    def subwords(self) -> Subwords:
        """The rows of each word for the kernel; word 0 has none."""
        table = self.table
        num_units, pulls = (
            np.insert(numbers, 0, 0).astype(np.float32)
            for numbers in (table.num_units, table.pulls)
        )
        return Subwords(np.insert(table.starts, 0, 0), table.rows, table.weights, num_units, pulls)

    def sums(self) -> NDArray[np.float32]:
        """The summed rows of each word, (V, D); zeros for word 0."""
        sums = np.zeros((len(self.words) + 1) * self.stride, np.float32)
        word_sums(self.inputs, self.subwords(), self.stride, sums)
        return sums.reshape(-1, self.stride)[:, : self.dim]

    def vectors(self) -> NDArray[np.float32]:
        """The mean of each word's rows, (V - 1, D)."""
        means: NDArray[np.float32] = self.sums()[1:]
        means /= self.table.num_units[:, None].astype(np.float32)
        return means

    def subword_vectors(self) -> SubwordVectors:
        """The n-grams' rows; those that stand for words alone are left behind."""
        used, rows = np.unique(self.table.bucket_rows, return_inverse=True)
        return SubwordVectors(
            self.ngrams, self.table.buckets, rows.astype(np.int32), self.rows[used]
        )

    def go_on_from(self, base: WordVectors, base_outputs: NDArray[np.float32] | None) -> None:
        """Begin with the rows of `base` for the words and n-grams that it knows.

        Raises:
            SettingError: it has vectors of another size, or no n-grams of this kind.
        """
        if base.vector_size != self.dim:
            raise SettingError(
                f"The vectors to go on from have {base.vector_size} dimensions, but vector_size is "
                f"{self.dim}; set vector_size = {base.vector_size}."
            )
        if base.subwords is None or base.subwords.ngrams != self.ngrams:
            found = "none" if base.subwords is None else f"{base.subwords.ngrams}"
            raise SettingError(
                f"fastText goes on from vectors with the same n-grams, {self.ngrams}, but these "
                f"have {found}; set minn, maxn and bucket to theirs."
            )
        known = np.array([base.key_to_index.get(word, -1) for word in self.words])
        here = np.flatnonzero(known >= 0)
        there = known[here]
        own = base.subwords.word_rows(base.index_to_key, base.vectors)[there]
        _, at, base_at = np.intersect1d(
            self.table.buckets, base.subwords.buckets, assume_unique=True, return_indices=True
        )
        rows = np.concatenate([self.table.word_rows[here], self.table.bucket_rows[at]])
        values = np.concatenate([own, base.subwords.vectors[base.subwords.rows[base_at]]])
        total = np.zeros_like(self.rows)
        np.add.at(total, rows, values)
        count = np.bincount(rows, minlength=len(total))
        self.rows[count > 0] = total[count > 0] / count[count > 0, None]
        if base_outputs is not None:
            self.word_outputs[here] = base_outputs[there]
