"""The language of a document: by a fastText model, by lingua, or by script and frequent words.

The third needs nothing else: scripts that belong to one language decide it, and of all others the
most frequent words of each language. Its languages are `KNOWN_BY_SCRIPT`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from foretext.base.errors import MissingExtraError, ModelFileError, SettingError, did_you_mean
from foretext.cleaning.function_words import FUNCTION_WORDS
from foretext.corpus.scripts import script_of
from foretext.messages import message

__all__ = [
    "KNOWN_BY_SCRIPT",
    "UNKNOWN",
    "Identified",
    "Identifier",
    "Means",
    "identifier",
    "means_for",
]

Means = Literal["model", "lingua", "script"]

UNKNOWN = "und"  # the code of a language that was not determined (ISO 639-2)
KNOWN_BY_SCRIPT = (*FUNCTION_WORDS, "zh", "ja", "ko", "th")
LINGUA_SAMPLE = 1000  # characters of a document, which decide as well as all of them
SAMPLE = 4000

_OF_SCRIPT = {"Hangul": "ko", "Thai": "th", "Greek": "el", "Hebrew": "he"}
_KANA_RATE = 0.1  # of Han and kana: Japanese from here on
_LEAST_RATE = 0.1  # of words that are frequent ones: a third of what most text has
_WORD = re.compile(r"[^\s\d!-/:-@\[-`{-~«»“”„‘’—–…।،؛؟]+")  # with the marks of its letters


class Identified(NamedTuple):
    """The language of a text (ISO 639-1, or what the model calls it), and how sure that is."""

    language: str
    confidence: float  # 0 to 1


class Identifier(Protocol):
    """Finds the language of texts."""

    def __call__(self, texts: Sequence[str]) -> list[Identified]:
        """Return the language of each text."""
        ...


def means_for(
    languages: Sequence[str], given: Literal["auto", "script", "lingua"], model: str | None
) -> Means:
    """Return by what languages are found, before any text is read.

    Raises:
        SettingError: a language cannot be found by it.
        MissingExtraError: lingua is asked for, and not installed.
    """
    if model is not None:
        return "model"
    beyond = [language for language in languages if language not in KNOWN_BY_SCRIPT]
    means: Means = "lingua" if given == "lingua" or (given == "auto" and beyond) else "script"
    if means == "lingua" and find_spec("lingua") is None:
        purpose = (
            message("errors.purpose.language", language=beyond[0])
            if beyond
            else message("errors.purpose.lingua")
        )
        raise MissingExtraError("lingua-language-detector", "clean", purpose)
    known = KNOWN_BY_SCRIPT if means == "script" else tuple(_lingua_languages())
    for language in languages:
        if language not in known:
            hint = did_you_mean(language, known) or f" It knows {', '.join(known)}."
            raise SettingError(
                f"languages = '{language}': {means} knows no such language, which is named by two "
                f"letters (ISO 639-1).{hint}"
            )
    return means


def identifier(means: Means, languages: Sequence[str], model: str | None) -> Identifier:
    """Return what finds languages.

    Raises:
        ModelFileError: the model cannot be opened, or has none of the languages.
    """
    if means == "model":
        assert model is not None, "a model was given"
        return _ByModel(model, languages)
    return _ByLingua() if means == "lingua" else by_script


def by_script(texts: Sequence[str]) -> list[Identified]:
    """Return the language of each text as its script and frequent words say; or `UNKNOWN`."""
    return [_of_script(text[:SAMPLE]) for text in texts]


def _of_script(text: str) -> Identified:
    scripts = Counter[str]()
    for letter, number in Counter(text).items():
        if letter.isalpha():
            scripts[_script_of(letter)] += number
    total = scripts.total()
    if not total:
        return Identified(UNKNOWN, 0.0)
    chinese = scripts["Han"] + scripts["Kana"]
    script, count = scripts.most_common(1)[0]
    if chinese >= count:
        language = "ja" if scripts["Kana"] > _KANA_RATE * chinese else "zh"
        return Identified(language, chinese / total)
    if script in _OF_SCRIPT:
        return Identified(_OF_SCRIPT[script], count / total)
    return _of_words(_WORD.findall(text.lower()), count / total)


_script_of = lru_cache(maxsize=1 << 16)(script_of)  # a text has few different letters


def _of_words(words: Sequence[str], script_rate: float) -> Identified:
    """Tell languages of one script apart by their frequent words.

    A word counts the less, the more languages have it: 1 / sqrt(L). So those of Danish and
    Norwegian differ, and "a" still speaks for English.
    """
    scores, hits = dict[str, float](), Counter[str]()
    for word, number in Counter(words).items():
        of = _LANGUAGES_OF.get(word, ())
        for language in of:
            scores[language] = scores.get(language, 0.0) + number / len(of) ** 0.5
            hits[language] += number
    if not scores:
        return Identified(UNKNOWN, script_rate)
    best, *others = sorted(scores, key=lambda each: (-scores[each], _ORDER[each]))
    if hits[best] < _LEAST_RATE * len(words):
        return Identified(UNKNOWN, script_rate)
    second = scores[others[0]] if others else 0.0
    return Identified(best, script_rate * scores[best] / (scores[best] + second))


def _languages_of() -> dict[str, list[str]]:
    """Return the languages that each frequent word belongs to."""
    found: dict[str, list[str]] = {}
    for language, words in FUNCTION_WORDS.items():
        for word in words:
            found.setdefault(word, []).append(language)
    return found


_LANGUAGES_OF = _languages_of()
_ORDER = {language: place for place, language in enumerate(FUNCTION_WORDS)}


class _ByModel:
    """A classifier of fastText whose labels are languages, such as lid.176.bin.

    Raises:
        ModelFileError: it cannot be opened, or has none of the languages.
    """

    def __init__(self, path: str, languages: Sequence[str]) -> None:
        from foretext.tasks.fasttext.classifier import FastTextClassifier

        if not Path(path).exists():
            raise ModelFileError(
                f"{path}: there is no such model of languages; download fastText's lid.176.bin, or "
                "correct the name."
            )
        self._model = FastTextClassifier.load(path)
        known = list(self._model.label_names)
        for language in languages:
            if language not in known:
                raise SettingError(
                    f"languages = '{language}': {path} knows no such language."
                    f"{did_you_mean(language, known)} It knows {', '.join(known[:12])} and so on."
                )

    def __call__(self, texts: Sequence[str]) -> list[Identified]:
        lines = [" ".join(text[:SAMPLE].split()) for text in texts]
        found = self._model.predict_top(lines, 1)
        return [
            Identified(row[0][0], min(float(row[0][1]), 1.0)) if row else Identified(UNKNOWN, 0.0)
            for row in found
        ]


class _ByLingua:
    """The detector of lingua (Stahl 2023), with all of its languages."""

    def __init__(self) -> None:
        from lingua import LanguageDetectorBuilder

        self._detector = LanguageDetectorBuilder.from_all_languages().build()

    def __call__(self, texts: Sequence[str]) -> list[Identified]:
        return [self._identified(text[:LINGUA_SAMPLE]) for text in texts]

    def _identified(self, text: str) -> Identified:
        best = self._detector.compute_language_confidence_values(text)[0]
        if best.value == 0:
            return Identified(UNKNOWN, 0.0)
        return Identified(best.language.iso_code_639_1.name.lower(), best.value)


def _lingua_languages() -> list[str]:
    from lingua import Language

    return sorted(language.iso_code_639_1.name.lower() for language in Language.all())
