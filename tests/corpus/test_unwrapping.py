from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.lines import whole_lines
from foretext.corpus.unwrapping import HEAD, unwrapped
from tests.corpus.wrapped_texts import VERSE, book, paragraphs, wrapped

TEXT = [text for text in paragraphs(40) if "- " not in text]


def whole(text: str, longest: int = 1 << 20) -> str:
    return "".join(unwrapped([text], longest))


def pieces(text: str, size: int) -> Iterator[str]:
    return whole_lines(text[start : start + size] for start in range(0, len(text), size))


@pytest.mark.parametrize("width", [50, 72, 90])
def test_wrapped_paragraphs_become_what_they_were(width: int) -> None:
    text = "".join(wrapped(paragraph, width) + "\n" for paragraph in TEXT)
    assert whole(text) == "".join(f"{paragraph}\n\n" for paragraph in TEXT)


def test_indented_paragraphs_without_empty_lines_stay_apart() -> None:
    text = "".join(wrapped(paragraph, 70, "   ") for paragraph in TEXT)
    assert whole(text) == "".join(f"   {paragraph}\n" for paragraph in TEXT)


def test_headings_verse_dialogue_and_lists_keep_their_lines() -> None:
    inside = f'CHAPTER 2\n\n"Yes," he said.\n"No,"\nshe answered.\n\n{VERSE}\n- one\n- two\n\n'
    prose = "".join(wrapped(paragraph) + "\n" for paragraph in TEXT)
    assert inside in whole(prose + inside + prose)


def test_text_in_whole_lines_is_not_changed() -> None:
    text = "".join(f"{paragraph}\n" for paragraph in TEXT)
    assert whole(text) == text
    assert whole("") == ""


@given(size=st.integers(1, 5000))
def test_the_pieces_in_which_a_text_is_read_change_nothing(size: int) -> None:
    assert "".join(unwrapped(pieces(book(), size))) == whole(book())


def test_the_beginning_of_a_file_says_how_wide_it_is() -> None:
    narrow = "".join(wrapped(paragraph, 60) + "\n" for paragraph in paragraphs(300))
    assert len(narrow) > HEAD
    assert "".join(unwrapped([narrow, narrow])) == 2 * whole(narrow)


@pytest.mark.parametrize(
    ("hyphenated", "expected"),
    [
        ("exam-\nple", "example"),  # the text has "example", and no "exam-ple"
        ("well-\nknown", "well-known"),
        ("Anglo-\nSaxon", "Anglo-Saxon"),
        ("unseen-\nbefore", "unseen-before"),
        ("house\xad\nhold", "household"),
        ("Haus-\nund Hof", "Haus- und Hof"),
        ("word--\nnext", "word--next"),
    ],
)
def test_hyphens_at_line_ends(hyphenated: str, expected: str) -> None:
    prose = "An example of the well-known kind.\n\n"
    prose += "".join(wrapped(paragraph) + "\n" for paragraph in TEXT)
    first, _, second = hyphenated.partition("\n")
    line = "x " * ((71 - len(first)) // 2) + first
    assert f" {expected} and on\n" in whole(f"{prose}{line}\n{second} and on\n")


def test_chinese_lines_are_joined_without_spaces() -> None:
    text = (
        "老房子在河边空了很多年后来一位年轻的老师从城里来买下了它并在两个邻居的帮助下开始修理" * 8
    )
    assert whole("\n".join(textwrap.wrap(text, 36)) + "\n") == text + "\n"


def test_an_endless_paragraph_is_cut() -> None:
    text = " ".join(TEXT)
    lines = whole(wrapped(text), longest=1000).split("\n")
    assert len(lines) > 5
    assert max(map(len, lines)) < 1100
    assert " ".join(lines).strip() == text
