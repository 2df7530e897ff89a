from __future__ import annotations

import textwrap

import pytest

from foretext.corpus.layout import Layout
from foretext.corpus.settings import Documents

PARAGRAPH = "A whole paragraph in one line. It has two sentences.\n"


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
