"""Words with ids and counts; id 0 stands for all other words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np

from foretext.base.errors import CorpusError
from foretext.corpus.counts import WordCounts

__all__ = ["UNKNOWN", "Vocabulary"]

UNKNOWN = "[UNK]"


class Vocabulary:
    """Words by id, the most frequent first after ``[UNK]``.

    Attributes:
        words: V words; ``words[0]`` is ``[UNK]``.
        counts: (V,) int64; ``counts[0]`` is the number of tokens that are unknown.
    """

    def __init__(self, words: list[str], counts: np.ndarray) -> None:
        assert words[0] == UNKNOWN, words[0]
        assert len(words) == len(counts), (len(words), len(counts))
        self.words = words
        self.counts = counts

    @classmethod
    def of(
        cls,
        found: WordCounts,
        max_size: int | None = None,
        *,
        unknown: Collection[str] = (UNKNOWN,),
    ) -> Vocabulary:
        """Return the first words of `found`, at most `max_size` with ``[UNK]``.

        Args:
            found: the words of a corpus.
            max_size: words, at most.
            unknown: words that count as unknown.
        """
        known = [index for index, word in enumerate(found.words) if word not in unknown]
        known = known[: None if max_size is None else max_size - 1]
        counts = found.counts[known]
        words = [found.words[index] for index in known]
        return cls([UNKNOWN, *words], np.insert(counts, 0, found.num_tokens - counts.sum()))

    def extended(
        self,
        words: Sequence[str],
        counts: np.ndarray | None,
        *,
        unknown: Collection[str] = (UNKNOWN,),
    ) -> Vocabulary:
        """Return the vocabulary with other words, without those that count as unknown.

        Counts of words in both are added; without counts each counts 1. The order is again by
        count, ties by word.

        Raises:
            CorpusError: a word contains a tab or line end, which no file can keep.
        """
        total = dict(zip(self.words[1:], self.counts[1:].tolist(), strict=True))
        others = [1] * len(words) if counts is None else np.asarray(counts).tolist()
        for word, count in zip(words, others, strict=True):
            if "\t" in word or "\n" in word:
                raise CorpusError(
                    f"The word {word!r} of the base cannot be kept, because it contains a tab or "
                    "a line end; remove it from the base's file."
                )
            if word not in unknown:
                total[word] = total.get(word, 0) + count
        ordered = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
        merged = [int(self.counts[0]), *(count for _, count in ordered)]
        return Vocabulary([UNKNOWN, *(word for word, _ in ordered)], np.array(merged, np.int64))

    def require_two_words(self) -> None:
        """Check that there are two words, which can learn from each other.

        Raises:
            CorpusError: there are fewer.
        """
        if len(self.words) < 3:  # [UNK] does not count
            raise CorpusError(
                "The vocabulary has fewer than two words, so there is nothing to learn; give more "
                "text or lower min_count."
            )

    @cached_property
    def ids(self) -> dict[str, int]:
        """Word to id."""
        return {word: index for index, word in enumerate(self.words)}

    @property
    def unknown_rate(self) -> float:
        """Share of the tokens of the corpus that are unknown."""
        return float(self.counts[0] / max(1, self.counts.sum()))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.ids

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self.words == other.words and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]
