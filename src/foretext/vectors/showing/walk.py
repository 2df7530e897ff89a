"""The first epoch of a walk over a text, sentence by sentence, as the kernels draw it.

A kernel draws inside its loop: which words survive sub-sampling, how wide each window is, which
noise words it gets. Here the same functions of the kernels are called one by one, with the same
random numbers, so that what is shown is what is trained.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.kernels import fasttext, word2vec_arrays
from foretext.kernels.sigmoid import GROUP
from foretext.kernels.windows import keep_words, window_of
from foretext.kernels.word2vec_arrays import draw_outputs, outputs_at, outputs_outside
from foretext.vectors.schedule import Slices, step_seed

__all__ = ["FastTextWalk", "ReadSentence", "Walk", "Window", "Word2VecWalk"]

Ids = NDArray[np.int64]

MOST_TOKENS = 40  # of a sentence that is easily read


class Window(NamedTuple):
    """A word and what it is learned with."""

    centre: int
    at: int  # its number among the words that are left
    span: int  # words to each side, as drawn
    contexts: Ids  # (C,)
    noise: Ids  # (1, K): of the window; (C, K): of each context word; (1, 0): there is none


class ReadSentence(NamedTuple):
    """A sentence as the training reads it."""

    ids: Ids  # (N,), with what is dropped
    is_kept: NDArray[np.bool_]  # (N,)
    words: Ids  # (n,) what sub-sampling left
    windows: list[Window]  # of those words that have a context


class Walk(ABC):
    """The sentences of the first epoch, as many as `most_tokens` have.

    Args:
        slices: in the order of learning.
        seed: of the training.
        vocab_size: V.
        most_tokens: after which the walk ends.
    """

    def __init__(self, slices: Slices, seed: int, vocab_size: int, most_tokens: int) -> None:
        self.counts_read = np.zeros(vocab_size, np.int64)
        self.counts_left = np.zeros(vocab_size, np.int64)
        self._counters: dict[int, int] = {}  # before each sentence
        self._lengths: dict[int, int] = {}  # of what is left of each
        for number, counter in self._passed(slices, seed, most_tokens):
            self._counters[number] = counter

    fewest = 2  # words of a sentence that is learned
    scratch: Any  # of the kernel, with room for `words` and `spans`

    @abstractmethod
    def _span(self, number: int) -> tuple[int, int]:
        """Return where a sentence begins and ends among the ids."""

    @abstractmethod
    def _ids(self, start: int, end: int) -> Ids:
        """Return the ids of tokens."""

    @abstractmethod
    def _keep(self, start: int, end: int, counter: int) -> int:
        """Draw what is left of some tokens, and their windows; return their number."""

    @abstractmethod
    def _windows(self, size: int, counter: int) -> tuple[list[Window], int]:
        """Return the windows of the words that were drawn last, and the counter after them."""

    def _left(self, size: int) -> tuple[Ids, Ids]:
        """Return words and spans that were drawn last."""
        return self.scratch.words[:size].copy(), self.scratch.spans[:size].copy()

    def _after(self, size: int, counter: int) -> int:
        """Return the counter after the windows of the words that were drawn last."""
        return self._windows(size, counter)[1]

    def examples(self, number: int, seed: int) -> list[ReadSentence]:
        """Draw sentences that have windows, in the order of the text."""
        return [self.sentence(at) for at in self.chosen(number, seed)]

    def chosen(self, number: int, seed: int) -> list[int]:
        """Draw the numbers of sentences that have windows, in their order; readable ones first."""
        with_windows = [at for at, left in self._lengths.items() if left >= self.fewest]
        readable = [
            at
            for at in with_windows
            if self._lengths[at] > 3 and np.subtract(*self._span(at)[::-1]) <= MOST_TOKENS
        ]
        among = readable if len(readable) >= number else with_windows
        drawn = np.random.default_rng(seed).permutation(len(among))[:number]
        return [among[at] for at in sorted(drawn)]

    def sentence(self, number: int) -> ReadSentence:
        """Read one sentence of the walk."""
        counter, (start, end) = self._counters[number], self._span(number)
        positions = range(start, end)
        is_kept = [self._keep(at, at + 1, counter + at - start) == 1 for at in positions]
        size = self._keep(start, end, counter)
        words = self._left(size)[0]
        windows = self._windows(size, counter + end - start)[0]
        return ReadSentence(self._ids(start, end), np.array(is_kept, bool), words, windows)

    def _passed(self, slices: Slices, seed: int, most_tokens: int) -> Iterator[tuple[int, int]]:
        """Walk, and yield each sentence with the counter before it."""
        for step in range(len(slices)):
            counter = step_seed(seed, step) << 32
            for number in range(*slices.firsts[step : step + 2].tolist()):
                start, end = self._span(number)
                yield number, counter
                size = self._keep(start, end, counter)
                self._lengths[number] = size
                self._add(self.counts_read, self._ids(start, end))
                self._add(self.counts_left, self._left(size)[0])
                most_tokens -= end - start
                if most_tokens <= 0:
                    return
                counter = self._after(size, counter + end - start)

    @staticmethod
    def _add(counts: Ids, words: Ids) -> None:
        np.add.at(counts, words, 1)


class Word2VecWalk(Walk):
    """word2vec's walk: `foretext.kernels.word2vec.train_slice` without the learning."""

    def __init__(
        self,
        text: Any,
        targets: word2vec_arrays.Targets,
        method: word2vec_arrays.Method,
        scratch: word2vec_arrays.Scratch,
        slices: Slices,
        seed: int,
        most_tokens: int,
    ) -> None:
        self.text, self.targets, self.method, self.scratch = text, targets, method, scratch
        self.width = -(-targets.most // GROUP) * GROUP if targets.negatives else 0
        self.null = len(text.keep)
        super().__init__(slices, seed, len(text.keep), most_tokens)

    def _span(self, number: int) -> tuple[int, int]:
        start, end = self.text.sentence_starts[number : number + 2].tolist()
        return start, end

    def _ids(self, start: int, end: int) -> Ids:
        return np.asarray(self.text.ids[start:end], np.int64)

    def _keep(self, start: int, end: int, counter: int) -> int:
        room, window = self.scratch, self.method.window
        number = np.uint64(counter)
        return int(keep_words(self.text, start, end, window, number, room.words, room.spans))

    def _draw(self, size: int, counter: int) -> int:
        """Draw the noise words of each position, as the kernel does at the start of a sentence."""
        if not self.targets.negatives:
            return counter
        given = (self.scratch, size, self.targets, self.method, np.uint64(counter))
        return int(draw_outputs(*given, self.null, self.width))

    def _after(self, size: int, counter: int) -> int:
        if self.method.shared_noise:
            return self._draw(size, counter)
        return super()._after(size, counter)

    def _windows(self, size: int, counter: int) -> tuple[list[Window], int]:
        counter, windows = self._draw(size, counter), []
        words, spans = self._left(size)
        for at in range(size):
            contexts = self._around(size, at)
            if contexts is None:
                continue
            noise, counter = self._noise(at, contexts, counter)
            windows.append(Window(int(words[at]), at, int(spans[at]), contexts, noise))
        return windows, counter

    def _around(self, size: int, at: int) -> Ids | None:
        """Return the context words of a position among those that are left; None: it has none."""
        room = self.scratch
        number = window_of(room.words, size, at, room.spans[at], room.contexts)
        return room.contexts[:number].copy() if number else None

    def _num_pairs(self, contexts: Ids) -> int:
        """Return how many inputs a window has."""
        return len(contexts)

    def _noise(self, at: int, contexts: Ids, counter: int) -> tuple[Ids, int]:
        """Return the noise words of a window; the classic order draws more for each other pair."""
        first = at * self.width
        drawn = [self._outputs(first)]
        for _ in range(0 if self.method.shared_noise else self._num_pairs(contexts) - 1):
            counter = self._draw_pair(first, self.scratch.words[at], len(contexts), counter)
            drawn.append(self._outputs(first))
        return np.array(drawn, np.int64), counter

    def _outputs(self, first: int) -> Ids:
        noise: Ids = self.scratch.rows[first + 1 : first + 1 + self.targets.negatives]
        return noise.copy()

    def _draw_pair(self, first: int, centre: int, number: int, counter: int) -> int:
        rows, contexts = self.scratch.rows, self.scratch.contexts
        given = (rows, first, centre, self.targets, np.uint64(counter), self.null)
        if self.method.outside_context:
            return int(outputs_outside(*given, contexts, 0, number))
        return int(outputs_at(*given))


class FastTextWalk(Walk):
    """fastText's walk: `foretext.kernels.fasttext.train_slice` without the learning."""

    def __init__(
        self,
        text: fasttext.Text,
        model: fasttext.Model,
        scratch: fasttext.Scratch,
        slices: Slices,
        seed: int,
        most_tokens: int,
    ) -> None:
        self.text, self.model, self.scratch = text, model, scratch
        super().__init__(slices, seed, len(text.keep), most_tokens)

    def _span(self, number: int) -> tuple[int, int]:
        start, length = self.text.places[number], np.diff(self.text.sentence_starts[number:][:2])
        return int(start), int(start + length[0])

    def _ids(self, start: int, end: int) -> Ids:
        return np.asarray(self.text.ids[start:end], np.int64)

    def _keep(self, start: int, end: int, counter: int) -> int:
        room, window = self.scratch, self.model.window
        number = np.uint64(counter)
        return int(keep_words(self.text, start, end, window, number, room.words, room.spans))

    def _windows(self, size: int, counter: int) -> tuple[list[Window], int]:
        """Draw the noise of each predicted word: the contexts of skip-gram, or CBOW's centres."""
        windows: list[Window] = []
        room, is_cbow = self.scratch, self.model.cbow
        words, spans = self._left(size)
        for at in range(size if size > 1 or not is_cbow else 0):
            number = window_of(words, size, at, spans[at], room.contexts)
            contexts = room.contexts[:number].copy()
            predicted = [int(words[at])] if is_cbow else contexts.tolist()
            noise, counter = self._noise(predicted, counter)
            if number:
                windows.append(Window(int(words[at]), at, int(spans[at]), contexts, noise))
        return windows, counter

    def _noise(self, predicted: list[int], counter: int) -> tuple[Ids, int]:
        size = self.model.negatives
        drawn = []
        for word in predicted if size else ():
            given = (self.model, self.scratch, 0, word, np.uint64(counter), len(self.text.keep))
            _, counter = fasttext.noise_block(*given)
            drawn.append(self.scratch.rows[1 : 1 + size].copy())
        return np.array(drawn or [[]], np.int64), counter
