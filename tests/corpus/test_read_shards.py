from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus import read_shards
from foretext.corpus.findings import Place
from foretext.corpus.read_shards import PlainPlaces, RowPlaces


def seen(text: str, size: int = 1 << 16) -> PlainPlaces:
    plain = PlainPlaces("a.txt")
    for start in range(0, len(text), size):
        plain.see(text[start : start + size])
    return plain


def test_lines_are_found_whole_first() -> None:
    plain = seen("the first word\r\nword\r\nlast")
    assert plain.recent()("word\n\n") == Place(file="a.txt", line=2)
    assert plain.recent()("last") == Place(file="a.txt", line=3)
    assert plain.recent()("first word") == Place(file="a.txt", line=1)  # of a line that was split
    assert plain.recent()("a\n\nthe first word\nword\n\n", 8) == Place(file="a.txt", line=1)
    assert plain.recent()("never seen") == Place(file="a.txt")
    twice = seen("same\nother\nsame\n")
    assert (twice.recent()("same").line, twice.recent()("same", first=True).line) == (3, 1)


def test_lines_that_were_joined_are_found_where_they_begin_and_inside() -> None:
    plain = seen("Title\n\none two three\nfour five six\nseven\n\n一二三\n四五六\n")
    joined = "one two three four five six seven\n\n"
    assert plain.recent()(joined).line == 3
    assert plain.recent()(joined, joined.index("five")).line == 4
    assert plain.recent()(joined, joined.index("even")).line == 5
    assert plain.recent()("一二三四五六\n\n").line == 7
    assert plain.recent()("one two four") == Place(file="a.txt")


def test_only_recent_text_is_remembered() -> None:
    plain = seen("".join(f"line {number}\n" for number in range(1, 1001)), size=100)
    assert plain.recent()("line 1000") == Place(file="a.txt", line=1000)
    assert plain.recent()("line 500") == Place(file="a.txt")
    assert plain.lines == 1000


@given(text=st.text(alphabet="a \n\r\t", max_size=40), size=st.integers(1, 9))
def test_empty_lines_are_counted_however_the_text_arrives(text: str, size: int) -> None:
    expected = sum(not line.strip() for line in text.split("\n")[:-1])
    assert seen(text, size).empty_lines == expected


def test_long_lines_are_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_shards, "LONGEST_LINE", 10)
    plain = seen("short\n" + "a" * 11 + "\n" + "b" * 10 + "\n" + "c" * 50, size=4)
    assert plain.long_lines == [Place(file="a.txt", line=2), Place(file="a.txt", line=4)]


def test_rows_are_found_by_their_beginning() -> None:
    rows = RowPlaces("a.jsonl")
    for row in ("one. Two.", "three\n\nfour", ""):
        rows.see(row)
    assert rows.recent()("one.\nTwo.") == Place(file="a.jsonl", line=1, unit="row")
    assert rows.recent()("x\n\nthree\nfour\n\n", 8) == Place(file="a.jsonl", line=2, unit="row")
    assert str(rows.recent()("three\nfour")) == "a.jsonl, row 2"
