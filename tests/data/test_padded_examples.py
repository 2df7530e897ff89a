"""Rows of any length as batches: filled up, told apart, grouped."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.data import padded_examples
from foretext.data.padded_examples import IGNORED, WIDTHS, PaddedExamples, Ragged

ROWS = [[5, 6, 7], [8], [9, 10], [11, 12, 13, 14]]
PAD = 99


@pytest.fixture(autouse=True)
def exact_widths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows as short as these would all be filled up to one width."""
    monkeypatch.setattr(padded_examples, "WIDTHS", 1)


def examples(**settings: object) -> PaddedExamples:
    return PaddedExamples(
        Ragged(ROWS),
        settings.pop("targets", {}),  # type: ignore[arg-type]
        pad=PAD,
        visibility="full",
        **settings,  # type: ignore[arg-type]
    )


def test_ragged_rows_are_those_that_were_given() -> None:
    rows = Ragged(ROWS)
    assert len(rows) == 4
    assert [rows[place].tolist() for place in range(4)] == ROWS
    assert rows.lengths.tolist() == [3, 1, 2, 4]
    assert rows.filled(np.array([2, 0]), 3, -1).tolist() == [[9, 10, -1], [5, 6, 7]]
    assert len(Ragged([])) == 0


def test_ragged_rows_may_have_more_dimensions() -> None:
    rows = Ragged([np.ones((2, 3), np.int64), np.full((1, 3), 2)])
    filled = rows.filled(np.array([1, 0]), 2, 0)
    assert filled.tolist() == [[[2, 2, 2], [0, 0, 0]], [[1, 1, 1], [1, 1, 1]]]


def test_a_batch_is_as_wide_as_its_longest_row() -> None:
    inputs = examples().batch(np.array([2, 0])).inputs
    assert inputs.ids.tolist() == [[9, 10, PAD], [5, 6, 7]]
    assert inputs.token_mask is not None
    assert inputs.token_mask.tolist() == [[True, True, False], [True, True, True]]
    assert inputs.segments is None
    assert inputs.characters is None


def test_rows_of_one_length_need_no_mask() -> None:
    assert examples().batch(np.array([1])).inputs.token_mask is None


def test_a_row_without_ids_is_all_padding() -> None:
    rows = PaddedExamples(Ragged([[], []]), {}, pad=PAD, visibility="causal")
    inputs = rows.batch(np.array([0, 1])).inputs
    assert inputs.ids.tolist() == [[PAD], [PAD]]
    assert inputs.token_mask is not None
    assert not inputs.token_mask.any()
    assert inputs.visibility == "causal"


def test_second_texts_are_told_apart_and_padding_is_not() -> None:
    inputs = examples(second_starts=np.array([1, 1, 1, 2])).batch(np.array([0, 3])).inputs
    assert inputs.segments is not None
    assert inputs.segments.tolist() == [[0, 1, 1, 0], [0, 0, 1, 1]]


def test_tokens_of_both_texts_are_told_apart() -> None:
    shared = Ragged([[0, 1, 0], [0], [1, 1], [1, 0, 0, 1]])
    told = examples(second_starts=np.array([1, 1, 1, 2]), shared=shared)
    inputs = told.batch(np.array([0, 3])).inputs
    assert inputs.segments is not None
    assert inputs.segments.tolist() == [[0, 3, 1, 0], [2, 0, 1, 3]]


def test_characters_stand_beside_their_words() -> None:
    spelled = Ragged([np.full((len(row), 2), place + 1) for place, row in enumerate(ROWS)])
    inputs = examples(characters=spelled).batch(np.array([2, 0])).inputs
    assert inputs.characters is not None
    assert inputs.characters.tolist() == [[[3, 3], [3, 3], [0, 0]], [[1, 1]] * 3]


def test_targets_are_of_examples_or_of_positions() -> None:
    targets = {
        "labels": np.array([0, 1, 2, 3]),
        "sets": np.eye(4, dtype=np.float32),
        "tags": Ragged(ROWS),
    }
    batch = examples(targets=targets).batch(np.array([2, 0]))
    assert batch.targets["labels"].tolist() == [2, 0]
    assert batch.targets["tags"].tolist() == [[9, 10, IGNORED], [5, 6, 7]]
    assert batch.by_example == {"labels", "sets"}
    assert batch.targets["sets"].dtype == torch.float32


def test_a_micro_batch_keeps_targets_of_examples_whole() -> None:
    """Even where there happen to be as many of them as positions."""
    targets = {"sets": np.eye(4, dtype=np.float32), "tags": Ragged(ROWS)}
    part = examples(targets=targets).batch(np.array([2, 1, 3])).rows(0, 2)
    assert part.inputs.ids.tolist() == [[9, 10], [8, PAD]]
    assert part.targets["tags"].tolist() == [[9, 10], [8, IGNORED]]
    assert part.targets["sets"].shape == (2, 4)


def test_rows_of_a_group_stand_side_by_side() -> None:
    grouped = examples(group=2, targets={"labels": np.array([7, 8])})
    assert len(grouped) == 2
    assert grouped.lengths(np.array([1, 0])).tolist() == [4, 3]
    batch = grouped.batch(np.array([1, 0]))
    assert batch.inputs.ids[:, 0].tolist() == [9, 11, 5, 8]
    assert (len(batch), batch.targets["labels"].tolist()) == (2, [8, 7])
    second = batch.rows(1, 2)
    assert second.inputs.ids.tolist() == [[5, 6, 7], [8, PAD, PAD]]
    assert second.targets["labels"].tolist() == [7]


def test_a_part_of_a_batch_is_made_of_its_examples_alone() -> None:
    keys, rng = np.array([3, 0, 2, 1]), np.random.default_rng(0)
    part = examples(targets={"label": np.arange(4)}).part(keys, range(1, 3), rng)
    assert part.inputs.ids.tolist() == [[5, 6, 7], [9, 10, PAD]]
    assert part.targets["label"].tolist() == [0, 2]


def test_the_order_is_drawn_by_the_generator() -> None:
    drawn = [examples().keys(np.random.default_rng(seed)).tolist() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert sorted(drawn[2]) == [0, 1, 2, 3]
    assert drawn[0] != drawn[2]


def test_widths_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(padded_examples, "WIDTHS", WIDTHS)
    rows = PaddedExamples(Ragged([[1] * n for n in range(1, 31)]), {}, pad=PAD, visibility="full")
    widths = {rows.batch(np.array([0, n])).inputs.ids.shape[1] for n in range(1, 30)}
    assert widths == {8, 16, 24, 30}  # never wider than the longest row of all
