from __future__ import annotations

import unicodedata
from collections import Counter

import pytest

from foretext.corpus.scripts import script_of, script_rates

NAMES = {  # how Unicode's names of letters begin
    "LATIN": "Latin",
    "GREEK": "Greek",
    "CYRILLIC": "Cyrillic",
    "HEBREW": "Hebrew",
    "ARABIC": "Arabic",
    "DEVANAGARI": "Devanagari",
    "THAI": "Thai",
    "HANGUL": "Hangul",
    "HIRAGANA": "Kana",
    "KATAKANA": "Kana",
    "CJK": "Han",
}


@pytest.mark.parametrize("beginning", NAMES)
def test_letters_have_the_script_of_their_name(beginning: str) -> None:
    letters = [
        chr(code)
        for code in range(0x10000)
        if chr(code).isalpha() and unicodedata.name(chr(code), "").startswith(beginning + " ")
    ]
    right = sum(script_of(letter) == NAMES[beginning] for letter in letters)
    assert right > 0.95 * len(letters)


def test_rates_are_of_letters_alone() -> None:
    assert script_rates(Counter("abc я. 1 \n")) == {"Latin": 0.75, "Cyrillic": 0.25}
    assert script_rates(Counter("ა")) == {"other": 1.0}
    assert script_rates(Counter("1 2")) == {}
