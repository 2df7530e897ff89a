from __future__ import annotations

from collections import Counter

import pytest

from foretext.corpus.chinese_script import (
    SIMPLIFIED,
    TRADITIONAL,
    full_width_rate,
    traditional_rate,
)


def test_the_two_tables_share_no_character() -> None:
    assert not TRADITIONAL & SIMPLIFIED
    assert min(len(TRADITIONAL), len(SIMPLIFIED)) > 400
    assert not (TRADITIONAL | SIMPLIFIED) & frozenset("后里面只台干云的一是不了人我在有他")


def test_the_share_of_traditional_characters() -> None:
    assert traditional_rate(Counter("这个国家" * 30)) == 0
    assert traditional_rate(Counter("這個國家" * 30)) == 1
    assert traditional_rate(Counter("这个国家這個國家" * 30)) == pytest.approx(0.5)
    assert traditional_rate(Counter("他在北京" * 30)) is None  # both ways are the same
    assert traditional_rate(Counter("この国の人は会うのを" * 30)) is None  # Japanese


def test_the_share_of_full_width_digits_and_letters() -> None:
    assert full_width_rate(Counter("１２ＡＢ" * 10 + "12ab" * 30)) == pytest.approx(0.25)
    assert full_width_rate(Counter("一二三，。！" * 30)) is None
