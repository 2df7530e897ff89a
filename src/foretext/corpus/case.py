"""Whether capital letters carry grammar in a text, as in German, where every noun has one.

Of the words inside sentences, right after another word, about a third begin with a capital letter
in German, a quarter in English news, a tenth in books. Where only names do so, lower case makes
rare words frequent and loses little; where nouns do so, it merges words of different meaning.
"""

from __future__ import annotations

import re

__all__ = ["CASE_SAMPLE", "capital_rate", "likely_lowercase"]

CASE_SAMPLE = 1 << 18  # characters that show it
_INSIDE = re.compile(r"(?<=[^\W\d_] )[^\W\d_]")  # first letters of words that follow a word
_FEWEST = 200  # words, for a rate that says something
_NOUNS = 0.27  # more are capitalised: more than names
_TITLES = 0.6  # more are capitalised: headlines, or a text in capital letters


def capital_rate(text: str) -> float | None:
    """Return the share of the words inside sentences that begin with a capital letter.

    None: the script has no case, or the text is too short.
    """
    first = "".join(_INSIDE.findall(text))
    capital = sum(map(str.isupper, first))
    words = capital + sum(map(str.islower, first))
    return capital / words if words >= _FEWEST and 2 * words >= len(first) else None


def likely_lowercase(sample: str) -> bool:
    """Whether a text loses little in lower case: its capital letters do not mark nouns."""
    rate = capital_rate(sample)
    return rate is None or not _NOUNS < rate < _TITLES
