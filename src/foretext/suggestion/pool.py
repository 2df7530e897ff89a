"""The texts among which some are chosen: each once, the most doubtful of any number of texts.

A million texts pass through in blocks; the pool keeps as many as can be compared with each other.
Where nothing is known of their doubts it is a random sample of all (Vitter 1985, algorithm R).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows.in_memory import NO_TEXT, text_key
from foretext.data.rows.inputs import Input

__all__ = ["Pool"]

BLOCK = 4096  # texts that are answered at once

Doubts = Callable[[Sequence[Input]], Sequence[float]]


class Pool:
    """Texts to choose from.

    Args:
        size: texts that are kept, at most.
        num_fields: texts of an input, at its beginning.
        labelled: texts that have labels already, and are left out.
        seed: of the random sample.

    Attributes:
        inputs: that are kept.
        doubts: (N,) how unsure the answer to each is; zeros where nobody knows.
        counts: texts that were read, and those that were left out by their reason.
    """

    def __init__(
        self, size: int, num_fields: int = 1, labelled: Iterable[str] = (), seed: int = 0
    ) -> None:
        self.size, self.num_fields = size, num_fields
        self.inputs: list[Input] = []
        self.doubts: NDArray[np.float64] = np.zeros(0)
        self.counts = dict.fromkeys(("texts", "repeated", "empty", "labelled"), 0)
        self._labelled = {_key(text) for text in labelled}
        self._seen: set[bytes] = set()
        self._rng = np.random.default_rng(seed)
        self._num_offered = 0

    def fill(self, inputs: Iterable[Input], doubts: Doubts | None = None) -> Iterator[int]:
        """Take texts in, and yield how many were read in each block.

        Args:
            inputs: the texts of each, as a predictor reads them.
            doubts: says how unsure the answers to some are, of which the most unsure are kept;
                None: a random sample is.
        """
        given = iter(inputs)
        while block := list(islice(given, BLOCK)):
            fresh = [own for own in block if self._is_fresh(own)]
            if doubts is None:
                self._sample(fresh)
            elif fresh:
                self._add(fresh, doubts(fresh))
            yield len(block)

    def text(self, index: int) -> str:
        """Return the text of an input that is kept, or both of a pair."""
        return "\n".join(self.inputs[index][: self.num_fields])

    def _is_fresh(self, own: Input) -> bool:
        key = _key("\n".join(own[: self.num_fields]))
        why = next((name for name, holds in self._reasons(key) if holds), None)
        self.counts["texts"] += 1
        if why is not None:
            self.counts[why] += 1
        self._seen.add(key)
        return why is None

    def _reasons(self, key: bytes) -> Iterator[tuple[str, bool]]:
        """Yield why a text may be left out, and whether it is."""
        yield "empty", key == NO_TEXT
        yield "labelled", key in self._labelled
        yield "repeated", key in self._seen

    def _add(self, fresh: list[Input], doubts: Sequence[float]) -> None:
        """Keep the most doubtful; of equal ones the first."""
        self.inputs += fresh
        self.doubts = np.concatenate([self.doubts, doubts])
        if len(self.inputs) > self.size:
            kept = np.argsort(-self.doubts, kind="stable")[: self.size]
            kept.sort()
            self.inputs = [self.inputs[index] for index in kept]
            self.doubts = self.doubts[kept]

    def _sample(self, fresh: list[Input]) -> None:
        """Let each text replace another one, as likely as it should be kept."""
        for own in fresh:
            self._num_offered += 1
            if len(self.inputs) < self.size:
                self.inputs.append(own)
            elif (index := int(self._rng.integers(self._num_offered))) < self.size:
                self.inputs[index] = own
        self.doubts = np.zeros(len(self.inputs))


def _key(text: str) -> bytes:
    """Return what is the same for texts that differ in blanks, case or width alone."""
    return text_key("".join(text.split()))
