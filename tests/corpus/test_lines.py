from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.corpus.lines import LONGEST_LINE, split_lines, whole_lines, with_line_feeds

TEXTS = st.text(alphabet="ab \n\r\t\u3000é", max_size=60)


def chunks(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@given(text=TEXTS, size=st.integers(1, 20), longest=st.integers(1, 12))
@example(text="abcd \n", size=1, longest=4)  # nothing is left of the line but a blank
@example(text="abcd\r\n", size=5, longest=4)  # a line end that is cut in two
def test_lines_do_not_depend_on_how_the_text_arrives(text: str, size: int, longest: int) -> None:
    expected = "".join(whole_lines([text], longest))
    assert "".join(whole_lines(chunks(text, size), longest)) == expected


@given(text=TEXTS, longest=st.integers(1, 12))
def test_no_line_is_too_long_and_no_character_is_lost(text: str, longest: int) -> None:
    lines = "".join(whole_lines([text], longest))
    assert all(len(line) <= longest for line in lines.split("\n"))
    assert "".join(lines.split()) == "".join(text.split())


@given(text=TEXTS, longest=st.integers(1, 12))
def test_cutting_makes_no_empty_line(text: str, longest: int) -> None:
    def empty_lines(lines: str) -> int:
        return sum(not line.strip() for line in lines.split("\n"))

    ended = text.replace("\r\n", "\n").removesuffix("\n") + "\n"
    assert empty_lines("".join(whole_lines([text + "\n"], longest))) <= empty_lines(ended) + 1


def test_a_long_line_is_cut_at_its_last_blank() -> None:
    assert "".join(whole_lines(["one two three\nfour\n"], 8)) == "one two\nthree\nfour\n"
    assert "".join(whole_lines(["一二三四五"], 2)) == "一二\n三四\n五\n"


def test_a_hundred_megabytes_in_one_line_stay_in_bounded_memory() -> None:
    words = "word " * (1 << 14)
    longest = length = 0
    tracemalloc.start()
    for lines in whole_lines(words for _ in range(1280)):
        longest = max(longest, *map(len, lines.split("\n")))
        length += len(lines)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert length == 1280 * len(words) + 1  # a line end for each blank that was cut at
    assert longest <= LONGEST_LINE
    assert peak < 8 * LONGEST_LINE


@given(text=st.text(alphabet="ab\n\r", max_size=40), size=st.integers(1, 10))
def test_split_lines_equals_splitting_at_once(text: str, size: int) -> None:
    expected = [line.removesuffix("\r") for line in text.split("\n")]
    if text.endswith("\n") or not text:
        expected.pop()
    assert list(split_lines(chunks(text, size))) == expected


def test_only_line_feeds_end_a_line() -> None:
    text = "a\x0bb\x0cc\x85d\u2028e\rf"
    assert list(split_lines([text])) == [text]
    assert list(whole_lines([text])) == [text + "\n"]


def test_a_row_that_does_not_end() -> None:
    with pytest.raises(CorpusError, match=r"^a, line 3: .* more than 10 bytes; break it, or raise"):
        list(split_lines(["one\ntwo\nth", "ree and", " more"], "a", 10))
    assert list(split_lines(["0123456789\n0123", "456789"], "a", 10)) == ["0123456789"] * 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 3, 1000, 1 << 20])
def test_the_line_ends_of_old_macintoshes(end: str, size: int) -> None:
    text = end.join(f"line {number} \u2028 and \x85 stay" for number in range(4000)) + end
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    found = "".join(whole_lines(with_line_feeds(chunks)))
    assert found == "".join(f"line {number} \u2028 and \x85 stay\n" for number in range(4000))


def test_a_carriage_return_within_a_line_is_no_line_end() -> None:
    for text in ("10 %\r20 %\rdone\nnext\n", "a\r\nb\rc\r\n", "\n\r", "a" * 70_000 + "\r\nb\r"):
        for size in (1, 7, 1 << 17):
            chunks = [text[at : at + size] for at in range(0, len(text), size)]
            assert "".join(with_line_feeds(chunks)) == text


def test_a_text_of_one_line_or_none() -> None:
    assert "".join(with_line_feeds(["one line\r"])) == "one line\n"
    assert "".join(with_line_feeds(["one", " line"])) == "one line"
    assert list(with_line_feeds([])) == []
    long = ["a" * 50_000] * 4
    assert "".join(with_line_feeds([*long, "\r", "b\r", "c" * 70_000])).count("\n") == 2
