"""The prose of a docstring, without markup, examples, tables and drawings.

Three steps: drop the lines that are not prose (doctests, literal blocks, directives, headings, rows
of parameter tables), join the rest to paragraphs, keep the paragraphs that look like English.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

__all__ = ["prose_paragraphs"]

FEWEST_WORDS = 5  # in a paragraph that is kept
WORD_RATE = 0.75  # of its tokens that must be plain words

_UNDERLINE = re.compile(r"\s*([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_DIRECTIVE = re.compile(r"\s*(\.\. |```|~~~|@\w+)")
_DOCTEST = re.compile(r"\s*(>>>|\.\.\. |In \[\d+\]:|\$ )")
_FIELD = re.compile(  # "x : int", "x : {'a', 'b'}, optional" and ":type x: int" of parameter tables
    r"\s*(\*{0,2}[\w.]+(, \*{0,2}[\w.]+)* : \S|:(type|rtype|param|returns?)\b[^:]*:\s*$|:r?type)"
)
_BULLET = re.compile(r"\s*(?:[-*+•]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+")
_ENTRY = re.compile(  # ":param x: ..." and "x (int): ..." of which the text is kept
    r":\w+[^:]{0,40}:\s+|`{0,2}\*{0,2}[\w.]+`{0,2}(?:\s*\([^)]{0,80}\))?:\s+"
)
_MARKS = re.compile(r"[`*_|$[<:]")  # without any of them there is no markup to remove
_MARKUP = (
    (re.compile(r":math:`[^`]*`|\$[^$]*\$"), ""),
    (re.compile(r":[\w:+-]+:`[~!]?(?:[^`<]*\.)?([^`<.]+?)\s*(?:<[^`]*>)?`"), r"\1"),  # a role
    (re.compile(r"`([^`<]+?)\s*<[^`>]*>`_{1,2}"), r"\1"),  # a link
    (re.compile(r"`{1,3}([^`]+)`{1,3}_{0,2}"), r"\1"),
    (re.compile(r"\|(\w+)\|"), r"\1"),
    (re.compile(r"(?<![\w*])(\*{1,2})(?=\S)([^*]+)(?<=\S)\1(?![\w*])"), r"\2"),  # emphasis
    (re.compile(r"\[[\w#*]+\]_|<?https?://\S+|<[^<>\s]*>"), ""),
    (re.compile(r"::$"), ":"),
)
_WORD = re.compile(r"[\"'(\[“‘]*[A-Za-z]+(?:['’-][A-Za-z]+)*[\"')\]”’.,;:!?]*")
_ENGLISH = re.compile(
    r"\b(?:an?|and|are|as|be|by|for|from|has|if|in|is|it|not|of|on|or|that|the|to|with)\b", re.I
)


def prose_paragraphs(docstring: str) -> Iterator[str]:
    """Yield the paragraphs of `docstring` that look like English, each in one line."""
    for paragraph in _paragraphs(inspect.cleandoc(docstring).split("\n")):
        text = _without_markup(paragraph)
        if _is_prose(text):
            yield text


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Join the lines of paragraphs; a bullet or a smaller indentation begins a new one."""
    paragraph: list[str] = []
    last = 0
    for line in _text_lines(lines):
        indent = _indent(line)
        if not line or _BULLET.match(line) or indent < last:
            yield " ".join(paragraph)
            paragraph = []
        if line:
            paragraph.append(_without(_BULLET, line).strip())
            last = indent
    yield " ".join(paragraph)


def _text_lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines of running text; an empty line replaces dropped lines."""
    literal: int | None = None  # indentation of the line whose indented block is being dropped
    doctest = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        blank = not line.strip()
        if literal is not None and (blank or _indent(line) > literal):
            yield ""
            continue
        literal = None
        doctest = not blank and (doctest or _DOCTEST.match(line) is not None)
        if _DIRECTIVE.match(line) or line.rstrip().endswith("::"):
            literal = _indent(line)
        if blank or doctest or _is_markup(line, following):
            yield ""
        else:
            yield line


def _is_markup(line: str, following: str) -> bool:
    """Whether `line` is a directive, a heading, its underline, a table row or a field."""
    return bool(
        _DIRECTIVE.match(line)
        or _UNDERLINE.match(line)
        or _UNDERLINE.match(following)
        or _FIELD.match(line)
        or line.count("|") > 1
    )


def _without_markup(paragraph: str) -> str:
    text = _without(_ENTRY, paragraph)
    if _MARKS.search(text):
        for pattern, replacement in _MARKUP:
            text = pattern.sub(replacement, text)
    return " ".join(text.split())


def _without(opening: re.Pattern[str], text: str) -> str:
    """Return `text` without what `opening` matches at its beginning."""
    match = opening.match(text)
    return text[match.end() :] if match else text


def _is_prose(text: str) -> bool:
    tokens = text.split()
    words = [token for token in tokens if _WORD.fullmatch(token)]
    return (
        len(words) >= FEWEST_WORDS
        and len(words) >= WORD_RATE * len(tokens)
        and _ENGLISH.search(text) is not None
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
