from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.progress.figures import human_bytes, human_count, human_figure, human_seconds


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (0.5, "0.5"),
        (999, "999"),
        (1234, "1.2 k"),
        (99_960, "100 k"),
        (999_950, "1.0 M"),
        (3_140_000, "3.1 M"),
        (17_000_000, "17.0 M"),
        (2.5e12, "2.5 T"),
    ],
)
def test_counts_have_about_three_digits(count: float, text: str) -> None:
    assert human_count(count) == text


@given(st.floats(min_value=1, max_value=1e15))
def test_no_scale_is_overrun(count: float) -> None:
    number = float(human_count(count).split()[0])
    assert number <= 999 or count >= 1e15 * 0.999


def test_bytes_are_decimal() -> None:
    assert human_bytes(512) == "512 B"
    assert human_bytes(204_000_000) == "204 MB"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "00:00"), (31, "00:31"), (3599.6, "1:00:00"), (93600, "26:00:00")]
)
def test_durations(seconds: float, text: str) -> None:
    assert human_seconds(seconds) == text


def test_figures_keep_what_counts() -> None:
    assert human_figure(2.13416) == "2.134"
    assert human_figure(0.000123456) == "0.0001235"
    assert human_figure(0) == "0"


def test_large_figures_have_no_decimals() -> None:
    assert [human_figure(value) for value in (251.0, 99.5, -400.2)] == ["251", "99.500", "-400"]
