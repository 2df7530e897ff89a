"""LDA: topics as distributions over words, documents as mixtures of topics.

Blei, Ng & Jordan 2003, "Latent Dirichlet Allocation", learned by online variational Bayes: Hoffman,
Blei & Bach 2010, "Online Learning for Latent Dirichlet Allocation", algorithm 2. The inner loops
are in `foretext.kernels.lda`.

Words of very many documents are no words of topics: "the" or "und" would lead every topic, and say
nothing. They are left out by the share of the documents that have them, so no list is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.base.counted import counted, number_of
from foretext.base.errors import CorpusError, SettingError
from foretext.base.runtime import Threads, refuse_without_memory
from foretext.data.token_file import TokenFile, Tokens
from foretext.kernels.lda import Inference, add_words, infer_topics, weigh_words
from foretext.kernels.simd import LANES, aligned_zeros, padded
from foretext.messages import message
from foretext.progress.run_context import RunContext
from foretext.shown import Shown
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.topics.bags import Batch, document_rates, ids_of
from foretext.vectors.schedule import VectorsConfig

__all__ = [
    "LDA",
    "LDAConfig",
    "Priors",
    "TopicWords",
    "completion_loss",
    "halved",
]

LEAST_CHANGE = 1e-3  # of a document's parameters in the mean, until which it is inferred
MOST_PASSES = 100  # over the words of a document
FEW_DOCUMENTS = 10  # a word of so few is kept, whatever share that is
FEWEST_BATCHES = 16  # in a pass over a small corpus
PARTS = 4  # for each thread, of different length
ROWS_AT_ONCE = 1 << 14
MOST_MEASURED = 4096  # documents that are held out


class Priors(Config):
    """The Dirichlet priors of a topic model."""

    document_prior: float = Field(gt=0, le=1_000)
    """Of the topics of a document (alpha)."""
    word_prior: float = Field(gt=0, le=1_000)
    """Of the words of a topic (eta)."""


class LDAConfig(VectorsConfig):
    """Settings of LDA."""

    kind: ClassVar[str] = "topics"

    num_topics: int = Field(50, ge=2, le=10_000)
    """Topics, K."""
    epochs: int = Field(10, ge=1)
    """Passes over the text."""
    batch_documents: int = Field(512, ge=1)
    """Documents of a step; fewer where the text has not many."""
    document_prior: float = Field(0.1, gt=0, le=1_000)
    """Dirichlet prior of the topics of a document (alpha): the lower, the fewer topics it has."""
    word_prior: float = Field(0.1, gt=0, le=1_000)
    """Dirichlet prior of the words of a topic (eta): the lower, the fewer words it has."""
    most_documents: float = Field(0.05, gt=0, le=1)
    """Words in more than this share of the documents, and in ten, are left out; 1: none is."""
    decay: float = Field(0.6, gt=0.5, le=1)
    """A step weighs (delay + its number) ** -decay (kappa)."""
    delay: float = Field(64.0, ge=1)
    """The larger, the less the first steps weigh (tau)."""

    @model_validator(mode="after")
    def _has_effect(self) -> LDAConfig:
        if self.budget_seconds is not None and "epochs" in self.changed:
            raise ValueError("epochs would have no effect under a budget")
        return self


class TopicWords:
    """How much each topic has of each word: the parameters of LDA, and what follows from them.

    Args:
        num_topics: K.
        num_words: W, of topics.
        priors: of the topics of a document, and of the words of a topic.

    Raises:
        SettingError: the memory does not hold them.
    """

    def __init__(self, num_topics: int, num_words: int, priors: Priors) -> None:
        self.num_topics, self.stride, self.priors = num_topics, padded(num_topics), priors
        refuse_without_memory(
            4 * num_words * self.stride,
            message("errors.room.topics", topics=num_topics, words=number_of("word", num_words)),
            message("errors.room.topics_remedy"),
        )
        self.parameters = aligned_zeros(num_words, self.stride)
        self.parameters[:] = priors.word_prior

    @property
    def table(self) -> NDArray[np.float32]:
        """The Dirichlet parameters (lambda), (W, K), which may be written to."""
        return self.parameters.reshape(-1, self.stride)[:, : self.num_topics]

    @property
    def totals(self) -> NDArray[np.float64]:
        """The sum of the parameters of each topic, (K,)."""
        totals: NDArray[np.float64] = self.table.sum(axis=0, dtype=np.float64)
        return totals

    @property
    def corpus_shares(self) -> NDArray[np.float64]:
        """The share of each topic in the words that were learned from, (K,)."""
        counts = np.maximum(self.totals - self.priors.word_prior * len(self.table), 0)
        shares: NDArray[np.float64] = counts / max(counts.sum(), 1e-30)
        return shares

    def by_share(self) -> TopicWords:
        """Return the same topics, the largest first."""
        ordered = TopicWords(self.num_topics, len(self.table), self.priors)
        ordered.table[...] = self.table[:, np.argsort(-self.corpus_shares, kind="stable")]
        return ordered

    def begin(self, seed: int) -> None:
        """Draw first values, as in the authors' program: the prior, and a number near 1."""
        rng, table = np.random.default_rng(seed), self.table
        for first in range(0, len(table), ROWS_AT_ONCE):
            rows = table[first : first + ROWS_AT_ONCE]
            rows += rng.standard_gamma(100, rows.shape, np.float32) / np.float32(100)

    def weights(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the weights of some words in topics, (U * stride,) for kernels."""
        topics = np.zeros(self.stride, np.float32)
        topics[: self.num_topics] = 1 / expected(self.totals)
        weights = aligned_zeros(len(rows), self.stride)
        weigh_words(self.parameters, self.stride, rows, topics, weights)
        return weights

    def probabilities(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return how probable words are in each topic, (U, K); None: all words."""
        table = self.table if rows is None else self.table[rows]
        return table / self.totals

    def infer(
        self, batch: Batch, weights: NDArray[np.float32], pool: Threads | None = None
    ) -> Inference:
        """Infer the topics of documents; what is found does not depend on the threads."""
        size = batch.num_documents
        found = Inference(
            aligned_zeros(size, self.stride),
            aligned_zeros(size, self.stride),
            np.zeros(len(batch.documents), np.float32),
        )

        prior, least = np.float32(self.priors.document_prior), np.float32(LEAST_CHANGE)

        def infer(first: int, last: int) -> None:
            infer_topics(
                batch.bags, weights, self.stride, self.num_topics, prior, least, MOST_PASSES,
                found, aligned_zeros(1, self.stride + LANES), first, last,
            )  # fmt: skip

        in_parts(infer, batch.bags.starts, pool)
        return found

    def shares(self, found: Inference) -> NDArray[np.float32]:
        """Return the expected share of each topic in each document, (B, K)."""
        rows = found.parameters.reshape(-1, self.stride)[:, : self.num_topics]
        shares: NDArray[np.float32] = rows / rows.sum(axis=1, keepdims=True)
        return shares

    def learn(
        self, batch: Batch, rate: float, num_documents: int, pool: Threads | None = None
    ) -> Inference:
        """Learn from a batch as if all documents were like it.

        Args:
            batch: of documents.
            rate: the weight of what it says, against all that was said before.
            num_documents: of the corpus.
            pool: threads.
        """
        weights = self.weights(batch.rows)
        found = self.infer(batch, weights, pool)
        self.parameters *= np.float32(1 - rate)
        self.parameters += np.float32(rate * self.priors.word_prior)
        self.add(batch, weights, found, rate * num_documents / batch.num_documents, pool)
        return found

    def add(
        self,
        batch: Batch,
        weights: NDArray[np.float32],
        found: Inference,
        factor: float,
        pool: Threads | None = None,
    ) -> None:
        """Add what a batch says of its words, times a factor."""
        order, starts = batch.by_word

        def add(first: int, last: int) -> None:
            add_words(
                batch.bags, order, starts, batch.documents, weights, self.stride, batch.rows,
                np.float32(factor), found, aligned_zeros(1, self.stride), self.parameters,
                first, last,
            )  # fmt: skip

        in_parts(add, starts, pool)


def expected(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(psi(x)); see `foretext.kernels.lda`."""
    y = x + 5.5
    series = y + 1 / (24 * y) - 37 / (5760 * y**3) + 10313 / (2903040 * y**5)
    return series * np.exp(-sum(1 / (x + i) for i in range(6)))


def in_parts(
    work: Callable[[int, int], None], starts: NDArray[np.int64], pool: Threads | None
) -> None:
    """Do the work on items, (N + 1,) starts, in parts of about equal length."""
    size = len(starts) - 1
    if pool is None:
        work(0, size)
        return
    num_parts = PARTS * pool.size
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], num_parts + 1)[1:-1])
    ends = np.unique([0, *cuts, size])
    list(pool.map(work, ends[:-1].tolist(), ends[1:].tolist()))


class LDA:
    """A topic model, and the documents that it learns from.

    Args:
        config: the user's settings.
        vocabulary: words and counts; id 0 stands for unknown words.
        tokens: the text to learn from, and that is held out.

    Raises:
        CorpusError: fewer than two words, or than two documents.
        SettingError: `most_documents` leaves no words.
    """

    Config = LDAConfig

    def __init__(self, config: LDAConfig, vocabulary: Vocabulary, tokens: Tokens) -> None:
        vocabulary.require_two_words()
        self.config, self.vocabulary, self.tokens = config, vocabulary, tokens
        self.num_documents = tokens.train.num_documents
        if self.num_documents < 2:
            raise CorpusError(
                "The text is one document, and topics are what several have in common; end "
                'documents at each line by corpus.documents = "line", or give more text.'
            )
        self.ids = self._words_of_topics(document_rates(tokens.train))
        self.row_of = np.full(tokens.train.vocab_size, -1, np.int64)
        self.row_of[self.ids] = np.arange(len(self.ids))
        priors = Priors(document_prior=config.document_prior, word_prior=config.word_prior)
        self.words = TopicWords(config.num_topics, len(self.ids), priors)
        self.words.begin(config.seed)
        self._held_out = _HeldOut.of(tokens.valid, self.row_of)
        self._drawn: tuple[int, NDArray[np.int64]] | None = None  # a pass, and its order

    @property
    def batch_documents(self) -> int:
        """Documents of a step."""
        return min(self.config.batch_documents, max(self.num_documents // FEWEST_BATCHES, 1))

    @property
    def num_batches(self) -> int:
        """Steps of a pass over the text."""
        return -(-self.num_documents // self.batch_documents)

    def train(self, context: RunContext) -> list[dict[str, Any]]:
        """Learn; returns the records. See `OnlineTraining.run` for what is raised."""
        from foretext.topics.training import OnlineTraining

        training = OnlineTraining(self, context)
        if context.resume:
            training.resume()
        return training.run()

    def show(self, number: int, seed: int) -> list[Shown]:
        """Show which words topics are made of, and so many documents that are drawn."""
        from foretext.topics.showing import topics_shown

        return topics_shown(self, self.vocabulary.words, number, seed)

    def batch(self, step: int) -> Batch:
        """Return the documents of a step; each pass has an order of its own."""
        epoch, number = divmod(step, self.num_batches)
        order = self._order(epoch)
        first = number * self.batch_documents
        chosen = np.sort(order[first : first + self.batch_documents])
        ids, of_document = ids_of(self.tokens.train, chosen)
        return Batch.of(ids, of_document, len(chosen), self.row_of)

    def _order(self, epoch: int) -> NDArray[np.int64]:
        """Return the documents in the order of a pass, which is drawn once for all its steps."""
        if self._drawn is None or self._drawn[0] != epoch:
            rng = np.random.default_rng((self.config.seed, epoch))
            self._drawn = epoch, rng.permutation(self.num_documents)
        return self._drawn[1]

    def rate(self, step: int) -> float:
        """Return how much a step weighs."""
        return float((self.config.delay + step) ** -self.config.decay)

    def learn(self, batch: Batch, step: int, pool: Threads | None = None) -> Inference:
        """Learn from the documents of a step."""
        return self.words.learn(batch, self.rate(step), self.num_documents, pool)

    def compile(self) -> None:
        """Learn no document at all, for the sake of the machine code."""
        nothing = np.zeros(0, np.int64)
        batch = Batch.of(nothing, nothing, 0, self.row_of)
        weights = self.words.weights(batch.rows)
        self.words.add(batch, weights, self.words.infer(batch, weights), 0.0)

    def loss(self, batch: Batch, found: Inference) -> float:
        """Return the nats a word of documents, by what was inferred of them."""
        return word_loss(self.words, self.words.shares(found), batch)

    def held_out_loss(self, pool: Threads | None = None) -> float | None:
        """Nats a word of the second halves of documents that are held out; None: there are none."""
        return None if self._held_out is None else self._held_out.loss(self.words, pool)

    def _words_of_topics(self, rates: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the ids of words that are in neither too many documents, nor in none."""
        chosen = self.config.most_documents
        most = max(chosen, FEW_DOCUMENTS / self.num_documents)
        ids: NDArray[np.int64] = np.flatnonzero((rates <= most) & (np.arange(len(rates)) > 0))
        if len(ids) < 2:
            raise SettingError(
                f"[topics] most_documents = {chosen:g} leaves {counted(len(ids), 'word')}: all "
                "others are in more of the documents; raise it, or give shorter documents."
            )
        return ids


class _HeldOut:
    """Documents whose first halves are seen, to predict the others: every second word."""

    def __init__(self, seen: Batch, hidden: Batch) -> None:
        self.seen, self.hidden = seen, hidden

    @classmethod
    def of(cls, tokens: TokenFile | None, row_of: NDArray[np.int64]) -> _HeldOut | None:
        if tokens is None:
            return None
        ids, of_document = ids_of(tokens, np.arange(min(tokens.num_documents, MOST_MEASURED)))
        halves = halved(ids, of_document, row_of)
        return cls(*halves) if halves[1].num_words else None

    def loss(self, words: TopicWords, pool: Threads | None) -> float:
        return completion_loss(words, self.seen, self.hidden, pool)


def halved(
    ids: NDArray[np.integer], of_document: NDArray[np.int64], row_of: NDArray[np.int64]
) -> tuple[Batch, Batch]:
    """Return documents of which each has every second word of topics, and those with the others."""
    known = row_of[ids] >= 0
    ids, of_document = ids[known], of_document[known]
    size = int(of_document[-1]) + 1 if len(of_document) else 0
    number = np.arange(len(ids)) - np.searchsorted(of_document, of_document)  # within its document
    first, second = (
        Batch.of(ids[number % 2 == half], of_document[number % 2 == half], size, row_of)
        for half in (0, 1)
    )
    return first, second


def completion_loss(
    words: TopicWords, seen: Batch, hidden: Batch, pool: Threads | None = None
) -> float:
    """Return the nats a word of one half of documents, by the topics of the other.

    Wallach et al. 2009, "Evaluation Methods for Topic Models", section 5.1: document completion,
    with the expected shares of topics in the place of an integral over them.
    """
    found = words.infer(seen, words.weights(seen.rows), pool)
    return word_loss(words, words.shares(found), hidden)


def word_loss(words: TopicWords, shares: NDArray[np.float32], batch: Batch) -> float:
    """Return the nats a word of documents with these topics, (B, K)."""
    probable, total = words.probabilities(batch.rows).astype(np.float32), 0.0
    for first in range(0, len(batch.documents), ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        mixed = np.einsum(
            "ek,ek->e", shares[batch.documents[part]], probable[batch.bags.slots[part]]
        )
        total -= float(batch.bags.counts[part] @ np.log(mixed.astype(np.float64)))
    return total / max(batch.num_words, 1)
