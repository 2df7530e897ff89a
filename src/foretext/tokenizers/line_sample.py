"""A sample of lines whose distinct words have a bounded length together.

That length is what the time of learning a unigram model depends on: every distinct word is cut into
pieces dozens of times. In text with blanks it grows slowly. In text without any, such as Chinese,
hardly two "words" are equal, and it grows with the text.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["LineSample"]

THINNER = 0.9  # what is kept of the lines where they are too many
GOLDEN = 0.6180339887498949  # multiples of it, less whole numbers, are spread evenly over 0 to 1


class LineSample:
    """Lines from all of a text, in its order, and all characters that it has.

    Args:
        limit: characters of all distinct words together, at most; one line is always kept.

    Attributes:
        rate: share of the lines that are kept; 1.0: all.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.rate = 1.0
        self._lines: list[tuple[float, str]] = []  # each with its place between 0 and 1
        self._num_read = 0
        self._alphabet: set[str] = set()
        self._left_out: dict[int, str] = {}
        self._forget_words()

    def __iter__(self) -> Iterator[str]:
        """Yield the lines; then, as one word, characters that only other lines have."""
        if self._left_out:
            yield from (line.translate(self._left_out) for _, line in self._lines)
        else:
            yield from (line for _, line in self._lines)
        missing = self._alphabet.difference(*(line for _, line in self._lines))
        if missing:
            yield "".join(sorted(missing)).translate(self._left_out)

    def leave_out(self, characters: str) -> None:
        """Put a blank in the place of some characters."""
        self._left_out = dict.fromkeys(map(ord, characters), " ")

    def add(self, line: str) -> None:
        """Read one more line of the text."""
        place = self._num_read * GOLDEN % 1.0
        self._num_read += 1
        self._alphabet.update(line)
        if place < self.rate:
            self._lines.append((place, line))
            self._count(line)
        while self.num_characters > self.limit and len(self._lines) > 1:
            self._thin()

    def _thin(self) -> None:
        self.rate *= THINNER
        self._lines = [entry for entry in self._lines if entry[0] < self.rate] or self._lines[:1]
        self._forget_words()
        for _, line in self._lines:
            self._count(line)

    def _forget_words(self) -> None:
        self._words: set[str] = set()
        self.num_characters = 0  # of the distinct words

    def _count(self, line: str) -> None:
        for word in line.split(" "):
            if word not in self._words:
                self._words.add(word)
                self.num_characters += len(word)
