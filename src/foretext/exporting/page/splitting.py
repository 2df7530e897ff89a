"""How texts are cut into words, as tables for a browser: class and small letter of each character.

Browsers differ in their edition of Unicode, and so in what they take for a letter. A page therefore
gets the tables that Python itself cuts by, as runs of equal classes. What is left to the browser
are the normal forms, and the small letters of whole texts.
"""

from __future__ import annotations

import re
import sys
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.corpus.decoding import INVISIBLE, Form
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.exporting.page.character_runs import runs_of
from foretext.kernels.letters import ALONE, SEPARATOR, WORD
from foretext.tasks.fasttext.config import ResolvedConfig
from foretext.tasks.fasttext.splitter import splitter_of
from foretext.tasks.spelled_words import Splitting, word_pattern

__all__ = [
    "PageSplitter",
    "blank_characters",
    "needs_jieba",
    "of_classifier",
    "of_pre_tokenizer",
    "of_spelled_words",
    "of_white_space",
]


class PageSplitter(NamedTuple):
    """What `static/engine/splitter.js` makes words by."""

    steps: dict[str, Any]
    classes: NDArray[np.uint8]  # (0x110000,)
    lower: NDArray[np.int32]  # (0x110000,)

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return the tables as runs of equal classes, and the capitals with their small letters."""
        starts = np.flatnonzero(np.diff(self.classes, prepend=255)).astype(np.int32)
        capitals = np.flatnonzero(self.lower != _same_letters()).astype(np.int32)
        return {
            "splitter.starts": starts,
            "splitter.kinds": self.classes[starts],
            "splitter.capitals": capitals,
            "splitter.small": self.lower[capitals],
        }


def needs_jieba(cut: PreTokenizer) -> bool:
    """Return whether a pre-tokeniser finds words by jieba, which no browser has."""
    return cut.kind == "chinese_words" and not cut.segmented


def of_pre_tokenizer(
    cut: PreTokenizer, *, only_words: bool = False, remedy: str = ""
) -> PageSplitter:
    """Return the tables of a pre-tokeniser.

    Args:
        cut: the pre-tokeniser.
        only_words: whether it is given single words alone, which jieba need not find.
        remedy: what the user can do where it needs jieba, beside serving the model.

    Raises:
        SettingError: it needs jieba, which no browser has.
    """
    if needs_jieba(cut) and not only_words:
        raise SettingError(
            "The model cuts Chinese text by jieba, which does not run in a browser; "
            f"{remedy}, or serve it by `foretext serve`."
        )
    blanks = None
    if cut.blanks is not None:
        blanks = {"pattern": cut.blanks.pattern, "flags": "gi" if cut.lowercase else "g"}
    steps = _steps(cut.form, dotted=cut.lowercase, blanks=blanks)
    return PageSplitter(steps, cut.letters.classes, cut.letters.lower)


def of_classifier(config: ResolvedConfig, edition: int | None, form: Form | None) -> PageSplitter:
    """Return the tables of a classifier of fastText: a pre-tokeniser's, or the program's blanks.

    Raises:
        SettingError: it needs jieba, which no browser has.
    """
    if config.pre_tokenizer != "blanks":
        form = "NFKC" if form == "NFKC" else "NFC"
        kind, lowercase = config.pre_tokenizer, config.lowercase
        cut = PreTokenizer(kind, lowercase=lowercase, form=form, edition=edition)
        return of_pre_tokenizer(
            cut, remedy="train it with --set classifier.pre_tokenizer=chinese_characters"
        )
    letters = splitter_of(config, edition, form).letters
    steps = _steps(form or "none", lower=config.lowercase)
    return PageSplitter(steps, letters.classes, letters.lower)


def of_white_space() -> PageSplitter:
    """Return the tables of `str.split`, which cuts texts for vectors that come without a rule."""
    steps = _steps("none", surrogates=False)
    return PageSplitter(steps, _classes(re.compile(r"\S+")), _same_letters())


def of_spelled_words(splitting: Splitting, form: Form) -> PageSplitter:
    """Return the tables of the words that linear classifiers count."""
    dropped = "" if splitting == "letters" else INVISIBLE
    steps = _steps(form, lower=True, dropped=dropped, surrogates=False)
    return PageSplitter(steps, _classes(word_pattern(splitting)), _same_letters())


def blank_characters() -> str:
    """Return the blanks of Python as inside the brackets of a regular expression of JavaScript."""
    points = np.flatnonzero(_classes(re.compile(r"\s+")) == WORD)
    return "".join(f"\\u{point:04x}" for point in points.tolist())


def _steps(
    form: Form,
    *,
    lower: bool = False,
    dotted: bool = False,
    dropped: str = "",
    blanks: dict[str, str] | None = None,
    surrogates: bool = True,
) -> dict[str, Any]:
    return {
        "form": form,
        "blanks": blanks,  # what is read as a blank
        "dropped": dropped,  # characters that are left out
        "lower": lower,  # whether the whole text gets small letters
        "dotted": dotted,  # whether I with a dot does, whose small form has two characters
        "surrogates": surrogates,  # whether halves of pairs become question marks
    }


@cache
def _classes(word: re.Pattern[str]) -> NDArray[np.uint8]:
    """Return the class of each character: twice it is one word (WORD), two (ALONE), or none."""
    starts, lengths = zip(*runs_of(partial(_length, word)), strict=True)
    kinds = np.array([SEPARATOR, ALONE, WORD], np.uint8)[list(lengths)]
    return np.repeat(kinds, np.diff([*starts, sys.maxunicode + 1]))


def _length(word: re.Pattern[str], character: str) -> int:
    found = word.match(2 * character)
    return 0 if found is None else found.end()


@cache
def _same_letters() -> NDArray[np.int32]:
    return np.arange(sys.maxunicode + 1, dtype=np.int32)
