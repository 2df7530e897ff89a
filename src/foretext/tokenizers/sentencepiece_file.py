"""Models of the library SentencePiece (Kudo and Richardson 2018), read without that library.

A ``.model`` file is one message of protocol buffers: fields, each with a number and a type of
encoding. This reads the few fields that decide which ids a text gets, and skips the others.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.errors import CorpusError
from foretext.base.parsing import read_bytes

__all__ = ["Kind", "Piece", "SentencePieces", "read_sentencepiece_file"]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # types of encoding
MAX_SHIFT = 63  # bits of a number
PIECES, TRAINER, NORMALIZER = 1, 2, 3  # fields of a model
TEXT, SCORE, KIND = 1, 2, 3  # of a piece
ALGORITHM, BYTE_FALLBACK, SPACES_BEHIND = 3, 35, 24  # of the trainer
CHARACTERS, PREFIX, COLLAPSE, ESCAPE = 2, 3, 4, 5  # of the normaliser
ALGORITHMS = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}

Value = int | bytes


class Kind(IntEnum):
    """What a piece stands for."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3  # special, and never found in a text
    USER_DEFINED = 4  # found in a text as it is
    UNUSED = 5
    BYTE = 6


class Piece(NamedTuple):
    """A token."""

    text: str
    score: float  # log probability
    kind: Kind


class SentencePieces(NamedTuple):
    """What decides the ids of a text."""

    pieces: list[Piece]  # by id
    unknown: int  # id
    characters: bytes  # a compiled table of replacements; empty: there are none
    begins_with_blank: bool  # whether a text gets a blank before it
    collapses_blanks: bool  # whether blanks at the ends and repeated ones are removed
    byte_fallback: bool  # whether unknown characters become bytes


def read_sentencepiece_file(path: Path) -> SentencePieces:
    """Read the ``.model`` file of a unigram model.

    Raises:
        CorpusError: it is missing or damaged, or of another kind; the sentence says which.
    """
    data = read_bytes(path, CorpusError)
    try:
        return _model(data)
    except (ValueError, TypeError, struct.error) as error:
        raise CorpusError(
            f"{path} cannot be read as a model of SentencePiece ({error}); fetch it again, or take "
            "a folder with a tokenizer.json."
        ) from None


def _model(data: bytes) -> SentencePieces:
    parts: dict[int, bytes] = {TRAINER: b"", NORMALIZER: b""}
    pieces = []
    for number, value in _fields(data):
        if number == PIECES:
            pieces.append(_piece(_bytes(value)))
        elif number in parts:
            parts[number] += _bytes(value)  # parts of one message add up
    trainer, normalizer = dict(_fields(parts[TRAINER])), dict(_fields(parts[NORMALIZER]))
    _check_trainer(trainer)
    if not _flag(normalizer, ESCAPE, default=True):
        raise ValueError("it leaves blanks as they are, which is not supported")
    return SentencePieces(
        pieces,
        _unknown(pieces),
        _bytes(normalizer.get(CHARACTERS, b"")),
        _flag(normalizer, PREFIX, default=True),
        _flag(normalizer, COLLAPSE, default=True),
        _flag(trainer, BYTE_FALLBACK, default=False),
    )


def _check_trainer(trainer: dict[int, Value]) -> None:
    algorithm = _number(trainer.get(ALGORITHM, 1))
    if algorithm != 1:
        name = ALGORITHMS.get(algorithm, algorithm)
        raise ValueError(f"it is of the kind {name}, and only unigram is supported")
    if _flag(trainer, SPACES_BEHIND, default=False):
        raise ValueError("it marks the ends of words in place of beginnings, which is unsupported")


def _unknown(pieces: list[Piece]) -> int:
    unknown = [index for index, piece in enumerate(pieces) if piece.kind is Kind.UNKNOWN]
    if len(unknown) != 1:
        raise ValueError(f"it has {len(unknown)} unknown tokens in place of one")
    text, count = Counter(piece.text for piece in pieces).most_common(1)[0]
    if count > 1:
        raise ValueError(f"the token {text!r} is there twice")
    return unknown[0]


def _piece(data: bytes) -> Piece:
    fields = dict(_fields(data))
    text = _bytes(fields.get(TEXT, b"")).decode("utf-8")  # its error is a ValueError
    score = struct.unpack("<f", _bytes(fields.get(SCORE, b"\0\0\0\0")))[0]
    if not text or not math.isfinite(score):
        raise ValueError(f"the token {text!r} has the score {score}")
    return Piece(text, score, Kind(_number(fields.get(KIND, Kind.NORMAL))))


def _fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Yield number and value of each field; numbers of 4 or 8 bytes stay bytes.

    Raises:
        ValueError: a field ends behind the data, or its encoding is unknown.
    """
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, encoding = divmod(key, 8)
        if encoding == VARINT:
            value, place = _varint(data, place)
            yield number, value
            continue
        if encoding == BYTES:
            size, place = _varint(data, place)
        elif encoding in (FIXED32, FIXED64):
            size = 4 if encoding == FIXED32 else 8
        else:
            raise ValueError(f"field {number} has the unknown encoding {encoding}")
        if size > len(data) - place:
            raise ValueError(f"field {number} ends behind the data")
        yield number, data[place : place + size]
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a number, of seven bits a byte, the lowest ones first, and the place behind it."""
    value = 0
    for shift in range(0, MAX_SHIFT + 1, 7):
        if place >= len(data):
            raise ValueError("it ends within a number")
        value |= (data[place] & 0x7F) << shift
        place += 1
        if data[place - 1] < 0x80:
            return value, place
    raise ValueError("a number has more than 64 bits")


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError("a number stands where bytes are expected")
    return value


def _number(value: Value) -> int:
    if not isinstance(value, int):
        raise TypeError("bytes stand where a number is expected")
    return value


def _flag(fields: dict[int, Value], number: int, *, default: bool) -> bool:
    return bool(_number(fields.get(number, default)))
