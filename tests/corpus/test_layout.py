from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.decoding import whole_lines
from foretext.corpus.layout import HEAD, Layout, unwrapped
from foretext.corpus.settings import Documents
from tests.corpus.wrapped_texts import VERSE, book, paragraphs, wrapped

PARAGRAPH = "A whole paragraph in one line. It has two sentences.\n"

TEXT = [text for text in paragraphs(40) if "- " not in text]


@pytest.mark.parametrize(
    ("sample", "documents"),
    [
        ("a\nb\nc\n", "line"),
        ("a\nb\n\nc\nd\n", "blank_line"),
        ("\n\na\nb\nc\n\n \n", "line"),  # nothing between the empty lines
        ("a\n\nb\n\nc\n", "line"),  # either reading finds the same documents
        ("a\n" * 500 + "\n" + "b\n" * 500, "line"),  # a stray empty line
        ("", "line"),
        ("Title\nText.\nMore text.\n\n" * 9, "blank_line"),
        (f"{PARAGRAPH}\n" * 9, "line"),  # minutes: nothing larger than a paragraph is visible
        (f"{PARAGRAPH}\n{PARAGRAPH}\n\n" * 9, "blank_lines"),
        (f"Chapter\n\n{PARAGRAPH}\n{PARAGRAPH}\n\n\n" * 9, "blank_lines"),
        (f"{PARAGRAPH}\n" * 5000 + "\n" + PARAGRAPH, "line"),  # two stray empty lines
    ],
)
def test_what_ends_a_document(sample: str, documents: Documents) -> None:
    assert Layout([sample]).documents == documents


def test_many_small_files_of_paragraphs_are_documents() -> None:
    letters = [f"{PARAGRAPH}\n{PARAGRAPH}"] * 30
    assert Layout(letters, [110] * 30).documents == "file"
    assert Layout(letters, [1_000_000] * 30).documents == "line"  # parts of a large collection
    assert Layout(letters[:5], [110] * 5).documents == "line"
    assert Layout(["one\ntwo\n"] * 30, [8] * 30).documents == "blank_line"  # which they end, too


def test_larger_documents() -> None:
    minutes = Layout([f"{PARAGRAPH}\n{PARAGRAPH}\n\n" * 9])
    assert minutes.num_documents("line") == 18
    assert minutes.num_documents("blank_lines") == 9
    assert minutes.larger_documents("line") == "blank_lines"
    assert minutes.larger_documents("blank_lines") is None
    assert Layout([PARAGRAPH * 9]).larger_documents("line") is None


def test_paragraphs_of_a_wrapped_book_are_no_documents() -> None:
    long = (
        "The ship lay in the harbour and the old captain said that nobody would ever leave it. " * 6
    )
    said = '"We shall see," said the mate, and went below without another word.'
    book = "\n\n".join(textwrap.fill(each, 70) for each in [long, said, said, long] * 12)
    assert Layout([book]).documents == "file"
    abstracts = "\n\n".join(textwrap.fill(each, 70) for each in [long] * 24)
    assert Layout([abstracts]).documents != "file"


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
