"""Batches: rows taken from them lose the padding that all of these share."""

from __future__ import annotations

import numpy as np
import torch

from foretext.data.batch import Batch, Inputs

LENGTHS = torch.tensor([3, 5, 2, 2])


def padded(**fields: object) -> Batch:
    ids = torch.arange(20).view(4, 5)
    token_mask = torch.arange(5) < LENGTHS[:, None]
    inputs = Inputs(ids, token_mask, segments=torch.zeros_like(ids), **fields)  # type: ignore[arg-type]
    return Batch(inputs, {"label": torch.arange(4), "original": ids.clone()})


def two_streams() -> Batch:
    """Rows of up to 4 keys and up to 2 queries, each padded to its own right."""
    ids = torch.arange(24).view(4, 6)
    num_keys, num_queries = torch.tensor([4, 2, 2, 1]), torch.tensor([2, 1, 1, 0])
    keys, queries = torch.arange(4) < num_keys[:, None], torch.arange(2) < num_queries[:, None]
    visible = torch.arange(4 * 6 * 4).view(4, 6, 4) % 2 == 0
    token_mask = torch.cat((keys, queries), 1)
    positions = ids % 6
    inputs = Inputs(ids, token_mask, "matrix", visible, positions=positions, num_queries=2)
    return Batch(inputs, {"original": ids.clone()})


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


def test_positions_and_carried_states_follow_their_rows() -> None:
    positions = torch.arange(5).expand(4, 5)
    part = padded(positions=positions, carried=(torch.arange(4)[:, None],)).rows(2, 4).inputs
    assert part.positions is not None
    assert part.positions.tolist() == [[0, 1], [0, 1]]
    assert part.carried[0].tolist() == [[2], [3]]


def test_queries_lose_the_padding_that_they_share_and_so_do_keys() -> None:
    whole, part = two_streams(), two_streams().rows(1, 3)
    kept = [0, 1, 4]
    assert part.inputs.num_queries == 1
    assert part.inputs.token_mask is None
    assert part.inputs.ids.tolist() == whole.inputs.ids[1:3][:, kept].tolist()
    assert part.targets["original"].tolist() == part.inputs.ids.tolist()
    assert part.inputs.positions is not None
    assert part.inputs.positions.tolist() == [kept, kept]
    assert part.inputs.visible is not None
    assert whole.inputs.visible is not None
    assert torch.equal(part.inputs.visible, whole.inputs.visible[1:3][:, kept][:, :, :2])


def test_rows_without_queries() -> None:
    part = two_streams().rows(3, 4).inputs
    assert part.num_queries == 0
    assert part.ids.tolist() == [[18]]


def test_the_source_loses_its_own_padding_and_the_memory_with_it() -> None:
    source = padded().inputs
    memory = torch.arange(4 * 5 * 3).view(4, 5, 3)
    inputs = Inputs(torch.zeros(4, 7, dtype=torch.int64), source=source, memory=memory)
    part = inputs.rows(2, 4)
    assert part.ids.shape == (2, 7)
    assert part.source is not None
    assert part.source.ids.tolist() == [[10, 11], [15, 16]]
    assert part.memory is not None
    assert torch.equal(part.memory, memory[2:, :2])


def test_real_tokens_are_counted_in_the_source_too() -> None:
    source = padded().inputs
    assert source.num_tokens == 12
    assert Inputs(torch.zeros(4, 7, dtype=torch.int64), source=source).num_tokens == 28 + 12


def test_everything_moves_to_a_device() -> None:
    device = torch.device("meta")
    source = padded(carried=(torch.zeros(4, 2),)).inputs
    moved = Inputs(source.ids, source=source, memory=torch.zeros(4, 5, 3)).to(device)
    assert moved.source is not None
    assert moved.memory is not None
    parts = (moved.ids, moved.memory, moved.source.token_mask, *moved.source.carried)
    assert all(part is not None and part.device == device for part in parts)


def test_rows_are_cut_in_the_order_of_the_text() -> None:
    ids = torch.arange(16).view(2, 8)
    batch = Batch(Inputs(ids, segments=ids % 2), {"masked": ids > 9}, keys=np.array([4, 7]))
    short = batch.cut(4)
    assert len(short) == 8
    assert short.inputs.ids.tolist() == torch.arange(16).view(8, 2).tolist()
    assert short.inputs.segments is not None
    assert short.inputs.segments.tolist() == [[0, 1]] * 8
    assert short.targets["masked"].flatten().tolist() == batch.targets["masked"].flatten().tolist()
    assert short.keys is None  # no row is an example any more


def test_rows_of_another_length_stay_whole() -> None:
    batch = Batch(Inputs(torch.arange(18).view(2, 9)))
    assert batch.cut(4) is batch
    assert batch.cut(1) is batch


def test_a_target_by_example_is_that_of_each_short_row() -> None:
    targets = {"masked": torch.ones(2, 8) > 0, "unit": torch.tensor([2, 0], dtype=torch.int8)}
    batch = Batch(Inputs(torch.arange(16).view(2, 8)), targets, by_example=frozenset({"unit"}))
    short = batch.cut(4)
    assert short.targets["masked"].shape == (8, 2)
    assert short.targets["unit"].tolist() == [2, 2, 2, 2, 0, 0, 0, 0]
    assert short.rows(3, 5).targets["unit"].tolist() == [2, 0]
