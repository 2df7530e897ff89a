from __future__ import annotations

import pytest

from foretext.tokenizers.joining import without_blanks


@pytest.mark.parametrize(
    ("decoded", "text"),
    [
        ("今 天 天 气 很 好 。", "今天天气很好。"),
        ("我 用 BERT 和 GPT 。", "我用 BERT 和 GPT 。"),
        ("日 本 の 海", "日本の海"),
        ("the ship in the harbour", "the ship in the harbour"),
        ("한국 바다", "한국 바다"),
    ],
)
def test_blanks_between_chinese_words_go(decoded: str, text: str) -> None:
    assert without_blanks(decoded) == text
