"""doc2vec: vectors of documents that predict their words (Le & Mikolov 2014).

"Distributed Representations of Sentences and Documents", sections 2.2 (PV-DM) and 2.3 (PV-DBOW).
The inner loop is in `foretext.kernels.doc2vec`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.kernels.doc2vec import train_documents
from foretext.kernels.windows import MAX_SENTENCE
from foretext.progress.run_context import RunContext
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.vectors.doc2vec_config import Doc2VecConfig
from foretext.vectors.document_network import DocumentNetwork, HeldOutWords
from foretext.vectors.document_windows import DocumentWindows
from foretext.vectors.hogwild import train_hogwild
from foretext.vectors.slice_learner import Learned
from foretext.vectors.slices import Slices, cut_sentences

__all__ = ["Doc2Vec"]


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
        self._windows = DocumentWindows.draw(self._documents, self.config, self.config.seed)

    def _start(self) -> None:
        """Inputs uniform in +-1 / 2D as in word2vec's program, outputs zero."""
        rows = self.network.input_rows
        rng = np.random.default_rng(self.config.seed)
        size = np.float32(self.config.vector_size)
        rows[...] = (rng.random(rows.shape, np.float32) - np.float32(0.5)) * np.float32(2) / size
