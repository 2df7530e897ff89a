"""Texts of rows as a corpus: whether their tokens are characters."""

from __future__ import annotations

import pytest

from foretext.data.rows.row_texts import RowTexts


def test_tagged_characters_are_written_as_people_write_them() -> None:
    texts = RowTexts(["中 国 的 e mail ， 1 9 9 8 年", "我 们 人 民"], are_tokens=True)
    assert texts.are_characters
    assert texts.running == ["中国的e mail，1998年", "我们人民"]


@pytest.mark.parametrize(
    ("texts", "are_tokens"),
    [
        (["中国 人民 的 朋友"], True),  # words
        (["中 国"], False),  # a text of somebody who writes so
        (["a b c d"], True),
        ([], True),
    ],
)
def test_other_texts_stay(texts: list[str], are_tokens: bool) -> None:
    given = RowTexts(texts, are_tokens=are_tokens)
    assert not given.are_characters
    assert given.running == texts
