"""Texts on which a page and Python have to agree: the user's, made-up ones, and hard ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from foretext.corpus.corpus import Corpus
from foretext.corpus.texts import found_sources

__all__ = ["HARD_TEXTS", "LONGEST", "MOST_TEXTS", "check_texts", "first_texts"]

MOST_TEXTS = 500
LONGEST = 5_000  # characters of a text of the user's

HARD_TEXTS = (
    "",
    " ",
    "\t\n \u00a0\u3000",
    'The ship, the SHIP; "the ship\'s" <br /> mast (3.14%)!',
    "Straße STRASSE ﬁne ﬁsh Ⅷ ½ ² ９９ ＡＢＣ",
    "İstanbul IĞDIR ıssız i\u0307",  # I with a dot has a small form of two characters
    "ΟΔΥΣΣΕΥΣ Σ ΣΑΣ ὈΔΥΣΣΕΎΣ",  # a sigma at the end of a word
    "e\u0301te\u0301 \u00e9t\u00e9 A\u030angstro\u0308m q\u0323\u0307 q\u0307\u0323",
    "क्षत्रिय हिन्दी বাংলা தமிழ் ภาษาไทย ភាសាខ្មែរ",
    "العَرَبِيَّة مُحَمَّد עִבְרִית",
    "co\u00adop\u00ader\u00adate word\u2060joiner zero\u200bwidth non\u200cjoiner joi\u200dner",
    "\ufeffmark",
    "中文分词：我爱自然语言处理，2024年！「引号」〇々",
    "日本語のテキスト、カタカナ ﾊﾝｶｸ 한국어 조선말",
    "emoji 😀😃 👩‍👩‍👧 👍🏽 🇨🇳🇩🇪 ☎️ ✈ ❶ ©™ →",
    "a\x00b\x0bc\x0cd\x1ce\x1ff\x85g\u2028h\u2029i",
    "tabs\tand\r\nlines\nand\rreturns",
    "half a pair: \ud83d and \udc00",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟘𝟙 𐐀𐐨 \U000e0001 \U0010ffff \ue000",
    "_under_score__ __label__x don't O'Neil e-mail x.y@z.org https://a.b/c?d=e#f",
    "<s> </s> [UNK] [MASK] __label__ &amp; <BR />< br/>",
    "1234567890 1,234.5 ٣٤٥ ४५६ 三百 Ⅻ",
    "ŉ ǰ ΐ ﬀ ẞ Ǆ ǅ ǆ K Å",  # small and capital letters that are no pairs
    "x" * 1200 + " " + "é" * 600,
)


def first_texts(given: Any) -> list[str]:
    """Return the first texts of a corpus, which is given as its files, or in memory.

    Raises:
        CorpusError: there is none, or it is damaged.
    """
    found = (document[:LONGEST].strip("\n") for document in Corpus(found_sources(given)))
    return list(islice(found, MOST_TEXTS))


def check_texts(own: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the hard texts and up to 500 others.

    Args:
        own: of the user; without any, texts are made up of words.
        words: of the model, the frequent ones first.
    """
    own = own or _made_up(words)
    long = " ".join(own[:20])
    return [*HARD_TEXTS, (long + " ") * max(1, 20_000 // max(len(long), 1)), *own]


def _made_up(words: Sequence[str]) -> list[str]:
    """Return texts of words that are drawn, the frequent ones more often; the same every time."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 40, MOST_TEXTS)
    indices = (len(words) * rng.random(int(lengths.sum())) ** 3).astype(int)
    ends = np.cumsum(lengths)
    return [
        " ".join(words[index] for index in indices[end - length : end])
        for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)
    ]
