"""Decoded text regrouped at line ends, with lines of any length in bounded memory.

A line ends at "\\n" only; "\\r\\n" is accepted. Of a text with no line end but "\\r", as old
Macintoshes and Excel write it, `with_line_feeds` makes one with "\\n".

A line longer than `LONGEST_LINE` characters is split: at the last space within that length, or
exactly there if it has none. Rows cannot be split, so a row that is too long is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foretext.base.errors import CorpusError
from foretext.corpus.compression import LARGEST_PIECE

__all__ = ["LONGEST_LINE", "split_lines", "whole_lines", "with_line_feeds"]

LONGEST_LINE = 1 << 20  # characters
_BEGINNING = 1 << 16  # characters that show what ends lines
_BLANKS = (" ", "\t", "\u3000")


def whole_lines(chunks: Iterable[str], longest: int = LONGEST_LINE) -> Iterator[str]:
    """Yield the text of `chunks` in pieces that end with "\\n", no line longer than `longest`."""
    rest, continued = "", False  # continued: `rest` continues a line that was split
    for chunk in chunks:
        text = rest + chunk
        end = text.rfind("\n") + 1
        if end:
            lines = text[:end].replace("\r\n", "\n") if "\r" in text else text[:end]
            yield _cut_long_lines(lines, longest, continued=continued)
            continued = False
        rest = text[end:]
        if len(rest) > longest + 1:  # one more, because it can be the "\r" of a line end
            pieces, rest = _cut(rest, longest + 1, longest)
            yield "".join(piece + "\n" for piece in pieces)
            continued = True
    if rest:
        yield _cut_long_lines(rest + "\n", longest, continued=continued)


def with_line_feeds(chunks: Iterable[str]) -> Iterator[str]:
    """Yield the text of `chunks`, with "\\n" for "\\r" where no other line end is at its beginning.

    Chunks of the beginning may be joined; no character is added, and none is lost.
    """
    held, are_returns = "", None
    for chunk in chunks:
        text = held + chunk
        are_returns = _ends_in_returns(text) if are_returns is None else are_returns
        if are_returns is None and ("\r" in text or len(text) < _BEGINNING):
            held = text
            continue
        held = ""
        yield text.replace("\r", "\n") if are_returns else text
    if held:
        yield held.replace("\r", "\n")


def _ends_in_returns(text: str) -> bool | None:
    """Whether the lines of a text end with "\\r", by its beginning; None: that is too short."""
    if "\n" in text:
        return False
    return True if "\r" in text[:-1] and len(text) >= _BEGINNING else None


def split_lines(
    chunks: Iterable[str], name: str = "", largest: int = LARGEST_PIECE
) -> Iterator[str]:
    """Yield the whole lines of `chunks`, the text of the file `name`, without line ends.

    Raises:
        CorpusError: a line is longer than `largest` characters.
    """
    parts: list[str] = []
    length, number = 0, 1
    for chunk in chunks:
        first, *others = chunk.split("\n")
        parts.append(first)
        length += len(first)
        if length > largest:
            raise CorpusError(
                f"{name}, line {number}: the line has more than {largest:,} bytes; break it, or "
                "raise max_piece_bytes."
            )
        if others:
            yield "".join(parts).removesuffix("\r")
            parts = [others.pop()]
            length, number = len(parts[0]), number + len(others) + 1
            for line in others:
                yield line.removesuffix("\r")
    if last := "".join(parts):
        yield last.removesuffix("\r")


def _cut_long_lines(text: str, longest: int, *, continued: bool) -> str:
    """Split long lines of `text`, which ends with "\\n"; most text is returned unchanged."""
    if continued:  # no empty line where nothing is left of a split line
        first, _, others = text.partition("\n")
        text = text if first.strip() else others
    if not _has_long_line(text, longest):
        return text
    return "".join(
        piece + "\n" for line in text[:-1].split("\n") for piece in _cut_line(line, longest)
    )


def _has_long_line(text: str, longest: int) -> bool:
    start = 0
    while len(text) - start > longest + 1:
        end = text.rfind("\n", start, start + longest + 1)
        if end < 0:
            return True
        start = end + 1
    return False


def _cut_line(line: str, longest: int) -> list[str]:
    if len(line) <= longest:
        return [line]
    pieces, rest = _cut(line, longest, longest)
    return [*pieces, rest] if rest.strip() else pieces


def _cut(line: str, keep: int, longest: int) -> tuple[list[str], str]:
    """Split pieces from the beginning of `line` until at most `keep` characters are left."""
    pieces, start = [], 0
    while len(line) - start > keep:
        end = max(line.rfind(blank, start + 1, start + longest + 1) for blank in _BLANKS)
        end, after = (end, end + 1) if end >= 0 else (start + longest, start + longest)
        pieces.append(line[start:end])
        start = after
    return [piece for piece in pieces if piece.strip()], line[start:]
