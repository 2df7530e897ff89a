"""Hard-wrapped and other texts for the tests of layout."""

from __future__ import annotations

import textwrap

WORDS = (
    "the old house by the river had been empty for many years when a young teacher from the city "
    "bought it and began to repair its well-known tower with the help of two neighbours"
)


def paragraph(number: int, sentences: int = 5) -> str:
    """Return a paragraph of sentences of different lengths in one line."""
    found = []
    for index in range(sentences):
        start = (7 * number + 5 * index) % 36
        words = (WORDS.split() * 2)[start : start + 9 + (number + index) % 11]
        found.append(" ".join(words).capitalize() + ".")
    return " ".join(found)


def paragraphs(number: int) -> list[str]:
    """Return so many paragraphs, each in one line."""
    return [paragraph(index) for index in range(number)]


def wrapped(text: str, width: int = 72, indent: str = "") -> str:
    """Return a paragraph with its lines cut at a width, with a line end."""
    return textwrap.fill(text, width, initial_indent=indent, break_on_hyphens=True) + "\n"


def book(chapters: int = 4, width: int = 72) -> str:
    """Return a text as Project Gutenberg has it."""
    parts = []
    for chapter in range(chapters):
        parts.append(f"\n\nCHAPTER {chapter + 1}\n\n")
        parts += [wrapped(paragraph(9 * chapter + index), width) + "\n" for index in range(9)]
    return "".join(parts)


VERSE = """\
Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date:
Sometime too hot the eye of heaven shines,
And often is his gold complexion dimmed,
And every fair from fair sometime declines,
By chance, or nature's changing course untrimmed:
But thy eternal summer shall not fade,
Nor lose possession of that fair thou ow'st,
Nor shall death brag thou wander'st in his shade,
When in eternal lines to time thou grow'st,
So long as men can breathe, or eyes can see,
So long lives this, and this gives life to thee.
"""
CODE = """\
def cut(lines: list[str], keep: int) -> list[str]:
    found = []
    for line in lines:
        if len(line) > keep:
            found.append(line[:keep])
    return found
"""
SUBTITLES = """\
12
00:01:02,500 --> 00:01:05,000
i never thought that we would see
this place again

"""
