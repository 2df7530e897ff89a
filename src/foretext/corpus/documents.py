"""The normal form of a corpus: one sentence per line, an empty line after each document.

Everything here works on large texts of whole lines with `str.replace` and one regular expression;
no Python code runs for each line. A document longer than `LONGEST_DOCUMENT` characters is split at
line ends, so that memory stays bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = [
    "LONGEST_DOCUMENT",
    "by_blank_line",
    "by_blank_lines",
    "by_file",
    "by_line",
    "join_rows",
]

LONGEST_DOCUMENT = 1 << 20  # characters
_BLANK_LINES = re.compile(r"\n\s*\n")
_UNTIDY = {  # searched first, because searching is several times faster than replacing
    "\n": re.compile(r"\n\s*\n"),
    "\n\n": re.compile(r"\n(?:\n\s*\n|[^\S\n]+\n)"),
}
_LEADING_BLANK_LINES = re.compile(r"\A\s*\n")
_SEVERAL_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*\n")


def by_line(texts: Iterable[str]) -> Iterator[str]:
    """Yield the normal form of `texts`, of whole lines, where each line is a document."""
    for text in texts:
        lines = _LEADING_BLANK_LINES.sub("", _blank_lines_as(text, "\n"))
        if lines:
            yield lines.replace("\n", "\n\n")


def by_blank_line(texts: Iterable[str], longest: int = LONGEST_DOCUMENT) -> Iterator[str]:
    """Yield the normal form of `texts`, of whole lines, where empty lines end a document."""
    rest = ""
    for piece in texts:
        text = _blank_lines_as(rest + piece, "\n\n")
        text = text if rest else _LEADING_BLANK_LINES.sub("", text)
        end = text.rfind("\n\n") + 2 if "\n\n" in text else 0
        if end:
            yield _cut_long_documents(text[:end], longest)
        pieces, rest = _cut(text[end:], longest)
        if pieces:
            yield "".join(pieces)
    if rest:
        yield rest + "\n"


def by_blank_lines(texts: Iterable[str], longest: int = LONGEST_DOCUMENT) -> Iterator[str]:
    """Yield the normal form of `texts`, of whole lines, where two empty lines end a document.

    Single empty lines, between the paragraphs of a document, go.
    """
    return by_blank_line(_marked(texts), longest)


def by_file(texts: Iterable[str], longest: int = LONGEST_DOCUMENT) -> Iterator[str]:
    """Yield the normal form of `texts`, of whole lines, which are one document together."""
    return by_blank_line(
        (_LEADING_BLANK_LINES.sub("", _blank_lines_as(text, "\n")) for text in texts), longest
    )


def join_rows(rows: Iterable[str], size: int) -> Iterator[str]:
    """Join documents with empty lines between them to texts of about `size` characters."""
    batch: list[str] = []
    length = 0
    for row in rows:
        batch.append(_blank_lines_as(row, "\n"))
        length += len(row)
        if length >= size:
            yield "\n\n".join(batch) + "\n\n"
            batch, length = [], 0
    if batch:
        yield "\n\n".join(batch) + "\n\n"


def _marked(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts with one empty line in place of several, and none in place of one."""
    before, blank = "", ""  # the last line end; the empty lines after it
    for piece in texts:
        text = blank + piece
        end = text.find("\n", len(text.rstrip())) + 1 if text.strip() else 0
        blank = text[end:]
        if end:
            documents = _SEVERAL_BLANK_LINES.split(before + text[:end])
            marked = "\n\n".join(_blank_lines_as(document, "\n") for document in documents)
            yield marked.removeprefix(before)
            before = "\n"


def _blank_lines_as(text: str, end: str) -> str:
    """Replace each line end with the empty or white lines after it by `end`, of "\\n" alone."""
    return _BLANK_LINES.sub(end, text) if _UNTIDY[end].search(text) else text


def _cut_long_documents(text: str, longest: int) -> str:
    """Split long documents of `text`, in normal form; most text is returned unchanged."""
    if not _has_long_document(text, longest):
        return text
    cut: list[str] = []
    for document in text[:-2].split("\n\n"):
        pieces, rest = _cut(document + "\n", longest)
        cut += [*pieces, rest + "\n"]
    return "".join(cut)


def _has_long_document(text: str, longest: int) -> bool:
    start = 0
    while len(text) - start > longest + 2:
        end = text.rfind("\n\n", start, start + longest + 2)
        if end < 0:
            return True
        start = end + 2
    return False


def _cut(lines: str, longest: int) -> tuple[list[str], str]:
    """Split documents from the beginning of `lines` until at most `longest` characters are left."""
    pieces, start = [], 0
    while len(lines) - start > longest + 1:
        end = lines.rfind("\n", start, start + longest + 1)
        end = lines.find("\n", start) if end < 0 else end  # a line that normalisation lengthened
        if end + 1 == len(lines):
            break
        pieces.append(lines[start : end + 1] + "\n")
        start = end + 1
    return pieces, lines[start:]
