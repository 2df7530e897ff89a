"""Words and n-grams of texts, cut and counted as sacreBLEU does (Post 2018).

Papers compare BLEU and chrF that were counted alike, down to what a word is. So words are cut by
the rules of sacreBLEU, with what looks odd in them, and the signature names the version of it that
gives the same numbers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

__all__ = ["ORDERS", "WordKind", "bleu_counts", "chrf_counts", "signature", "word_cutter"]

WordKind = Literal["13a", "zh", "char", "intl", "none"]
Cutter = Callable[[str], list[str]]

AS_VERSION = "2.6.0"  # of sacreBLEU
ORDERS = 4  # of n-grams of words: what BLEU means by default
CHARACTER_ORDERS = 6  # of chrF

_WESTERN = (  # mteval-v13a
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_CHINESE = re.compile(  # two of these ranges are not what they were meant to be: 20000, 2f800
    "([\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\u2001-\u2a6d\u2f81-\u2fa1"
    "\uff00-\uffef\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f"
    "\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f\u2600-\u27bf\u3200-\u33ff])"
)
_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def word_cutter(kind: WordKind, texts: Iterable[str]) -> Cutter:
    """Return what cuts a text into words.

    Args:
        kind: "13a": of Western scripts; "zh": each Chinese character, the rest likewise; "intl": at
            all punctuation and symbols of Unicode; "char": each character; "none": at blanks alone.
        texts: all that will be cut.
    """
    if kind == "intl":
        return _international(texts)
    cutters: dict[WordKind, Cutter] = {
        "13a": _cut_western,
        "zh": _cut_chinese,
        "char": _cut_characters,
        "none": str.split,
    }
    return cutters[kind]


def bleu_counts(cut: Cutter, output: str, reference: str) -> list[int]:
    """Return lengths of output and reference, then right n-grams and n-grams, of 1 to 4 words."""
    given, right = cut(output.rstrip()), cut(reference.rstrip())
    common = []
    for order in range(1, ORDERS + 1):
        known = Counter(_ngrams(right, order))
        found = Counter(_ngrams(given, order))
        common.append(sum(min(count, known[ngram]) for ngram, count in found.items()))
    totals = [max(len(given) - order + 1, 0) for order in range(1, ORDERS + 1)]
    return [len(given), len(right), *common, *totals]


def chrf_counts(output: str, reference: str, word_order: int) -> list[int]:
    """Return n-grams of the output, of the reference, and common ones, for each order in turn.

    Those of 1 to 6 characters come first, then those of words up to `word_order`.
    """
    counts = []
    pairs = zip(_all_ngrams(output, word_order), _all_ngrams(reference, word_order), strict=True)
    for given, right in pairs:
        known = Counter(right)
        common = sum(min(count, known[ngram]) for ngram, count in Counter(given).items())
        counts += [len(given) if right else 0, len(right), common]
    return counts


def signature(*parts: str) -> str:
    """Return what a reader needs to compare a figure, in the form of sacreBLEU."""
    return "|".join(("nrefs:1", *parts, f"version:{AS_VERSION}"))


def _cut_western(text: str) -> list[str]:
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for written, meant in _ENTITIES:
        text = text.replace(written, meant)
    return _at_marks(f" {text} ")


def _cut_chinese(text: str) -> list[str]:
    return _at_marks(_CHINESE.sub(r" \1 ", text.strip()))


def _cut_characters(text: str) -> list[str]:
    return list("".join(text.split()))


def _at_marks(text: str) -> list[str]:
    for pattern, written in _WESTERN:
        text = pattern.sub(written, text)
    return text.split()


def _international(texts: Iterable[str]) -> Cutter:
    """Cut as mteval-v14 does, by the classes of the characters that occur."""
    numbers, marks, symbols = _of_classes(set().union(*texts))
    rules = (
        (re.compile(f"([^{numbers}])([{marks}])"), r"\1 \2 "),
        (re.compile(f"([{marks}])([^{numbers}])"), r" \1 \2"),
        (re.compile(f"([{symbols}])"), r" \1 "),
    )

    def cut(text: str) -> list[str]:
        for pattern, written in rules:
            text = pattern.sub(written, text)
        return text.split()

    return cut


def _of_classes(characters: set[str]) -> Iterator[str]:
    """Yield numbers, punctuation and symbols for a set of a pattern; none of them is empty."""
    for kind, usual in (("N", "0"), ("P", "."), ("S", "+")):
        found = {each for each in characters if unicodedata.category(each)[0] == kind}
        yield re.escape("".join(sorted(found | {usual})))


def _all_ngrams(text: str, word_order: int) -> Iterator[list[object]]:
    joined = "".join(text.split())
    for order in range(1, CHARACTER_ORDERS + 1):
        yield [joined[start : start + order] for start in range(len(joined) - order + 1)]
    words = list(_without_marks(text)) if word_order else []
    for order in range(1, word_order + 1):
        yield list(_ngrams(words, order))


def _ngrams(words: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(order)), strict=False)


def _without_marks(text: str) -> Iterator[str]:
    """Yield words; one mark at the end, or else at the beginning, is a word of its own."""
    for word in text.split():
        if len(word) > 1 and word[-1] in _MARKS:
            yield from (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in _MARKS:
            yield from (word[0], word[1:])
        else:
            yield word
