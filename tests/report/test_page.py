from __future__ import annotations

from typing import Any

import pytest

from foretext.report.page import (
    budget,
    cell,
    duration,
    label,
    percent,
    setting_sections,
    table,
    tile,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        ("", "–"),
        (float("nan"), "–"),
        ([], "–"),
        (True, "yes"),
        (False, "no"),
        (1234567, "1,234,567"),
        (0.61749, "0.617"),
        (0.025, "0.025"),
        (0.0001234567, "0.0001235"),
        (1e-9, "1e-09"),
        (0.0, "0"),
        ("<b>", "<b>"),  # escaping is the template's work
        ([1, 0.5], "1, 0.500"),
    ],
)
def test_values_as_text(value: Any, text: str) -> None:
    assert cell(value) == text


def test_a_tile_rounds_large_numbers() -> None:
    assert tile(17_000_000) == "17.0 M"
    assert tile(9720) == "9,720"
    assert tile(0.5) == "0.500"
    assert tile(0.094412) == "0.0944"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.24, "0.2 s"),
        (9.94, "9.9 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (4800, "1 h 20 min"),
    ],
)
def test_a_time_has_its_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_small_share_is_not_nothing() -> None:
    assert [percent(share) for share in (0.0, 0.004, 0.057, 1.0)] == [
        "0 %",
        "< 1 %",
        "6 %",
        "100 %",
    ]


def test_labels_are_words() -> None:
    assert label("num_unknown_tokens") == "unknown tokens"
    assert label("held_out_tokens") == "held-out tokens"


def test_a_table_has_every_name_as_a_column() -> None:
    assert table([{"test": "a", "score": 1.0}, {"test": "b", "num_pairs": 3}]) == {
        "head": ["test", "score", "pairs"],
        "numeric": [False, True, True],
        "body": [["a", 1.0, None], ["b", None, 3]],
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(7200.0, "2 h"), (600.0, "10 min"), (90.0, "1 min 30 s"), (45.0, "45 s"), (5400.0, "90 min")],
)
def test_a_budget_is_shown_as_it_is_set(seconds: float, text: str) -> None:
    assert budget(seconds) == text


def test_numbers_are_written_as_a_user_writes_them() -> None:
    settings = {"vectors": {"epochs": 5.0, "alpha": 0.025, "eps": 1e-06, "seed": 1, "loss": "ns"}}
    [(section, values)] = setting_sections(settings)
    assert section == "vectors"
    assert [value for _, value in values] == ["5", "0.025", "1e-06", 1, "ns"]


def test_settings_without_a_section_come_first() -> None:
    sections = setting_sections({"training": {"steps": 3}, "seed": 2})
    assert sections == [("", [("seed", 2)]), ("training", [("steps", 3)])]
