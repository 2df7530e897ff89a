"""From a word as a person writes it to a row: letter case, and words that are close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foretext.base.errors import UnknownWordError

__all__ = ["first_rows", "unknown_word"]

_MOST_SCANNED = 100_000  # the most frequent words, where these come first
_MOST_COMPARED = 2_000


def first_rows(words: Sequence[str], case_insensitive: bool) -> dict[str, int]:
    """Return the row of each word; of words that differ only in case the first, under its capitals.

    The first is the most frequent one in the vocabularies that foretext, gensim, GloVe and fastText
    write. Capitals rather than small letters are gensim's choice, and decide which letters agree.
    """
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        rows.setdefault(word.upper() if case_insensitive else word, row)
    return rows


def unknown_word(word: str, words: Sequence[str], known: Mapping[str, int]) -> UnknownWordError:
    """Return the error that says `word` is unknown, with words that may have been meant."""
    variants = [form for form in _case_variants(word) if form in known]
    return UnknownWordError(word, variants or _candidates(word, words))


def _case_variants(word: str) -> list[str]:
    return list(dict.fromkeys((word.lower(), word.upper(), word.capitalize(), word.title())))


def _candidates(word: str, words: Sequence[str]) -> list[str]:
    """Return words of about the same length that begin alike; comparing with all takes seconds."""
    shortest, longest = len(word) - 2, len(word) + 2
    alike = (
        other
        for other in words[:_MOST_SCANNED]
        if other[:1] == word[:1] and shortest <= len(other) <= longest
    )
    return [other for other, _ in zip(alike, range(_MOST_COMPARED), strict=False)]
