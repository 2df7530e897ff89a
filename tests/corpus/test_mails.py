"""An e-mail is a document, and lines of one template are texts of their own."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from foretext.corpus import Corpus
from foretext.corpus.layout import num_mails
from tests.corpus.wrapped_texts import book

BODY = (
    "The meeting about the new harbour was moved, because most people are away. Nobody minded it. "
)


def mail(number: int, headers: str = "From: p{n}@example.org\nSubject: Re: harbour {n}\n") -> str:
    paragraph = textwrap.fill(BODY * 3, 72)
    quoted = "\n".join(f"> {line}" for line in paragraph.split("\n"))
    parts = [
        headers.format(n=number),
        "Hi all,\n",
        f"{paragraph}\n",
        f"{quoted}\n",
        f"Best, {number}\n",
    ]
    return "\n".join(parts)


def read(path: Path) -> tuple[str, int]:
    corpus = Corpus(path)
    return corpus.resolved.documents, len(list(corpus))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (mail(1), 1),
        (mail(1) + "\n\n" + mail(2), 2),
        ("From a@b Mon Nov 3\nReturn-Path: <a@b>\nReceived: from x\n\tby y\nDate: Mon\n\nHi\n", 1),
        ("Von: a\nBetreff: b\n\nHallo\n", 1),
        ("From: here you can see it\nand this is prose.\n", 0),
        ("A letter.\nFrom: a\nTo: b\n", 0),
    ],
)
def test_blocks_of_headers(text: str, number: int) -> None:
    assert num_mails(text) == number


@pytest.mark.parametrize("number", [1, 5, 30])
def test_a_file_of_one_mail_is_a_document(number: int, tmp_path: Path) -> None:
    for each in range(number):
        (tmp_path / f"{each}.txt").write_text(mail(each), encoding="utf-8")
    assert read(tmp_path) == ("file", number)


def test_several_empty_lines_end_a_mail_in_a_file_of_many(tmp_path: Path) -> None:
    path = tmp_path / "box.txt"
    path.write_text("\n\n".join(map(mail, range(30))), encoding="utf-8")
    assert read(path) == ("blank_lines", 30)


TEMPLATES = [
    "item {n:03d} the {a} was seen near the {b} at place {m:03d} by visitor xyz",
    "{a} {n:03d} passed the {b} near place {m:03d} while the visitor was not there",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_lines_of_one_template_are_texts(template: str, tmp_path: Path) -> None:
    names = ["cat", "dog", "cow", "hen", "fox", "owl", "bee", "ant"]
    lines = [
        template.format(n=n, a=names[n % 8], b=names[n // 8 % 8], m=7 * n % 991) for n in range(200)
    ]
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert Corpus(path).resolved.lines == "whole"
    assert read(path) == ("line", 200)


def test_a_book_is_wrapped(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text(book(12), encoding="utf-8")
    assert Corpus(path).resolved.lines == "wrapped"


@pytest.mark.parametrize(("blocks", "documents"), [(3, "file"), (2500, "blank_line")])
def test_a_long_file_that_begins_like_a_mail_is_read_as_without_it(
    tmp_path: Path, blocks: int, documents: str
) -> None:
    path = tmp_path / "long.txt"
    block = f"{BODY}\n{BODY}\n{BODY}\n"
    path.write_text("From: a writer\nDate: long ago\n\n" + "\n".join([block] * blocks))
    assert read(path)[0] == documents
