"""Decimal text to float32 and back, exactly, for vector files with hundreds of millions of numbers.

Reading multiplies at most 19 digits by a power of ten in double precision, and trusts the product
only if a little more and a little less of it round to the same float32; the rare others are left
to the caller. Writing looks for the fewest digits that read back as the same number.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["format_rows", "parse_lines"]

_POWERS = np.array([float(f"1e{power}") for power in range(80)])
_MARGIN = 2.0**-50  # four times what a product of two rounded doubles can be off
_MAX_DIGITS = np.uint64(10**18)  # one more decimal digit still fits 64 bits
_MOST_DIGITS = 9  # always enough for a float32

_BLANK, _TAB, _NEWLINE, _RETURN = 32, 9, 10, 13
_PLUS, _MINUS, _POINT, _ZERO, _NINE, _LOWER_E, _UPPER_E = 43, 45, 46, 48, 57, 101, 69


@kernel()
def parse_lines(text, vectors, word_spans, line_spans, parsed):
    """Read lines of one word and D decimals, separated by blanks or tabs.

    Args:
        text: (bytes,) uint8, whole lines; the last one may lack its line end.
        vectors: (R, D) float32, R the number of lines; filled.
        word_spans: (R, 2) int64, start and end of each word in `text`; filled.
        line_spans: (R, 2) int64, start and end of each line without its line end; filled.
        parsed: (R,) bool; filled. False where the line is anything else or where a number lies so
            close to the middle of two float32 that exact arithmetic must decide.
    """
    start = 0
    for row in range(len(parsed)):
        end = start
        while end < len(text) and text[end] != _NEWLINE:
            end += 1
        line_spans[row] = start, end
        word_end = start
        while word_end < end and not _separates(text[word_end]):
            word_end += 1
        word_spans[row] = start, word_end
        parsed[row] = word_end > start and _parse_numbers(text, word_end, end, vectors[row])
        start = end + 1


@kernel()
def _parse_numbers(text, at, end, row):
    """Fill `row` (D,) from ``text[at:end]``; True if it holds D trusted numbers, nothing else."""
    for column in range(len(row)):
        at = _skip_separators(text, at, end)
        at, value, trusted = _parse_number(text, at, end)
        if not trusted:
            return False
        row[column] = value
    return _skip_separators(text, at, end) == end


@kernel()
def _separates(byte):
    return byte in (_BLANK, _TAB, _RETURN)


@kernel()
def _skip_separators(text, at, end):
    while at < end and _separates(text[at]):
        at += 1
    return at


@kernel()
def _parse_number(text, at, end):
    """Return where the number at `at` ends, its float32 value, and whether to trust it."""
    negative = at < end and text[at] == _MINUS
    if at < end and (text[at] == _MINUS or text[at] == _PLUS):
        at += 1
    mantissa, power, num_digits, in_fraction = np.uint64(0), 0, 0, False
    while at < end:
        byte = text[at]
        if _ZERO <= byte <= _NINE:
            if mantissa < _MAX_DIGITS:
                mantissa = mantissa * np.uint64(10) + np.uint64(byte - _ZERO)
                power -= in_fraction
            else:
                power += not in_fraction  # too small to matter within the margin
            num_digits += 1
        elif byte == _POINT and not in_fraction:
            in_fraction = True
        else:
            break
        at += 1
    if num_digits == 0:
        return at, np.float32(0), False
    if at < end and (text[at] == _LOWER_E or text[at] == _UPPER_E):
        at, exponent, well_formed = _parse_exponent(text, at + 1, end)
        power += exponent
        if not well_formed:
            return at, np.float32(0), False
    ends_well = at == end or _separates(text[at])
    value, trusted = _scale(mantissa, power)
    return at, -value if negative else value, trusted and ends_well


@kernel()
def _parse_exponent(text, at, end):
    negative = at < end and text[at] == _MINUS
    if at < end and (text[at] == _MINUS or text[at] == _PLUS):
        at += 1
    exponent, first = 0, at
    while at < end and _ZERO <= text[at] <= _NINE:
        exponent = min(exponent * 10 + int(text[at] - _ZERO), 9999)
        at += 1
    return at, -exponent if negative else exponent, at > first


@kernel()
def _scale(mantissa, power):
    """Return mantissa·10^power as float32, and whether no rounding error could change it."""
    if mantissa == 0:
        return np.float32(0), True
    if abs(power) >= len(_POWERS):
        return np.float32(0), False
    double = np.float64(mantissa)
    double = double * _POWERS[power] if power >= 0 else double / _POWERS[-power]
    value = np.float32(double)
    return value, _rounds_to(double, value)


@kernel()
def _rounds_to(double, value):
    below = np.float32(double * (1.0 - _MARGIN))
    above = np.float32(double * (1.0 + _MARGIN))
    return below == value and above == value and np.isfinite(value)


@kernel()
def format_rows(vectors, text, ends):
    """Write each row as decimals with a blank before each and a line end after the last.

    Args:
        vectors: (R, D) float32, finite.
        text: (at least R·(16·D + 1),) uint8; filled.
        ends: (R,) int64, where each row ends in `text`; filled.
    """
    at = 0
    for row in range(vectors.shape[0]):
        for column in range(vectors.shape[1]):
            text[at] = _BLANK
            at = _format_number(vectors[row, column], text, at + 1)
        text[at] = _NEWLINE
        at += 1
        ends[row] = at


@kernel()
def _format_number(value, text, at):
    if np.signbit(value):
        text[at] = _MINUS
        at += 1
    mantissa, power = _shortest(np.float64(abs(value)))
    num_digits, rest = 1, mantissa // 10
    while rest > 0:
        num_digits, rest = num_digits + 1, rest // 10
    exponent = num_digits - 1 + power  # of the first digit
    if -5 < exponent < _MOST_DIGITS:
        return _write_fixed(mantissa, num_digits, exponent, text, at)
    at = _write_fixed(mantissa, num_digits, 0, text, at)
    text[at] = _LOWER_E
    text[at + 1] = _MINUS if exponent < 0 else _PLUS
    text[at + 2] = _ZERO + abs(exponent) // 10
    text[at + 3] = _ZERO + abs(exponent) % 10
    return at + 4


@kernel()
def _shortest(value):
    """Return mantissa and power of the shortest decimal that reads back as `value` (>= 0)."""
    if value == 0:
        return 0, 0
    best, best_power = 0, 0
    leading = int(np.floor(np.log10(value)))
    for num_digits in range(_MOST_DIGITS, 0, -1):  # one digit fewer while that is enough
        power = leading + 1 - num_digits
        scaled = value * _POWERS[-power] if power <= 0 else value / _POWERS[power]
        mantissa = int(np.rint(scaled))
        back, trusted = _scale(np.uint64(mantissa), power)
        if best and not (trusted and back == np.float32(value)):
            break
        best, best_power = mantissa, power
    while best % 10 == 0:
        best //= 10
        best_power += 1
    return best, best_power


@kernel()
def _write_fixed(mantissa, num_digits, exponent, text, at):
    """Write the digits of `mantissa`, the first one worth 10^exponent, with a point among them."""
    lowest = exponent - num_digits + 1  # the power of ten that the last digit is worth
    first, last = max(exponent, 0), min(lowest, -1)  # a digit on each side of the point: 1.0
    end = at + first - last + 2
    at = end
    for place in range(last, first + 1):  # from the right
        if place == 0:
            at -= 1
            text[at] = _POINT
        at -= 1
        text[at] = _ZERO + (mantissa % 10 if place >= lowest else 0)
        mantissa = mantissa // 10 if place >= lowest else mantissa
    return end
