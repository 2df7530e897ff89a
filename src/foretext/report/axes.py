"""Where values stand on an axis of a chart, and which of them are marked, in what words."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from foretext.messages import message

__all__ = [
    "DECADES",
    "NEVER",
    "WIDTHS",
    "Axis",
    "Words",
    "bands",
    "decimals",
    "digits",
    "figure",
    "in_percent",
    "linear",
    "logarithmic",
    "named_time",
    "room_of",
    "short",
    "shortened",
    "text_width",
]


class Words(Protocol):
    """What a value is called."""

    def __call__(self, value: float, step: float = 0.0, /) -> str:
        """Return the label of a value.

        Args:
            value: finite.
            step: between the labels of an axis, which has to show in them; 0: three digits do.
        """


NEVER = math.inf  # pixels: no chart is as wide
WIDTHS = (260.0, 320.0, 420.0, 560.0, 720.0, 900.0)  # pixels, of charts that differ in their labels
LARGEST, LEAST = 1e300, 1e-290  # sizes between which a chart tells values from 0 and infinity
LEAST_RANGE = 0.05  # of values that are alike: a share of the largest
LETTER, WIDE_LETTER = 6.8, 12.5  # pixels, at 12 pixels of height
APART = 10.0  # pixels between two labels
USUAL_DIGITS = 3  # of a label
MOST_WHOLE = 6  # digits before the point; of more a label has an exponent
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
DECADES = tuple(digit * 10.0**power for power in range(-9, 16) for digit in (1, 2, 5))


class Axis(NamedTuple):
    """One side of a chart."""

    low: float
    high: float
    marks: Sequence[tuple[float, str]]  # values and their labels
    title: str = ""
    is_logarithmic: bool = False
    is_down: bool = False  # of the vertical axis: whether its values grow downwards
    has_grid: bool = True

    def position(self, value: float) -> float:
        """Return where a value stands: 0 at the low end, 1 at the high one, beyond if outside."""
        if self.is_logarithmic:
            low, high, value = (math.log(each) for each in (self.low, self.high, value))
        else:
            low, high = self.low, self.high
        return (value - low) / (high - low)


def linear(
    values: Iterable[float],
    title: str,
    words: Words,
    *,
    count: int = 6,
    nice: bool = True,
    has_grid: bool = True,
) -> Axis:
    """Return an axis from the least to the largest value, to round ones where it is `nice`.

    Args:
        values: one or more, all finite.
        title: what they are, with their unit.
        words: of the labels.
        count: about how many labels.
        nice: whether the axis ends at round values.
        has_grid: whether lines stand at them.
    """
    kept = (value if abs(value) > LEAST else 0.0 for value in values)
    found = [min(max(value, -LARGEST), LARGEST) for value in kept]
    low, high = min(found), max(found)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        room = LEAST_RANGE * abs(high) or 1.0
        low, high = low - room, high + room
    step = _step(high / count - low / count)
    if nice:
        low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    marks = [_rounded(number * step, step) for number in range(first, last + 1)]
    labels = [(mark, words(mark, step)) for mark in marks]
    return Axis(low, high, labels, title, has_grid=has_grid)


def logarithmic(
    low: float, high: float, title: str, words: Words, marks: Sequence[float] = DECADES
) -> Axis:
    """Return a logarithmic axis.

    Args:
        low: its beginning, above 0.
        high: its end.
        title: what it shows.
        words: of the labels.
        marks: where labels may stand; round values of the axis where fewer than two of several are
            within.
    """
    within, step = [mark for mark in marks if low <= mark <= high], 0.0
    if len(within) < min(2, len(marks)):
        step = _step((high - low) / 4)
        first, last = math.ceil(low / step), math.floor(high / step)
        within = [_rounded(number * step, step) for number in range(first, last + 1)]
    labels = [(mark, words(mark, step)) for mark in within if low <= mark <= high]
    return Axis(low, high, labels, title, is_logarithmic=True, has_grid=False)


def bands(names: Sequence[str], title: str = "", *, is_down: bool = False) -> Axis:
    """Return an axis of names: the band of the first one is from 0 to 1, and its middle 0.5."""
    marks = [(index + 0.5, name) for index, name in enumerate(names)]
    return Axis(0.0, float(len(names)), marks, title, is_down=is_down, has_grid=False)


def room_of(axis: Axis) -> list[float]:
    """Return the least width of a chart that has room for each label of its horizontal axis.

    What stands in a narrow chart stands in a wider one, too.
    """
    found = [NEVER] * len(axis.marks)
    kept: list[int] = []
    for width in WIDTHS:
        for index in range(len(axis.marks)):
            if index not in kept and all(_are_apart(axis, index, each, width) for each in kept):
                kept.append(index)
                found[index] = width
    return found


def _are_apart(axis: Axis, one: int, other: int, width: float) -> bool:
    (a, name), (b, other_name) = axis.marks[one], axis.marks[other]
    between = width * abs(axis.position(a) - axis.position(b))
    return between >= (text_width(name) + text_width(other_name)) / 2 + APART


def text_width(text: str) -> float:
    """Return about how many pixels a label takes."""
    return sum(WIDE_LETTER if unicodedata.east_asian_width(each) in "WF" else LETTER
               for each in text)  # fmt: skip


def shortened(text: str, width: float) -> str:
    """Return a text that takes so many pixels at most, with an ellipsis where it is cut."""
    while text_width(text) > width and len(text) > 1:
        text = f"{text[:-2]}…"
    return text


def short(value: float, step: float = 0.0) -> str:
    """Return a value with about three digits and a prefix: 0, 25k, 1.5M."""
    for size, prefix in PREFIXES:
        if abs(value) >= size:
            return f"{digits(value / size, step / size)}{prefix}"
    return digits(value, step)


def digits(value: float, step: float = 0.0) -> str:
    """Return a value with about three digits that count: 0.025, 3, 1985, 1e-5."""
    mantissa, exponent, power = f"{value:.{_needed(value, step)}g}".partition("e")
    return f"{mantissa}e{int(power)}" if exponent else mantissa


def figure(value: float) -> str:
    """Return a value with about four digits and its thousands apart: 250,000, 0.01234."""
    if 1e3 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    mantissa, exponent, power = f"{value:.4g}".partition("e")
    return f"{mantissa}e{int(power)}" if exponent else mantissa


def _needed(value: float, step: float) -> int:
    """Return how many digits of a value count: all before the point, and down to the step."""
    if not value:
        return USUAL_DIGITS
    power = math.floor(math.log10(abs(value)) + 1e-9)
    whole = power + 1 if power < MOST_WHOLE else 0
    down_to_step = power - math.floor(math.log10(step) + 1e-9) + 1 if step else 0
    return max(USUAL_DIGITS, whole, down_to_step)


def decimals(number: int) -> Words:
    """Return what writes values with so many decimals, or more where a step needs them."""

    def words(value: float, step: float = 0.0) -> str:
        least = -math.floor(math.log10(step) + 1e-9) if step else number
        return f"{value:,.{max(number, least)}f}"

    return words


def in_percent(value: float, step: float = 0.0) -> str:
    """Return a share in percent."""
    return f"{digits(100 * value, 100 * step)}%"


def named_time(seconds: float, step: float = 0.0) -> str:
    """Return a time on an axis: 30 s, 5 min, 2 h."""
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= size:
            return f"{digits(seconds / size, step / size)} {message(f'page.axis.{unit}')}"
    return f"{digits(seconds, step)} {message('page.axis.seconds')}"


def _step(least: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is as large as `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next((digit * power for digit in (1, 2, 5) if digit * power >= 0.999 * least),
                10 * power)  # fmt: skip


def _rounded(value: float, step: float) -> float:
    """Return a multiple of a step without what floating point adds to it."""
    return round(value, max(0, 1 - math.floor(math.log10(step)))) if step < 1 else value
