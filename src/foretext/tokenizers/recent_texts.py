"""The texts that were encoded last, for who encodes a text twice.

A server counts the tokens of a text before it accepts it, and the model encodes it soon after; a
query that is compared with many texts is encoded with each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

__all__ = ["RecentTexts"]

Encode = Callable[[Sequence[str]], list[list[int]]]


class RecentTexts:
    """Encodes texts, and remembers the latest; threads may share it.

    Args:
        encode: gives the ids of each text.
        max_characters: of the texts that are remembered; a longer text is not.
    """

    def __init__(self, encode: Encode, max_characters: int) -> None:
        self._encode = encode
        self._max_characters = max_characters
        self._ids: dict[str, list[int]] = {}  # the oldest first
        self._num_characters = 0
        self._lock = Lock()  # of the two

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text, in lists of the caller's own."""
        with self._lock:
            found = {text: self._ids[text] for text in texts if text in self._ids}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        encoded = dict(zip(new, self._encode(new), strict=True)) if new else {}
        with self._lock:
            for text, ids in encoded.items():
                self._remember(text, ids)
        found |= encoded
        return [list(found[text]) for text in texts]

    def _remember(self, text: str, ids: list[int]) -> None:
        if text in self._ids or len(text) > self._max_characters:  # another thread may be faster
            return
        self._ids[text] = ids
        self._num_characters += len(text)
        while self._num_characters > self._max_characters:
            oldest = next(iter(self._ids))
            del self._ids[oldest]
            self._num_characters -= len(oldest)
