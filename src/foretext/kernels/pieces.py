"""Byte-level pieces: text cut by the rules of GPT-2, its bytes written as visible characters.

The rules, tried in this order wherever a piece begins (Radford et al. 2019, section 2.2):

    's|'t|'re|'ve|'m|'ll|'d        an English contraction
     ?LETTERS| ?NUMBERS| ?OTHERS   a run of one kind, with the blank before it
    BLANKS(?!NON-BLANK)|BLANKS     a run of blanks, less the last one where text follows
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["BLANK", "LETTER", "LINE_END", "NUMBER", "OTHER", "write_pieces"]

OTHER, LETTER, NUMBER, BLANK, LINE_END = 0, 1, 2, 3, 4

NEWLINE, SPACE, APOSTROPHE = 10, 32, 39
_S, _T, _R, _E, _V, _M, _L, _D = 115, 116, 114, 101, 118, 109, 108, 100


@kernel(kept=True)
def write_pieces(
    text: np.ndarray, classes: np.ndarray, letters: np.ndarray, pieces: np.ndarray
) -> int:
    """Write the pieces of `text` (uint8, UTF-8), a blank after each, and its line ends.

    `classes` (0x110000,) uint8 has the kind of each character, `letters` (256, 2) uint8 the
    character that stands for a byte, in UTF-8, its second place 0 where it takes one byte.
    `pieces` must hold three bytes for each one of `text`. Returns the bytes written.
    """
    at, written = 0, 0
    while at < text.size:
        if text[at] == NEWLINE:
            pieces[written] = NEWLINE
            written += 1
            at += 1
            continue
        end = _piece_end(text, at, classes)
        for place in range(at, end):
            byte = text[place]
            pieces[written] = letters[byte, 0]
            pieces[written + 1] = letters[byte, 1]
            written += 1 + (letters[byte, 1] != 0)
        pieces[written] = SPACE
        written += 1
        at = end
    return written


@kernel(_nrt=False, forceinline=True)
def _piece_end(text: np.ndarray, at: int, classes: np.ndarray) -> int:
    if text[at] == APOSTROPHE:
        length = _contraction(text, at + 1)
        if length > 0:
            return at + 1 + length
    start = at + 1 if text[at] == SPACE else at
    kind, width = _kind(text, start, classes)
    if kind < BLANK:
        return _run_end(text, start + width, kind, classes)
    end, last = at, at
    kind, width = _kind(text, end, classes)
    while kind == BLANK:
        last = end
        end += width
        kind, width = _kind(text, end, classes)
    return last if kind < BLANK and last > at else end


@kernel(_nrt=False, forceinline=True)
def _run_end(text: np.ndarray, at: int, kind: int | np.int64, classes: np.ndarray) -> int:
    while True:
        other, width = _kind(text, at, classes)
        if other != kind:
            return at
        at += width


@kernel(_nrt=False, forceinline=True)
def _contraction(text: np.ndarray, at: int) -> int:
    """Letters after the apostrophe that belong to it, 0: it is no contraction."""
    if at >= text.size:
        return 0
    first = text[at]
    if first in (_S, _T, _M, _D):
        return 1
    if at + 1 >= text.size:
        return 0
    second = text[at + 1]
    return 2 if (first, second) in ((_R, _E), (_V, _E), (_L, _L)) else 0


@kernel(_nrt=False, forceinline=True)
def _kind(text: np.ndarray, at: int, classes: np.ndarray) -> tuple[np.int64, int]:
    """Kind of the character at byte `at`, and how many bytes it takes."""
    if at >= text.size:
        return np.int64(LINE_END), 0
    first = np.int64(text[at])
    if first < 0x80:
        return np.int64(classes[first]), 1
    second = np.int64(text[at + 1]) & 0x3F
    if first < 0xE0:
        return np.int64(classes[(first & 0x1F) << 6 | second]), 2
    third = np.int64(text[at + 2]) & 0x3F
    if first < 0xF0:
        return np.int64(classes[(first & 0x0F) << 12 | second << 6 | third]), 3
    fourth = np.int64(text[at + 3]) & 0x3F
    return np.int64(classes[(first & 0x07) << 18 | second << 12 | third << 6 | fourth]), 4
