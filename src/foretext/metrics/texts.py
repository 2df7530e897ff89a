"""How like texts are to their references: BLEU, chrF and ROUGE-L, from 0 to 100.

BLEU is that of Papineni et al. 2002 and chrF that of Popović 2015 (chrF++ of 2017) as sacreBLEU
counts them (Post 2018): the same words, n-grams and signatures. ROUGE-L is the F1 of the longest
common subsequence of words (Lin 2004, section 3.1), the mean over texts.

Each figure is computed from sums over rows, so that the tests of `foretext.metrics.paired` need no
second pass.

The longest common subsequence of two texts, a machine word of places at a time. After Hyyrö 2004,
"Bit-parallel LCS-length computation revisited": a row of the table is one number, whose zeros are
the places where the length grows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.metrics.paired import Sums, Tallies, share_of_sums
from foretext.metrics.text_counts import (
    ORDERS,
    WordKind,
    bleu_counts,
    chrf_counts,
    signature,
    word_cutter,
)

__all__ = [
    "BleuTokenize",
    "RougeTokenize",
    "TextFigure",
    "bleu",
    "bleu_of_sums",
    "chrf",
    "chrf_of_sums",
    "likely_tokenize",
    "longest_common_subsequence",
    "rouge_l",
    "text_units",
    "unit_pattern",
]

BleuTokenize = Literal["auto", "13a", "zh", "char", "intl", "none"]
RougeTokenize = Literal["auto", "ascii", "words", "characters"]

PLAIN_RATE = 0.999  # share of letters a to z from which on a text is read as rouge-score does

_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = f"{_HAN}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u31f0-\u31ff"
_LETTERS = re.compile(r"[^\W\d_]")
_WORDS = {  # of texts in lower case
    "ascii": re.compile(r"[a-z0-9]+"),
    "words": re.compile(r"\w+"),
    "characters": re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+"),
}


class TextFigure(NamedTuple):
    """One figure of N outputs beside N references.

    Attributes:
        tallies: what each row adds to the sums, in the order of the rows.
        signature: how words are cut and counted, which a reader needs to compare the figure.
    """

    tallies: Tallies
    signature: str

    @property
    def value(self) -> float:
        """The figure of all rows, 0 to 100."""
        return float(self.tallies.figure(self.tallies.parts.sum(axis=0)))

    @property
    def each(self) -> NDArray[np.float64]:
        """The figure of each row alone, (N,)."""
        return self.tallies.figure(self.tallies.parts)


def bleu(
    outputs: Sequence[str],
    references: Sequence[str],
    *,
    tokenize: BleuTokenize = "auto",
    lowercase: bool = False,
) -> TextFigure:
    """Return BLEU of up to 4-grams with exponential smoothing, as ``sacrebleu`` does by default.

    Args:
        outputs: N texts.
        references: N right texts.
        tokenize: what a word is; "auto" is `likely_tokenize`. The signature says which.
        lowercase: whether case counts for nothing.
    """
    kind: WordKind = likely_tokenize(references) if tokenize == "auto" else tokenize
    pairs = _pairs(outputs, references, lowercase=lowercase)
    cut = word_cutter(kind, (text for pair in pairs for text in pair))
    parts = np.array([bleu_counts(cut, *pair) for pair in pairs], np.float64)
    tallies = Tallies(parts.reshape(len(pairs), -1), bleu_of_sums, by_bootstrap=True)
    named = signature(_case(lowercase=lowercase), "eff:no", f"tok:{kind}", "smooth:exp")
    return TextFigure(tallies, named)


def chrf(
    outputs: Sequence[str],
    references: Sequence[str],
    *,
    word_order: int = 0,
    lowercase: bool = False,
) -> TextFigure:
    """Return the F2 of n-grams of 1 to 6 characters; of words too, up to `word_order` (chrF++: 2).

    Args:
        outputs: N texts.
        references: N right texts.
        word_order: the longest n-grams of words; 0: none.
        lowercase: whether case counts for nothing.
    """
    pairs = _pairs(outputs, references, lowercase=lowercase)
    parts = np.array([chrf_counts(*pair, word_order) for pair in pairs], np.float64)
    tallies = Tallies(parts.reshape(len(pairs), -1), chrf_of_sums, by_bootstrap=True)
    sizes = ("nc:6", f"nw:{word_order}", "space:no")
    return TextFigure(tallies, signature(_case(lowercase=lowercase), "eff:yes", *sizes))


def rouge_l(
    outputs: Sequence[str], references: Sequence[str], *, tokenize: RougeTokenize = "auto"
) -> TextFigure:
    """Return the mean F1 of the longest common subsequences of words, case ignored.

    Args:
        outputs: N texts.
        references: N right texts.
        tokenize: what a word is. "ascii": runs of a to z and digits, as the library ``rouge-score``
            has it; "words": runs of letters and digits of any script; "characters": the same, but
            each character of a script without blanks is a word. "auto" is the first of these that
            suits the references.
    """
    assert len(outputs) == len(references), f"{len(outputs)} outputs, {len(references)} references"
    kind = _likely_words(references) if tokenize == "auto" else tokenize
    pattern = _WORDS[kind]
    parts = np.ones((len(outputs), 2))  # sum of F1, number of rows
    for row, (output, reference) in enumerate(zip(outputs, references, strict=True)):
        own, right = (pattern.findall(text.lower()) for text in (output, reference))
        common = longest_common_subsequence(own, right)
        parts[row, 0] = 200 * common / max(len(own) + len(right), 1)
    tallies = Tallies(parts, share_of_sums, by_bootstrap=True)
    return TextFigure(tallies, f"nrefs:1|case:lc|beta:1|tok:{kind}|stem:no")


def text_units(text: str) -> list[str]:
    """Return the words of a text in lower case; characters where a script has no blanks."""
    return [unit.lower() for unit in unit_pattern().findall(text)]


def unit_pattern() -> re.Pattern[str]:
    """Match each of these words in a text."""
    return _WORDS["characters"]


def likely_tokenize(references: Sequence[str]) -> Literal["13a", "zh", "char"]:
    """Return how BLEU should cut texts: Chinese, another script without blanks, or any other."""
    letters = _letters(references)
    han = len(re.findall(f"[{_HAN}]", letters))
    unspaced = len(re.findall(f"[{_UNSPACED}]", letters))
    if 2 * unspaced <= len(letters):
        return "13a"
    return "zh" if 2 * han > len(letters) else "char"


def _likely_words(references: Sequence[str]) -> Literal["ascii", "words", "characters"]:
    if likely_tokenize(references) != "13a":
        return "characters"
    letters = _letters(references)
    plain = sum(letter.isascii() for letter in letters)
    return "ascii" if plain >= PLAIN_RATE * len(letters) else "words"


def _letters(texts: Sequence[str]) -> str:
    return "".join(letter for text in texts for letter in _LETTERS.findall(text))


def _pairs(
    outputs: Sequence[str], references: Sequence[str], *, lowercase: bool
) -> list[tuple[str, str]]:
    assert len(outputs) == len(references), f"{len(outputs)} outputs, {len(references)} references"
    pairs = zip(outputs, references, strict=True)
    return [(a.lower(), b.lower()) for a, b in pairs] if lowercase else list(pairs)


def _case(*, lowercase: bool) -> str:
    return f"case:{'lc' if lowercase else 'mixed'}"


def bleu_of_sums(sums: Sums) -> NDArray[np.float64]:
    """Return BLEU of sums (..., 10): lengths of output and reference, right n-grams, n-grams."""
    length, right_length = sums[..., 0], sums[..., 1]
    right, given = sums[..., 2 : 2 + ORDERS], sums[..., 2 + ORDERS :]
    is_zero = right == 0
    smoothed = 0.5 ** np.cumsum(is_zero, axis=-1)  # 1/2 for the first order without a match, 1/4
    rates = np.where(is_zero, smoothed, right) / np.maximum(given, 1)
    precision = np.exp(np.log(rates).mean(axis=-1))
    brevity = np.exp(np.minimum(0, 1 - right_length / np.maximum(length, 1)))
    is_something = right.any(axis=-1) & given.all(axis=-1)
    found: NDArray[np.float64] = np.where(is_something, 100 * brevity * precision, 0.0)
    return found


def chrf_of_sums(sums: Sums) -> NDArray[np.float64]:
    """Return chrF of sums (..., 3 G): n-grams of output, of reference, and common, by length."""
    given, right, common = (sums[..., place::3] for place in range(3))
    is_counted = (given > 0) & (right > 0)
    lengths = np.maximum(is_counted.sum(axis=-1), 1)
    precision, recall = (
        np.where(is_counted, common / np.maximum(whole, 1), 0).sum(axis=-1) / lengths
        for whole in (given, right)
    )
    weighted = 4 * precision + recall  # recall counts twice as much
    found: NDArray[np.float64] = np.divide(
        100 * 5 * precision * recall, weighted, out=np.zeros_like(weighted), where=weighted > 0
    )
    return found


def longest_common_subsequence(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return how many items both have in the same order, with others between them or not."""
    places: defaultdict[Hashable, int] = defaultdict(int)
    for place, item in enumerate(second):
        places[item] |= 1 << place
    whole = (1 << len(second)) - 1
    row = whole
    for item in first:
        matches = row & places.get(item, 0)
        row = ((row + matches) | (row - matches)) & whole
    return len(second) - row.bit_count()
