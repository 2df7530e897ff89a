"""Words in UTF-8 bytes: runs of characters of class WORD, and single ones of class ALONE.

`next_word` walks the bytes of a text and leaves the next word, lower-cased, in a scratch buffer.
The text must be valid UTF-8: what follows a leading byte is not checked.

U units of 8 bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel

__all__ = [
    "ALONE",
    "DOCUMENT_END",
    "IGNORED",
    "NEWLINE",
    "SENTENCE_END",
    "SEPARATOR",
    "WORD",
    "Letters",
    "Scratch",
    "decode",
    "next_word",
    "split_words",
]

SEPARATOR, WORD, ALONE, IGNORED = 0, 1, 2, 3  # IGNORED: dropped without ending the word

NEWLINE = 10
SENTENCE_END, DOCUMENT_END = 1, 2  # flags of what lies before a word


class Letters(NamedTuple):
    """What each character is, and its lower case."""

    classes: np.ndarray  # (0x110000,) uint8, SEPARATOR, WORD, ALONE or IGNORED
    lower: np.ndarray  # (0x110000,) int32, code point -> code point
    fast: np.ndarray  # (256,) uint8, what becomes of a byte that is a WORD by itself, else 0


class Scratch(NamedTuple):
    """Room for one word and eight zeros after it, seen in two ways; one for each thread."""

    letters: np.ndarray  # (8 U,) uint8
    units: np.ndarray  # (U,) uint64, the same memory


@kernel(_nrt=False)
def split_words(text: np.ndarray, letters: Letters, scratch: Scratch, words: np.ndarray) -> int:
    """Write the words of `text`, lower-cased, a newline after each; returns the bytes written.

    `scratch` must hold the longest word, `words` two bytes for each one of `text` (a lower case
    can be half as long again, and each word is followed by a newline).
    """
    written, at = 0, 0
    while True:
        at, length, _ = next_word(text, at, letters, scratch)
        if length == 0:
            return written
        for place in range(length):
            words[written + place] = scratch.letters[place]
        words[written + length] = NEWLINE
        written += length + 1


@kernel(_nrt=False, forceinline=True)
def next_word(
    text: np.ndarray, start: int, letters: Letters, scratch: Scratch
) -> tuple[int, int, int]:
    """Bring the next word from byte `start` on into `scratch`, filled up with zeros.

    Returns where it ends, its length in bytes (0: there is none; more than `scratch` holds: only
    its beginning was kept) and flags of the sentence and document ends that lie before it.
    """
    at, ends = _skip_separators(text, start, letters)
    limit = scratch.letters.size - 8
    length = 0
    while at < text.size:
        letter = letters.fast[text[at]]
        if letter != 0 and length < limit:
            scratch.letters[length] = letter
            length += 1
            at += 1
            continue
        point, width = decode(text, at)
        kind = letters.classes[point]
        if kind == SEPARATOR or (kind == ALONE and length > 0):
            break
        if kind != IGNORED:
            length = _append(scratch.letters, length, limit, letters.lower[point])
        at += width
        if kind == ALONE:
            break
    for place in range(8):
        scratch.letters[min(length, limit) + place] = 0
    return at, length, ends


@kernel(_nrt=False, forceinline=True)
def _skip_separators(text: np.ndarray, start: int, letters: Letters) -> tuple[int, int]:
    at = start
    ends = 0
    while at < text.size and letters.fast[text[at]] == 0:
        if text[at] == NEWLINE:
            ends |= SENTENCE_END
            if at + 1 < text.size and text[at + 1] == NEWLINE:
                ends |= DOCUMENT_END
        point, width = decode(text, at)
        kind = letters.classes[point]
        if kind in (WORD, ALONE):
            break
        at += width
    return at, ends


@kernel(_nrt=False, forceinline=True)
def decode(text: np.ndarray, at: int) -> tuple[np.int64, int]:
    """Code point at byte `at` and how many bytes it takes."""
    first = np.int64(text[at])
    if first < 0x80:
        return first, 1
    second = np.int64(text[at + 1]) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | second, 2
    third = np.int64(text[at + 2]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | second << 6 | third, 3
    return (first & 0x07) << 18 | second << 12 | third << 6 | np.int64(text[at + 3]) & 0x3F, 4


@kernel(_nrt=False, forceinline=True)
def _append(letters: np.ndarray, length: int, limit: int, point: int) -> int:
    """Write a code point in UTF-8; returns the new length, or `limit` + 1 where it has no room."""
    width = 1 + (point >= 0x80) + (point >= 0x800) + (point >= 0x10000)
    if length + width > limit:
        return limit + 1
    if width == 1:
        letters[length] = point
        return length + 1
    for place in range(width - 1, 0, -1):
        letters[length + place] = 0x80 | (point & 0x3F)
        point >>= 6
    letters[length] = point | (0xF00 >> width) & 0xFF
    return length + width
