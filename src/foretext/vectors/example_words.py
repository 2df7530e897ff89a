"""Words of a vocabulary that show what its vectors have learned."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["example_words"]

FUNCTION_WORDS = 100  # the most frequent words, nearly all of them without a topic, in any language
FREQUENT = 2000  # words whose vectors have seen enough text
SHORTEST = 5  # letters of a word; in large scripts, such as Chinese, two characters


def example_words(words: Sequence[str], number: int = 8) -> list[str]:
    """Return words that are frequent and probably have a topic, spread over the frequencies.

    Args:
        words: the most frequent first.
        number: how many, at most.
    """
    frequent = words[FUNCTION_WORDS:FREQUENT] or words
    telling = [word for word in frequent if word.isalpha() and _is_long(word)] or list(frequent)
    step = max(1, len(telling) // number)
    return telling[::step][:number]


def _is_long(word: str) -> bool:
    return len(word) >= (SHORTEST if word[0] < "\u2e80" else 2)
