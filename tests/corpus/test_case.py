from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from foretext.corpus.case import CASE_SAMPLE, capital_rate, likely_lowercase

GERMAN = "Zwei junge Männer sind im Freien in der Nähe vieler Büsche.\n" * 60
ENGLISH = "Two young men from London stand outside near many bushes and look at them.\n" * 60
HEADLINE = "Oil Prices Rise Sharply After Storm Hits Main Export Harbour in Asia\n" * 60


def test_nouns_with_capital_letters_keep_their_case() -> None:
    assert capital_rate(GERMAN) == pytest.approx(4 / 10)  # the first word follows no word
    assert not likely_lowercase(GERMAN)


@pytest.mark.parametrize("text", [ENGLISH, HEADLINE, GERMAN.lower(), GERMAN.upper()])
def test_names_headlines_and_text_without_two_cases_become_lower_case(text: str) -> None:
    assert likely_lowercase(text)


def test_a_script_without_case_or_a_short_text_says_nothing() -> None:
    assert capital_rate("我 在 北京 大学 学习 " * 200) is None
    assert capital_rate("Das Haus am See") is None
    assert likely_lowercase("我在北京。" * 500)


@pytest.mark.shared_data
def test_german_keeps_its_case_and_english_does_not(shared_data: Path) -> None:
    with gzip.open(shared_data / "multi30k" / "train.de.gz", "rt", encoding="utf-8") as file:
        assert not likely_lowercase(file.read(CASE_SAMPLE))
    with lzma.open(shared_data / "wikitext-2" / "train.txt.xz", "rt", encoding="utf-8") as file:
        assert likely_lowercase(file.read(CASE_SAMPLE))
