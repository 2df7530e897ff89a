"""Round marks of axes, what they are called, and which of them have room."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foretext.report.axes import (
    NEVER,
    WIDTHS,
    Words,
    bands,
    decimals,
    digits,
    in_percent,
    linear,
    logarithmic,
    named_time,
    room_of,
    short,
    shortened,
    text_width,
)

finite = st.floats(-1e299, 1e299)


def test_marks_are_round_and_the_axis_ends_at_them() -> None:
    axis = linear([0.013, 0.94], "share", digits)
    assert [name for _, name in axis.marks] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert (axis.low, axis.high, axis.position(0.25)) == (0.0, 1.0, 0.25)


def test_an_axis_that_is_not_nice_ends_at_the_values() -> None:
    axis = linear([1, 9.5], "", digits, nice=False)
    assert (axis.low, axis.high) == (1, 9.5)
    assert [mark for mark, _ in axis.marks] == [2, 4, 6, 8]


@given(st.lists(finite, min_size=1, max_size=4), st.integers(1, 10))
@example([0.0, 5e-324], 2)
def test_any_values_stand_on_their_axis(values: list[float], count: int) -> None:
    axis = linear(values, "", digits, count=count)
    assert axis.low < axis.high
    assert all(-0.01 <= axis.position(value) <= 1.01 for value in values)
    assert 1 <= len(axis.marks) <= count + 3
    assert all(-0.01 <= axis.position(mark) <= 1.01 for mark, _ in axis.marks)


@given(st.floats(1e-6, 1e12), st.floats(1.01, 1e6))
def test_a_logarithmic_axis_has_marks_within(low: float, ratio: float) -> None:
    axis = logarithmic(low, low * ratio, "", short)
    assert axis.position(low) == pytest.approx(0, abs=1e-9)
    assert axis.position(low * ratio) == pytest.approx(1)
    assert axis.position(low * math.sqrt(ratio)) == pytest.approx(0.5)
    assert axis.marks
    assert all(low <= mark <= low * ratio for mark, _ in axis.marks)


def test_names_have_bands() -> None:
    axis = bands(["a", "b"])
    assert [axis.position(mark) for mark, _ in axis.marks] == [0.25, 0.75]


@pytest.mark.parametrize(
    ("words", "value", "text"),
    [
        (short, 0, "0"),
        (short, 25_000, "25k"),
        (short, 1_500_000, "1.5M"),
        (short, -2e9, "-2G"),
        (digits, 0.025, "0.025"),
        (digits, 1e-5, "1e-5"),
        (digits, 2.5e20, "2.5e20"),
        (in_percent, 0.7, "70%"),
        (in_percent, 0.125, "12.5%"),
        (decimals(3), 0.9, "0.900"),
        (named_time, 30, "30 s"),
        (named_time, 90, "1.5 min"),
        (named_time, 7200, "2 h"),
    ],
)
def test_what_a_value_is_called(words: object, value: float, text: str) -> None:
    assert callable(words)
    assert words(value) == text


def test_labels_that_would_touch_wait_for_a_wider_chart() -> None:
    names = [f"a long label {number}" for number in range(8)]
    widths = room_of(bands(names))
    assert widths[0] == WIDTHS[0]
    assert sorted(widths) != widths
    assert room_of(bands(["a", "b"])) == [WIDTHS[0]] * 2
    assert NEVER in room_of(bands(["a" * 200] * 3))


def test_chinese_letters_are_wide() -> None:
    assert text_width("中文") > 1.5 * text_width("ab")


@given(st.floats(-1e6, 1e6), st.floats(1e-7, 1e6), st.integers(2, 8))
def test_labels_of_an_axis_differ_and_say_their_values(low: float, span: float, count: int) -> None:
    for words in (digits, short, in_percent, decimals(3)):
        axis = linear([low, low + span], "", words, count=count)
        labels = [label for _, label in axis.marks]
        assert len({*labels}) == len(labels)


def test_labels_have_the_digits_that_their_step_needs() -> None:
    def labels(low: float, high: float, words: Words) -> list[str]:
        return [label for _, label in linear([low, high], "", words).marks]

    assert labels(2.301, 2.306, digits)[:2] == ["2.301", "2.302"]
    assert labels(250_100, 252_400, short)[:2] == ["250k", "250.5k"]
    assert labels(0.9712, 0.9718, in_percent)[:2] == ["97.12%", "97.13%"]
    assert labels(0.9121, 0.9124, decimals(3))[:2] == ["0.91210", "0.91215"]
    assert labels(1985, 2021, digits)[0] == "1980"
    assert logarithmic(0.8, 1.25, "", decimals(0), [1]).marks == [(1, "1")]


def test_texts_are_shortened_by_their_width() -> None:
    assert shortened("abc", 30) == "abc"
    assert shortened("一二三四五六七八九十", 50) == "一二三…"
    assert text_width(shortened("一" * 40, 100)) <= 100
