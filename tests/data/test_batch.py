"""Batches: rows taken from them lose the padding that all of these share."""

from __future__ import annotations

import torch

from foretext.data.batch import Batch, Inputs

LENGTHS = torch.tensor([3, 5, 2, 2])


def padded() -> Batch:
    ids = torch.arange(20).view(4, 5)
    token_mask = torch.arange(5) < LENGTHS[:, None]
    inputs = Inputs(ids, token_mask, segments=torch.zeros_like(ids))
    return Batch(inputs, {"label": torch.arange(4), "original": ids.clone()})


def test_rows_lose_shared_padding() -> None:
    part = padded().rows(2, 4)
    assert part.inputs.ids.tolist() == [[10, 11], [15, 16]]
    assert part.targets["original"].tolist() == [[10, 11], [15, 16]]
    assert part.targets["label"].tolist() == [2, 3]
    assert part.inputs.segments is not None
    assert part.inputs.segments.shape == (2, 2)


def test_no_mask_where_every_position_holds_a_token() -> None:
    assert padded().rows(2, 4).inputs.token_mask is None
    mixed = padded().rows(0, 2).inputs.token_mask
    assert mixed is not None
    assert mixed.sum(1).tolist() == [3, 5]


def test_a_matrix_is_cut_on_both_sides() -> None:
    inputs = Inputs(
        torch.zeros(4, 5, dtype=torch.long),
        torch.arange(5) < LENGTHS[:, None],
        "matrix",
        torch.ones(4, 5, 5, dtype=torch.bool),
    )
    visible = inputs.rows(0, 1).visible
    assert visible is not None
    assert visible.shape == (1, 3, 3)
