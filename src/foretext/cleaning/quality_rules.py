"""The quality rules, one figure and one threshold each.

Those on words and lines, and on repetition, are Gopher's (Rae et al. 2021, "Scaling Language
Models", table A1 and appendix A.1.1). Sentences, lorem ipsum and braces are C4's (Raffel et al.
2020, "Exploring the Limits of Transfer Learning", section 2.2). C4 removes every line that ends
without punctuation; here a document goes where hardly any line ends with it, at FineWeb's threshold
(Penedo et al. 2024, section 3.6), because titles and verses are text too.

Gopher's stop words are English; other languages have lists of their own (`function_words`).

In foretext a document has no empty lines, so the paper's rules on paragraphs are those on lines.

How much of a document repeats itself: lines and n-grams (Rae et al. 2021, table A1). Characters
are those of words: the blanks between them count neither above nor below the line.

What the quality rules look at: the lines and words of a document. A word stands between blanks.
Where most letters belong to a script without blanks between words, each character of such a
script counts as a word, and so does each run of other characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.base.config import Config
from foretext.cleaning.function_words import NUM_STOP_WORDS, STOP_WORDS, stop_words_of
from foretext.cleaning.languages import UNKNOWN

__all__ = [
    "RULES",
    "RULE_NAMES",
    "Broken",
    "ChineseRules",
    "QualityRule",
    "QualityRules",
    "TextFacts",
    "broken_rule",
    "is_dense",
    "repeated_ngram_rate",
    "top_ngram_rate",
]

_AT_WORDS = ",.;:!?\"'()«»“”„‘’¿¡،؛؟।"
CHINESE_STOP_WORDS = frozenset("的是在有和了不这")
_BULLETS = ("•", "‣", "▪", "●", "◦", "-", "*", "–", "·")
_ELLIPSES = ("...", "…")
_LETTER = re.compile(r"[^\W\d_]")
_TERMINAL = (".", "!", "?", "。", "！", "？", "؟", "।", "…")
_CLOSING = "\"'”’»)]）」』】"
_SENTENCE_END = re.compile(r"(?<![.!?؟।…])[.!?؟।…]++[\"'”’»)\]]*+(?=\s|$)|[。！？]+")

DENSE_FACTOR = 2  # characters that stand for a word, about, where n-grams are counted
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

_DENSE = "\u0e00-\u0eff\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_DENSE_LETTER = re.compile(f"[{_DENSE}]")
_DENSE_WORD = re.compile(f"[{_DENSE}]|[^\\s{_DENSE}]+")
FEW_WORDS = 200  # longer texts nearly always repeat a pair of words
_SAMPLE = 4096  # characters that show whether words stand between blanks


class QualityRules(Config):
    """A document that breaks one of them is dropped; a rate is a share of the document.

    The defaults are those of the papers, which were chosen for web pages (see `quality_rules`).
    """

    min_words: int = Field(default=50, ge=0)
    """Words of a document, at least."""
    max_words: int = Field(default=100_000, ge=1)
    """Words of a document, at most."""
    min_mean_word_length: float = Field(default=3.0, ge=0)
    """Characters of a word on average, at least."""
    max_mean_word_length: float = Field(default=10.0, ge=0)
    """Characters of a word on average, at most."""
    max_symbol_rate: float = Field(default=0.1, ge=0)
    """Hash signs for each word, and ellipses for each word, at most."""
    max_bullet_rate: float = Field(default=0.9, ge=0, le=1)
    """Lines that begin with a bullet point, at most."""
    max_ellipsis_rate: float = Field(default=0.3, ge=0, le=1)
    """Lines that end with an ellipsis, at most."""
    min_alphabetic_rate: float = Field(default=0.8, ge=0, le=1)
    """Words with at least one letter, at least."""
    min_stop_words: int = Field(default=2, ge=0, le=8)
    """Different stop words of its language (English: the, be, to, of, and, that, ...), at least."""
    max_repeated_line_rate: float = Field(default=0.3, ge=0, le=1)
    """Lines that repeat an earlier one, at most."""
    max_repeated_line_characters: float = Field(default=0.2, ge=0, le=1)
    """Characters in lines that repeat an earlier one, at most."""
    max_top_ngrams: tuple[float, float, float] = (0.2, 0.18, 0.16)
    """Characters in the most frequent 2-gram, 3-gram and 4-gram, at most."""
    max_repeated_ngrams: tuple[float, float, float, float, float, float] = (
        0.15,
        0.14,
        0.13,
        0.12,
        0.11,
        0.10,
    )
    """Characters in repeated 5-grams to 10-grams, at most."""
    min_terminal_rate: float = Field(default=0.12, ge=0, le=1)
    """Lines that end with a punctuation mark that ends a sentence, at least."""
    min_sentences: int = Field(default=3, ge=0)
    """Sentences of a document, at least."""
    max_lorem_ipsum: int = Field(default=0, ge=0)
    """Times that "lorem ipsum" occurs, at most."""
    max_braces: int = Field(default=0, ge=0)
    """Curly braces, at most: text for people has none, and code has many."""


class TextFacts:
    """A document, cut into lines and words.

    Attributes:
        text: the document, its lines separated by line ends.
        language: of the document (ISO 639-1), as far as it was determined.
        is_dense: whether a character stands for a word, as in Chinese.
        lines: those that are not empty, without white space at their ends.
    """

    def __init__(self, text: str, language: str = "und") -> None:
        self.text = text
        self.language = language
        self.is_dense = is_dense(text)
        self.lines = [line for line in map(str.strip, text.split("\n")) if line]

    @cached_property
    def words(self) -> list[str]:
        """All words, with the punctuation that stands at them."""
        return _DENSE_WORD.findall(self.text) if self.is_dense else self.text.split()

    @cached_property
    def word_lengths(self) -> NDArray[np.int64]:
        """(W,) characters of each word."""
        return np.fromiter(map(len, self.words), np.int64, len(self.words))

    @cached_property
    def word_ids(self) -> NDArray[np.int64]:
        """(W,) a number for each word, the same for the same word."""
        numbers: dict[str, int] = {}
        each = (numbers.setdefault(word, len(numbers)) for word in self.words)
        return np.fromiter(each, np.int64, len(self.words))

    @cached_property
    def repeats_no_pair(self) -> bool:
        """Whether a short text surely has no two words that stand side by side twice."""
        words = self.words
        return len(words) <= FEW_WORDS and len(set(pairwise(words))) >= len(words) - 1

    def share_of_lines(self, number: int) -> float:
        """Return `number` as a share of the lines."""
        return number / max(len(self.lines), 1)


class QualityRule(NamedTuple):
    """A rule: its name, the figure of a document, and how the threshold is found."""

    name: str
    figure: Callable[[TextFacts], float]
    threshold: Callable[[QualityRules], float]
    is_least: bool  # whether the figure must not be less than the threshold, or not more

    def is_broken(self, figure: float, threshold: float) -> bool:
        """Whether a document with this figure is dropped."""
        return figure < threshold if self.is_least else figure > threshold


class Broken(NamedTuple):
    """A rule that a document breaks."""

    rule: str
    figure: float
    threshold: float


def num_words(facts: TextFacts) -> float:
    """Return the number of words."""
    return len(facts.words)


def mean_word_length(facts: TextFacts) -> float:
    """Return the characters of a word on average."""
    return float(facts.word_lengths.mean()) if len(facts.words) else 0.0


def symbol_rate(facts: TextFacts) -> float:
    """Return hash signs or ellipses, whichever are more, for each word."""
    ellipses = facts.text.count("...") + facts.text.count("…")
    return max(facts.text.count("#"), ellipses) / max(len(facts.words), 1)


def bullet_rate(facts: TextFacts) -> float:
    """Return the share of lines that begin with a bullet point."""
    return facts.share_of_lines(sum(line.startswith(_BULLETS) for line in facts.lines))


def ellipsis_rate(facts: TextFacts) -> float:
    """Return the share of lines that end with an ellipsis."""
    return facts.share_of_lines(sum(line.endswith(_ELLIPSES) for line in facts.lines))


def alphabetic_rate(facts: TextFacts) -> float:
    """Return the share of words with a letter; of dense text, of characters that are letters."""
    if facts.is_dense:
        total = int(facts.word_lengths.sum())
        return len(_LETTER.findall(facts.text)) / max(total, 1)
    words = facts.words
    return sum(_LETTER.search(word) is not None for word in words) / max(len(words), 1)


def stop_words(facts: TextFacts) -> float:
    """Return how many of the eight stop words of the document's language occur.

    Where its language was not determined, these are the most of any language; of a language without
    a list all are there.
    """
    if facts.is_dense:
        return len(CHINESE_STOP_WORDS.intersection(facts.text))
    words = {word.strip(_AT_WORDS) for word in facts.text.lower().split()}
    if facts.language == UNKNOWN:
        words = {word for word in words if len(word) > 1}  # a letter alone is often none
        return max(len(each & words) for each in STOP_WORDS.values())
    own = stop_words_of(facts.language)
    return NUM_STOP_WORDS if own is None else len(own & words)


def terminal_rate(facts: TextFacts) -> float:
    """Return the share of lines that end as sentences do, perhaps with a closing mark behind."""
    ended = sum(line.rstrip(_CLOSING).endswith(_TERMINAL) for line in facts.lines)
    return facts.share_of_lines(ended)


def num_sentences(facts: TextFacts) -> float:
    """Return how many sentences end."""
    return len(_SENTENCE_END.findall(facts.text))


def lorem_ipsum(facts: TextFacts) -> float:
    """Return how often "lorem ipsum" occurs."""
    return facts.text.lower().count("lorem ipsum")


def braces(facts: TextFacts) -> float:
    """Return how many curly braces occur."""
    return facts.text.count("{") + facts.text.count("}")


def _least(name: str, figure: Callable[[TextFacts], float]) -> QualityRule:
    return QualityRule(name, figure, lambda rules: getattr(rules, name), is_least=True)


def _most(name: str, figure: Callable[[TextFacts], float]) -> QualityRule:
    return QualityRule(name, figure, lambda rules: getattr(rules, name), is_least=False)


def _top_ngram(place: int, n: int) -> QualityRule:
    figure = partial(top_ngram_rate, n=n)
    return QualityRule(
        f"top_{n}gram", figure, lambda rules: rules.max_top_ngrams[place], is_least=False
    )


def _repeated_ngrams(place: int, n: int) -> QualityRule:
    figure = partial(repeated_ngram_rate, n=n)
    return QualityRule(
        f"repeated_{n}grams", figure, lambda rules: rules.max_repeated_ngrams[place], is_least=False
    )


def _repeated_line_rate(facts: TextFacts) -> float:
    """Return the share of lines that repeat an earlier one."""
    return facts.share_of_lines(len(facts.lines) - len(set(facts.lines)))


def _repeated_line_characters(facts: TextFacts) -> float:
    """Return the share of characters in lines that repeat an earlier one."""
    total = sum(map(len, facts.lines))
    return (total - sum(map(len, set(facts.lines)))) / max(total, 1)


def top_ngram_rate(facts: TextFacts, n: int) -> float:
    """Return the share of characters in the most frequent n-gram; 0 where none comes twice.

    Of n-grams that come equally often, the longest counts.
    """
    if n > 1 and facts.repeats_no_pair:
        return 0.0
    ngrams = _ngrams(facts, n)
    if not len(ngrams):
        return 0.0
    _, first, counts = np.unique(ngrams, return_index=True, return_counts=True)
    most = counts.max()
    if most < 2:
        return 0.0
    lengths = _ngram_lengths(facts, n)[first[counts == most]]
    return float(min(most * lengths.max() / facts.word_lengths.sum(), 1.0))


def repeated_ngram_rate(facts: TextFacts, n: int) -> float:
    """Return the share of characters in n-grams that repeat an earlier one, each counted once."""
    if n > 1 and facts.repeats_no_pair:
        return 0.0
    ngrams = _ngrams(facts, n)
    if not len(ngrams):
        return 0.0
    _, first = np.unique(ngrams, return_index=True)
    if len(first) == len(ngrams):
        return 0.0
    repeats = np.ones(len(ngrams), np.int64)
    repeats[first] = 0
    edges = np.zeros(len(facts.words) + 1, np.int64)
    edges[: len(ngrams)] += repeats
    edges[-len(ngrams) :] -= repeats
    covered = np.cumsum(edges[:-1]) > 0  # (W,)
    return float(facts.word_lengths[covered].sum() / facts.word_lengths.sum())


def _ngrams(facts: TextFacts, n: int) -> NDArray[np.uint64]:
    """Return a hash of each n-gram, (W - n + 1,)."""
    n = _length(facts, n)
    ids = facts.word_ids.astype(np.uint64) + np.uint64(1)
    size = max(len(ids) - n + 1, 0)
    hashes = np.zeros(size, np.uint64)
    for offset in range(n if size else 0):
        hashes = (hashes ^ ids[offset : offset + size]) * _FACTOR
        hashes ^= hashes >> np.uint64(32)
    return hashes


def _ngram_lengths(facts: TextFacts, n: int) -> NDArray[np.int64]:
    """Return the characters of each n-gram, (W - n + 1,)."""
    ends = np.concatenate(([0], np.cumsum(facts.word_lengths)))
    size = _length(facts, n)
    return ends[size:] - ends[:-size]


def _length(facts: TextFacts, n: int) -> int:
    """Return the words of an n-gram; of Chinese twice as many characters."""
    return n * DENSE_FACTOR if facts.is_dense else n


RULES: tuple[QualityRule, ...] = (  # in this order; the first that is broken is the reason
    _least("min_words", num_words),
    _most("max_words", num_words),
    _least("min_mean_word_length", mean_word_length),
    _most("max_mean_word_length", mean_word_length),
    _most("max_symbol_rate", symbol_rate),
    _most("max_bullet_rate", bullet_rate),
    _most("max_ellipsis_rate", ellipsis_rate),
    _least("min_alphabetic_rate", alphabetic_rate),
    _least("min_stop_words", stop_words),
    _most("max_lorem_ipsum", lorem_ipsum),
    _most("max_braces", braces),
    _least("min_terminal_rate", terminal_rate),
    _least("min_sentences", num_sentences),
    _most("max_repeated_line_rate", _repeated_line_rate),
    _most("max_repeated_line_characters", _repeated_line_characters),
    *(_top_ngram(place, n) for place, n in enumerate((2, 3, 4))),
    *(_repeated_ngrams(place, n) for place, n in enumerate(range(5, 11))),
)
RULE_NAMES = tuple(rule.name for rule in RULES)


def broken_rule(
    facts: TextFacts, rules: QualityRules, chinese: ChineseRules, without: Iterable[str] = ()
) -> Broken | None:
    """Return the first rule that a document breaks, or None.

    Args:
        facts: the document.
        rules: thresholds for text with blanks between words.
        chinese: for text without.
        without: names of rules that are left out.
    """
    thresholds = chinese if facts.is_dense else rules
    for rule in RULES:
        if rule.name in without:
            continue
        figure, threshold = rule.figure(facts), rule.threshold(thresholds)
        if rule.is_broken(figure, threshold):
            return Broken(rule.name, figure, threshold)
    return None


class ChineseRules(QualityRules):
    """The same for text without blanks between words: a character stands for a word.

    The papers have no thresholds for it; docs/guides/clean.md says what these drop.
    """

    min_words: int = Field(default=80, ge=0)
    """Characters of a document, at least."""
    max_words: int = Field(default=200_000, ge=1)
    """Characters of a document, at most."""
    min_mean_word_length: float = Field(default=0.0, ge=0)
    """Has no effect: words are not found."""
    max_mean_word_length: float = Field(default=15.0, ge=0)
    """Characters on average of what stands between blanks, each Han character by itself."""
    max_symbol_rate: float = Field(default=0.05, ge=0)
    """Hash signs for each character, and ellipses for each character, at most."""
    min_alphabetic_rate: float = Field(default=0.6, ge=0, le=1)
    """Characters that are letters, at least."""
    min_stop_words: int = Field(default=1, ge=0, le=8)
    """Different function characters (的 是 在 有 和 了 不 这), at least."""
    min_sentences: int = Field(default=2, ge=0)
    """Sentences of a document, at least; those of Chinese are longer."""


def is_dense(text: str) -> bool:
    """Whether most letters of the beginning belong to scripts without blanks between words."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return False
    return 2 * len(_DENSE_LETTER.findall(sample)) > len(_LETTER.findall(sample))
