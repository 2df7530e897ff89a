"""The quality rules, one figure and one threshold each.

Those on words and lines, and on repetition, are Gopher's (Rae et al. 2021, "Scaling Language
Models", table A1 and appendix A.1.1). Sentences, lorem ipsum and braces are C4's (Raffel et al.
2020, "Exploring the Limits of Transfer Learning", section 2.2). C4 removes every line that ends
without punctuation; here a document goes where hardly any line ends with it, at FineWeb's threshold
(Penedo et al. 2024, section 3.6), because titles and verses are text too.

Gopher's stop words are English; other languages have lists of their own (`function_words`).

In foretext a document has no empty lines, so the paper's rules on paragraphs are those on lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from foretext.cleaning.function_words import NUM_STOP_WORDS, STOP_WORDS, stop_words_of
from foretext.cleaning.languages import UNKNOWN
from foretext.cleaning.quality_settings import ChineseRules, QualityRules
from foretext.cleaning.repetition import (
    repeated_line_characters,
    repeated_line_rate,
    repeated_ngram_rate,
    top_ngram_rate,
)
from foretext.cleaning.text_facts import TextFacts

__all__ = ["RULES", "RULE_NAMES", "Broken", "QualityRule", "broken_rule"]

_AT_WORDS = ",.;:!?\"'()«»“”„‘’¿¡،؛؟।"
CHINESE_STOP_WORDS = frozenset("的是在有和了不这")
_BULLETS = ("•", "‣", "▪", "●", "◦", "-", "*", "–", "·")
_ELLIPSES = ("...", "…")
_LETTER = re.compile(r"[^\W\d_]")
_TERMINAL = (".", "!", "?", "。", "！", "？", "؟", "।", "…")
_CLOSING = "\"'”’»)]）」』】"
_SENTENCE_END = re.compile(r"(?<![.!?؟।…])[.!?؟।…]++[\"'”’»)\]]*+(?=\s|$)|[。！？]+")


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
    _most("max_repeated_line_rate", repeated_line_rate),
    _most("max_repeated_line_characters", repeated_line_characters),
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
