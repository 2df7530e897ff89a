"""The decimal kernels against NumPy's own reading and writing of float32."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foretext.kernels.decimal import format_rows, parse_lines

FLOAT32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


def parse(text: bytes, dim: int):
    rows = text.count(b"\n") + (not text.endswith(b"\n"))
    vectors = np.zeros((rows, dim), np.float32)
    words, lines = np.zeros((2, rows, 2), np.int64)
    parsed = np.zeros(rows, np.bool_)
    parse_lines(np.frombuffer(text, np.uint8), vectors, words, lines, parsed)
    return vectors, [text[a:b] for a, b in words], [text[a:b] for a, b in lines], parsed


def formatted(numbers) -> bytes:
    vectors = np.array([numbers], np.float32)
    text = np.zeros(16 * vectors.size + 1, np.uint8)
    ends = np.zeros(1, np.int64)
    format_rows(vectors, text, ends)
    return text[: ends[0]].tobytes()


def num_digits(number: str) -> int:
    return len(number.lstrip("-").split("e")[0].replace(".", "").strip("0"))


def test_lines_by_hand():
    vectors, words, lines, parsed = parse(b"a 1 -2.5e1\r\nbc\t+.5  7. \nd 1\n e 1 2", 2)
    assert parsed.tolist() == [True, True, False, False]
    assert words[:2] == [b"a", b"bc"]
    assert lines == [b"a 1 -2.5e1\r", b"bc\t+.5  7. ", b"d 1", b" e 1 2"]
    assert vectors[:2].tolist() == [[1, -25], [0.5, 7]]


@pytest.mark.parametrize("number", [b"", b"-", b".", b"1e", b"1e+", b"x", b"1x", b"nan", b"1..2"])
def test_what_is_no_number_is_left_to_the_caller(number):
    assert not parse(b"w " + number, 1)[3][0]


@settings(deadline=None)  # the kernel may be compiled within
@given(st.from_regex(r"\A-?[0-9]{1,25}(\.[0-9]{0,25})?(e[+-]?[0-9]{1,2})?\Z"))
@example("16777217")  # the middle of two float32
@example("16777217.0000000001")
@example("3.4028235677973366e38")  # the middle of the largest float32 and infinity
def test_what_is_trusted_is_what_numpy_reads(number):
    vectors, _, _, parsed = parse(b"w " + number.encode(), 1)
    if parsed[0]:
        with np.errstate(over="ignore"):
            assert vectors[0, 0] == np.float32(number)


@settings(deadline=None)
@given(FLOAT32)
def test_its_own_writing_is_always_trusted(number):
    vectors, _, _, parsed = parse(b"w" + formatted([number]), 1)
    assert parsed[0]
    assert vectors[0, 0].tobytes() == np.float32(number).tobytes()


@settings(deadline=None)
@given(FLOAT32)
def test_no_shorter_decimal_reads_back(number):
    text = formatted([number]).decode()
    assert np.float32(text) == np.float32(number)
    assert len(text) <= 18
    shorter = f"{number:.{max(num_digits(text.strip()) - 2, 0)}e}"
    if num_digits(shorter) < num_digits(text.strip()):
        # half-way cases apart, where readers may differ
        assert np.float32(shorter) != np.float32(number) or _is_half_way(shorter, number)


def _is_half_way(text: str, number: float) -> bool:
    value = np.float32(number)
    neighbours = np.nextafter(value, np.float32([-np.inf, np.inf])).astype(np.float64)
    return any((np.float64(value) + other) / 2 == float(text) for other in neighbours)


@settings(max_examples=20, deadline=None)
@given(st.lists(FLOAT32, min_size=1, max_size=5))
def test_a_row_is_blanks_numbers_and_a_line_end(numbers):
    text = formatted(numbers)
    assert text.endswith(b"\n")
    assert len(text.split(b" ")) == len(numbers) + 1


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, b" 0.0\n"),
        (-0.0, b" -0.0\n"),
        (1, b" 1.0\n"),
        (0.1, b" 0.1\n"),
        (-0.0001, b" -0.0001\n"),
        (1e-5, b" 1.0e-05\n"),
        (16777216, b" 16777216.0\n"),
        (1e9, b" 1.0e+09\n"),
        (3.4028235e38, b" 3.4028235e+38\n"),
        (1e-45, b" 1.0e-45\n"),
    ],
)
def test_writing_by_hand(number, text):
    assert formatted([number]) == text
