"""Which files hold short texts, one a line or a row: rules made for web pages would drop them all.

Gopher and C4 judge web pages, of which one with few words or sentences is a menu or a form. In a
file of one sentence, caption or message a line every text is short, and none is damaged by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import median
from typing import NamedTuple

from foretext.base.errors import CorpusError
from foretext.cleaning.documents import documents_of
from foretext.cleaning.quality_rules import ChineseRules, QualityRules, TextFacts
from foretext.corpus import Corpus
from foretext.corpus.findings import named_files
from foretext.messages import message

__all__ = ["PAGE_RULES", "ShortTexts", "short_texts"]

PAGE_RULES = ("min_words", "min_stop_words", "min_terminal_rate", "min_sentences")

_SAMPLE = 200  # texts of a file that are looked at
_FEWEST = 20  # texts of a file that decides alone; smaller ones are decided together


class ShortTexts(NamedTuple):
    """Files whose texts are short, and the rules that are left out there.

    Attributes:
        sources: their numbers in the corpus.
        without: names of the rules.
        note: what to say; None: there is nothing.
    """

    sources: frozenset[int]
    without: tuple[str, ...]
    note: str | None


def short_texts(corpus: Corpus, rules: QualityRules, chinese: ChineseRules) -> ShortTexts:
    """Return the files of which half of the texts, or more, have too few words for a page.

    Only files with a text a line or a row are looked at. A rule that the user has set is left out
    nowhere, and with `min_words` set the others are not, either.

    Args:
        corpus: to clean.
        rules: thresholds for text with blanks between words.
        chinese: for text without.
    """
    given = rules.model_fields_set | chinese.model_fields_set
    without = tuple(name for name in PAGE_RULES if name not in given)
    if "min_words" not in without:
        return ShortTexts(frozenset(), (), None)
    together: list[tuple[int, list[bool]]] = []
    found: list[int] = []
    for number in _candidates(corpus):
        try:
            texts = [each.text for each, _ in islice(documents_of(corpus, number), _SAMPLE)]
        except CorpusError:  # the cleaning itself says it
            continue
        are_short = [_is_short(text, rules, chinese) for text in texts]
        if len(are_short) < _FEWEST:
            together.append((number, are_short))
        elif median(are_short) > 0:
            found.append(number)
    if any(are_short := [each for _, some in together for each in some]) and median(are_short) > 0:
        found += [number for number, some in together if some]
    names = [corpus.sources[number].name for number in sorted(found)]
    return ShortTexts(frozenset(found), without, _note(names, without) if names else None)


def _candidates(corpus: Corpus) -> Iterator[int]:
    """Yield the numbers of the files with a text a line or a row."""
    for number, source in enumerate(corpus.sources):
        reading = corpus.text_reading(source)
        if reading is None or reading.documents == "line":
            yield number


def _is_short(text: str, rules: QualityRules, chinese: ChineseRules) -> bool:
    facts = TextFacts(text)
    return len(facts.words) < (chinese if facts.is_dense else rules).min_words


def _note(names: Sequence[str], without: Sequence[str]) -> str:
    return message(
        "terminal.doubt.short_texts",
        files=named_files(names[:3], len(names)),
        rules=", ".join(without),
    )
