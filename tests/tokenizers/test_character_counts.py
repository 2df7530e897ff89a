from __future__ import annotations

from foretext.tokenizers.character_counts import CharacterCounts


def test_blanks_and_line_feeds_are_no_characters() -> None:
    counts = CharacterCounts()
    counts.add("to be\nor not")
    assert len(counts) == len(set("tobeornt"))


def test_the_rarest_come_last_in_the_text_of_several_blocks() -> None:
    counts = CharacterCounts()
    for text in ("aab", "ca\U0001f600", "cc"):
        counts.add(text)
    assert counts.rarest(0) == ""
    assert counts.rarest(2) == "b\U0001f600"  # once each
    assert len(counts.rarest(100)) == 4
