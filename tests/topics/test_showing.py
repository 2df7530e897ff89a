"""What LDA shows: documents as bags, and the words that are left out."""

from __future__ import annotations

from collections import Counter

import pytest

import foretext as ft
from foretext.shown import Table, TokenLines

OF_ENGLISH, OF_CHINESE = ("tide", "mast", "wave") * 4, ("潮水", "桅杆", "波浪") * 4
ENGLISH = [f"the ship and the sea {word} {word}" for word in OF_ENGLISH]
CHINESE = [f"船 和 海 {word} {word}" for word in OF_CHINESE]


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_documents_are_bags_of_words(texts: list[str]) -> None:
    settings = ["tokenizer.pre_tokenizer=whitespace", "topics.most_documents=0.9"]
    found = ft.show("lda", texts, examples=3, settings=settings, lang="en").shown
    (table,) = (part for part in found[0].parts if isinstance(part, Table))
    left_out = {row[0]: row[1] for row in table.rows}
    common = set(texts[0].split()) & set(texts[-1].split())
    assert left_out == dict.fromkeys(common, 1.0)
    for shown in found[1:]:
        number = int(shown.title.split()[1])
        words = texts[number - 1].split()
        lines, bag = shown.parts
        assert isinstance(lines, TokenLines)
        assert isinstance(bag, Table)
        assert lines.lines[0].tokens == tuple(words)
        marks = lines.lines[0].marks
        assert marks == tuple("dropped" if word in common else "" for word in words)
        assert dict(bag.rows) == Counter(word for word in words if word not in common)
