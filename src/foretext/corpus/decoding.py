r"""Bytes to text as a stream, and what is wrong with bytes that are not text.

An error names the line and offset of a bad byte, and the encoding that the file is likely to have.

Decoded text regrouped at line ends, with lines of any length in bounded memory. A line ends at
"\n" only; "\r\n" is accepted. Of a text with no line end but "\r", as old Macintoshes and Excel
write it, `with_line_feeds` makes one with "\n".

A line longer than `LONGEST_LINE` characters is split: at the last space within that length, or
exactly there if it has none. Rows cannot be split, so a row that is too long is refused.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from foretext.base.errors import CorpusError
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding_guess import likely_encodings
from foretext.messages import clauses, ended, message

__all__ = [
    "INVISIBLE",
    "LONGEST_LINE",
    "Form",
    "Normalized",
    "advice",
    "decoded",
    "guessed",
    "normalize",
    "normalized",
    "split_lines",
    "whole_lines",
    "with_line_feeds",
    "without_invisible",
]

OPTION = "--encoding "  # of the commands that read a corpus
_SAMPLE = 1 << 16  # bytes on each side of a bad one
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MAGIC = {  # files that people mistake for text, by names of messages
    b"%PDF-": "pdf",
    b"PK\x03\x04": "zip",
    b"PAR1": "parquet",
    b"\x89PNG": "png",
    b"\xff\xd8\xff": "jpeg",
    b"GIF8": "gif",
    b"\x7fELF": "program",
    b"SQLite format 3\0": "sqlite",
    b"\xd0\xcf\x11\xe0": "office",
    b"{\\rtf": "rtf",
    b"7z\xbc\xaf\x27\x1c": "seven_zip",
    b"Rar!": "rar",
    b"\x04\x22\x4d\x18": "lz4",
    b"LZIP": "lzip",
    b"\x1f\x9d": "compress",
}

LONGEST_LINE = 1 << 20  # characters
_BEGINNING = 1 << 16  # characters that show what ends lines
_BLANKS = (" ", "\t", "\u3000")

Form = Literal["none", "NFC", "NFKC"]

# Characters within words that have no width: soft hyphen, word joiner, byte order mark, and what
# asks for a picture or a plain sign. Joiners (U+200C, U+200D), which tell Persian and Indic words
# apart, and the blank without width (U+200B), which separates words, are none of them.
INVISIBLE = "\u00ad\u2060\ufeff\ufe0e\ufe0f"
_INVISIBLE = re.compile(f"[{INVISIBLE}]")


def decoded(
    chunks: Iterable[bytes], encoding: str, name: str, option: str = OPTION
) -> Iterator[str]:
    """Yield the text of `chunks`, the bytes of the file `name`, without a byte order mark.

    Args:
        chunks: the bytes.
        encoding: of the bytes.
        name: of the file.
        option: by which a command sets the encoding, for error messages.

    Raises:
        CorpusError: the bytes are binary or not in `encoding`.
    """
    is_utf8 = codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
    decoder = codecs.getincrementaldecoder("utf-8-sig" if is_utf8 else encoding)()
    nul_is_text = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    position, lines = 0, 0
    for chunk in chunks:
        if position == 0:
            _refuse_known(chunk, name)
            if not nul_is_text and chunk.startswith(_UTF16_MARKS):
                raise _other_encoding(name, "utf-16", option)
        if not nul_is_text and b"\0" in chunk:
            raise _binary(chunk, name, position, lines, option)
        try:
            text = decoder.decode(chunk)
        except UnicodeError as error:
            raise _undecodable(
                error, encoding, name, position + len(chunk), lines, option
            ) from None
        position += len(chunk)
        lines += text.count("\n")
        yield text
    try:
        yield decoder.decode(b"", final=True)
    except UnicodeError as error:
        raise _undecodable(error, encoding, name, position, lines, option) from None


def guessed(data: bytes) -> tuple[str, ...] | None:
    """Guess the encoding of `data`: one, several that fit as well, or none.

    None: it is UTF-8 with a few damaged bytes.
    """
    if b"\0" in data:
        return (_utf16(data),)
    return None if _is_mostly_utf8(data) else likely_encodings(data)


def advice(likely: Sequence[str], name: str, option: str = OPTION) -> str:
    """Return what to do about a file whose encoding is one of these, as the end of a sentence."""
    if not likely:
        return message("errors.encoding.unknown", option=option)
    first, *others = likely
    if not others:
        return message("errors.encoding.likely", first=first, option=option)
    known = {"names": ", ".join(likely), "first": first, "file": name, "option": option}
    return message("errors.encoding.several", **known)


def _utf16(data: bytes) -> str:
    even, odd = data[0::2].count(0), data[1::2].count(0)
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_mostly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", errors="replace")
    good = sum(character > "\x7f" for character in text) - text.count("\ufffd")
    return good > 4 * text.count("\ufffd")


def _undecodable(
    error: UnicodeError, encoding: str, name: str, position: int, lines: int, option: str
) -> CorpusError:
    if not isinstance(error, UnicodeDecodeError):  # such as UTF-16 without a byte order mark
        known = {"file": name, "encoding": encoding, "cause": error}
        return CorpusError(message("errors.encoding.not_so", **known))
    offset = position - len(error.object) + error.start
    line = lines + error.object.count(b"\n", 0, error.start) + 1
    byte = error.object[error.start]
    known = {"file": name, "line": line, "offset": offset, "byte": byte, "encoding": encoding}
    where = message("errors.encoding.byte", **known)
    if error.reason in ("unexpected end of data", "truncated data"):
        return CorpusError(message("errors.encoding.ends", where=where))
    data = bytes(error.object[max(error.start - _SAMPLE, 0) : error.start + _SAMPLE])
    likely = guessed(data)
    if likely is None and "utf" not in encoding.lower():
        likely = ("utf-8",)
    if likely is None:
        return CorpusError(message("errors.encoding.one_line", where=where, file=name))
    return CorpusError(ended(clauses([where, advice(likely, name, option)])))


def _other_encoding(name: str, likely: str, option: str) -> CorpusError:
    return CorpusError(message("errors.encoding.other", file=name, likely=likely, option=option))


def _refuse_known(head: bytes, name: str) -> None:
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            what = message(f"errors.magic.{kind}")
            raise CorpusError(message("errors.encoding.not_text", file=name, what=what))


def _binary(chunk: bytes, name: str, position: int, lines: int, option: str) -> CorpusError:
    at = chunk.index(0)
    if chunk[257:262] == b"ustar":
        return CorpusError(message("errors.encoding.archive", file=name))
    if position == 0 and chunk.count(0) * 4 > len(chunk) and _reads_as_utf16(chunk):
        return _other_encoding(name, _utf16(chunk), option)
    line = lines + chunk.count(b"\n", 0, at) + 1
    return CorpusError(message("errors.encoding.nul", file=name, line=line, offset=position + at))


def _reads_as_utf16(chunk: bytes) -> bool:
    text = chunk[: len(chunk) // 2 * 2].decode(_utf16(chunk), errors="replace")
    strange = sum(not (c.isprintable() or c.isspace()) or c == "\ufffd" for c in text)
    return strange * 20 <= len(text)


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


def normalize(text: str, form: Form) -> str:
    """Return `text` in the normal `form`.

    Most text is in NFC already and is returned unchanged; otherwise only the lines that are not are
    rewritten, which is correct because nothing composes across a line end.
    """
    if form == "none" or text.isascii() or unicodedata.is_normalized(form, text):
        return text
    return "\n".join(
        line if unicodedata.is_normalized(form, line) else unicodedata.normalize(form, line)
        for line in text.split("\n")
    )


class Normalized(NamedTuple):
    """A text in a normal form, and which part of the text as it was given each character is of."""

    text: str
    starts: Sequence[int]  # where the part of each character begins
    ends: Sequence[int]  # and where it ends

    @property
    def is_as_given(self) -> bool:
        """Whether it is the text as it was given."""
        return isinstance(self.starts, range)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return what a span of the normal form is in the text as it was given."""
        if start >= end:
            place = self.starts[start] if start < len(self.starts) else (*self.ends[-1:], 0)[0]
            return place, place
        return self.starts[start], self.ends[end - 1]


def normalized(text: str, form: Form) -> Normalized:
    """Return `text` in the normal `form`, with the places of its characters."""
    if normalize(text, form) == text:
        return Normalized(text, range(len(text)), range(1, len(text) + 1))
    found, starts, ends = [], list[int](), list[int]()
    for start, end in _parts(text, form):
        part = normalize(text[start:end], form)
        found.append(part)
        starts += [start] * len(part)
        ends += [end] * len(part)
    return Normalized("".join(found), starts, ends)


def _parts(text: str, form: Form) -> Iterator[tuple[int, int]]:
    """Yield the shortest parts of a text that are normalised separately: letters with marks."""
    start = 0
    for place in range(1, len(text)):
        if _stands_apart(text[start:place], text[place], form):
            yield start, place
            start = place
    if text:
        yield start, len(text)


def _stands_apart(before: str, character: str, form: Form) -> bool:
    """Whether a character changes nothing before it, and nothing after it can change that."""
    if unicodedata.combining(character):
        return False
    return normalize(before + character, form) == normalize(before, form) + normalize(
        character, form
    )


def without_invisible(text: str) -> str:
    """Return `text` without the characters that have no width, which words are joined at."""
    return text if text.isascii() else _INVISIBLE.sub("", text)
