"""The fine-tunings of a candidate, their shares of its time, and the rows that all answer."""

from __future__ import annotations

import pytest

from foretext.comparison.cells import Cell, cells_of, measured_number, total_weight


def test_without_numbers_there_is_one_cell_a_seed() -> None:
    cells = cells_of([], 80, draws=5, seeds=3)
    assert cells == [Cell(80, 0), Cell(80, 1), Cell(80, 2)]
    assert total_weight(cells) == 3.0


def test_numbers_have_draws_and_all_rows_have_seeds() -> None:
    cells = cells_of([20, 100, 2000], 2000, draws=2, seeds=1)
    assert [(cell.labels, cell.draw) for cell in cells] == [
        (20, 0), (20, 1), (100, 0), (100, 1), (2000, 0),
    ]  # fmt: skip
    assert [cell.learns_all for cell in cells] == [False] * 4 + [True]
    assert [cell.is_last for cell in cells] == [False] * 4 + [True]


def test_the_largest_number_that_is_not_all_rows_has_draws_whose_models_are_kept() -> None:
    cells = cells_of([20, 100], 2000, draws=3, seeds=1)
    assert [cell.is_last for cell in cells] == [False] * 3 + [True] * 3
    assert not any(cell.learns_all for cell in cells)


def test_time_goes_with_the_root_of_the_labels() -> None:
    weights = [cell.weight for cell in cells_of([20, 500, 2000], 2000, draws=1, seeds=1)]
    assert weights == [0.2, 0.5, 1.0]


@pytest.mark.parametrize(
    ("groups", "budget", "rows"),
    [
        (["classical"], 100.0, 2000),  # 10 s, by ten cells, by half a millisecond
        (["classical", "pretrained"], 100.0, 500),  # 181 are affordable, and fewer say too little
        (["pretrained"], 3600.0, 7200),
        (["pretrained"], 36000.0, 7600),  # there are no more
    ],
)
def test_rows_that_are_measured_follow_from_the_time(
    groups: list[str], budget: float, rows: int
) -> None:
    assert measured_number(7600, groups, 10, budget) == rows


def test_few_rows_are_all_measured_and_a_slow_machine_measures_fewer() -> None:
    assert measured_number(120, ["pretrained"], 10, 60.0) == 120
    assert measured_number(7600, ["classical"], 10, 100.0, 2.0) == 1000
