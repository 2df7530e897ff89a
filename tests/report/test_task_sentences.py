"""Sentences in runs of tokens."""

from __future__ import annotations

from foretext.report.task_sentences import tagged_sentence

SENTENCE = {
    "tokens": ["Ann", "Lee", "saw", "Bonn"], "right": [], "given": [], "place": "/home/a.conll:1",
}  # fmt: skip


def test_entities_are_right_where_both_sides_have_them() -> None:
    spans = {"right": [["PER", 0, 2], ["LOC", 3, 4]], "given": [["PER", 1, 2], ["LOC", 3, 4]]}
    found = tagged_sentence({**SENTENCE, "spans": spans})
    assert found["place"] == "a.conll:1"
    assert found["sides"] == {
        "right": [("Ann Lee", "PER", False), ("saw", "", True), ("Bonn", "LOC", True)],
        "given": [
            ("Ann", "", True), ("Lee", "PER", False), ("saw", "", True), ("Bonn", "LOC", True),
        ],
    }  # fmt: skip


def test_characters_stand_together() -> None:
    found = tagged_sentence(
        {**SENTENCE, "tokens": list("在北京"), "spans": {"right": [["LOC", 1, 3]], "given": []}}
    )
    assert found["sides"]["right"] == [("在", "", True), ("北京", "LOC", False)]
    assert found["sides"]["given"] == [("在北京", "", True)]


def test_tags_of_no_entities_have_no_sides() -> None:
    assert tagged_sentence(SENTENCE)["sides"] == {}
