"""Bytes to text as a stream, and what is wrong with bytes that are not text.

An error names the line and offset of a bad byte, and the encoding that the file is likely to have.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence

from foretext.base.errors import CorpusError
from foretext.corpus.encoding_guess import likely_encodings

__all__ = ["advice", "decoded", "guessed"]

OPTION = "--encoding "  # of the commands that read a corpus
_SAMPLE = 1 << 16  # bytes on each side of a bad one
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MAGIC = {  # files that people mistake for text
    b"%PDF-": "a PDF document; extract its text first",
    b"PK\x03\x04": "a ZIP archive (or an Office document or EPUB, which are such); unpack it first",
    b"PAR1": "a Parquet file; give it the suffix .parquet or set format = 'parquet'",
    b"\x89PNG": "a PNG picture; remove it from the corpus",
    b"\xff\xd8\xff": "a JPEG picture; remove it from the corpus",
    b"GIF8": "a GIF picture; remove it from the corpus",
    b"\x7fELF": "a program; remove it from the corpus",
    b"SQLite format 3\0": "an SQLite database; export its text first",
    b"\xd0\xcf\x11\xe0": "an old Office document; save it as text first",
    b"{\\rtf": "an RTF document; save it as plain text first",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive; unpack it first",
    b"Rar!": "a RAR archive; unpack it first",
    b"\x04\x22\x4d\x18": "an lz4 file; unpack it first with `lz4 -d`",
    b"LZIP": "an lzip file; unpack it first with `lzip -d`",
    b"\x1f\x9d": "a file of compress (.Z); unpack it first with `gzip -d`",
}


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
        return (
            "and which encoding it has cannot be seen; ask where the file comes from, and set "
            f"encoding to its name ({option}NAME)"
        )
    first, *others = likely
    if not others:
        return f"the text looks like {first}: set encoding = '{first}' ({option}{first})"
    return (
        f"the text may be one of {', '.join(likely)}: read a few lines "
        f"(`iconv -f {first} -t utf-8 {name} | head`), and set encoding to the one that is right "
        f"({option}{first})"
    )


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
        return CorpusError(f"{name} is not {encoding}: {error}; set its right encoding.")
    offset = position - len(error.object) + error.start
    line = lines + error.object.count(b"\n", 0, error.start) + 1
    byte = error.object[error.start]
    where = f"{name}, line {line}: byte {offset:,} (0x{byte:02x}) is not {encoding}"
    if error.reason in ("unexpected end of data", "truncated data"):
        return CorpusError(f"{where}: the file ends inside a character; it is incomplete.")
    data = bytes(error.object[max(error.start - _SAMPLE, 0) : error.start + _SAMPLE])
    likely = guessed(data)
    if likely is None and "utf" not in encoding.lower():
        likely = ("utf-8",)
    if likely is None:
        return CorpusError(
            f"{where}, but the text around it is; correct that line, or drop such bytes with "
            f"`iconv -c -f utf-8 -t utf-8 {name}`."
        )
    return CorpusError(f"{where}; {advice(likely, name, option)}.")


def _other_encoding(name: str, likely: str, option: str) -> CorpusError:
    return CorpusError(f"{name} looks like {likely}: set encoding = '{likely}' ({option}{likely}).")


def _refuse_known(head: bytes, name: str) -> None:
    for magic, what in _MAGIC.items():
        if head.startswith(magic):
            raise CorpusError(f"{name} is not text but {what}.")


def _binary(chunk: bytes, name: str, position: int, lines: int, option: str) -> CorpusError:
    at = chunk.index(0)
    if chunk[257:262] == b"ustar":
        return CorpusError(f"{name} is not text but a tar archive; unpack it first.")
    if position == 0 and chunk.count(0) * 4 > len(chunk) and _reads_as_utf16(chunk):
        return _other_encoding(name, _utf16(chunk), option)
    line = lines + chunk.count(b"\n", 0, at) + 1
    return CorpusError(
        f"{name}, line {line}: byte {position + at:,} is NUL, which text does not contain; remove "
        "the file from the corpus if it is binary, or its NUL bytes (`tr -d '\\0'`) if it is text."
    )


def _reads_as_utf16(chunk: bytes) -> bool:
    text = chunk[: len(chunk) // 2 * 2].decode(_utf16(chunk), errors="replace")
    strange = sum(not (c.isprintable() or c.isspace()) or c == "\ufffd" for c in text)
    return strange * 20 <= len(text)
