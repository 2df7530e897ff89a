"""Tiles hold every cell that is not held out once, and come in rounds that share nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.vectors.cooccurrence import Cooccurrence
from foretext.vectors.tiles import FEWEST_BLOCKS, Tiles, num_blocks

V = 200


@pytest.fixture(scope="module")
def counted() -> Cooccurrence:
    """A symmetric matrix, a fifth of it filled."""
    rng = np.random.default_rng(0)
    counts = np.triu(rng.exponential(40, (V, V)) * (rng.random((V, V)) < 0.2))
    counts += np.triu(counts, 1).T
    counts[0] = counts[:, 0] = 0
    rows, columns = np.nonzero(counts)
    starts = np.searchsorted(rows, np.arange(V + 1))
    return Cooccurrence(starts, columns.astype(np.uint16), counts[rows, columns].astype(np.float32))


def tiles_of(counted: Cooccurrence, folder: Path, **settings: Any) -> Tiles:
    defaults = {"x_max": 100.0, "exponent": 0.75, "valid_rate": 0.1, "seed": 3, "memory": 10**9}
    return Tiles(counted, 7, folder=folder / "tiles", **(defaults | settings))


def trained_cells(tiles: Tiles) -> dict[tuple[int, int], tuple[float, float]]:
    """Word ids of each cell to its log X and h(X)."""
    sizes = np.diff(tiles.cells.tile_starts)
    tile = np.repeat(np.arange(len(sizes)), sizes)
    rows = tiles.cells.rows.astype(int) * 7 + tile // 7
    columns = tiles.cells.columns.astype(int) * 7 + tile % 7
    values = zip(tiles.cells.logs.tolist(), tiles.cells.weights.tolist(), strict=True)
    return dict(zip(zip(rows.tolist(), columns.tolist(), strict=True), values, strict=False))


def test_every_cell_is_trained_on_or_held_out(counted: Cooccurrence, tmp_path: Path) -> None:
    tiles = tiles_of(counted, tmp_path)
    trained = trained_cells(tiles)
    held_out = set(zip(tiles.held_out.rows.tolist(), tiles.held_out.columns.tolist(), strict=True))
    rows = np.repeat(np.arange(V), np.diff(counted.row_starts)).tolist()
    every = dict(zip(zip(rows, counted.columns.tolist(), strict=True), counted.counts, strict=True))
    assert len(trained) == tiles.num_cells
    assert trained.keys() | held_out == every.keys()
    assert not trained.keys() & held_out
    for cell, (log, weight) in trained.items():
        assert log == pytest.approx(np.log(every[cell]), abs=1e-5)
        assert weight == pytest.approx(min(every[cell] / 100, 1) ** 0.75, rel=1e-5)


def test_held_out_cells_are_a_share_with_their_mirror_images(
    counted: Cooccurrence, tmp_path: Path
) -> None:
    def held_out(seed: int) -> set[tuple[int, int]]:
        tiles = tiles_of(counted, tmp_path, seed=seed)
        return set(zip(tiles.held_out.rows.tolist(), tiles.held_out.columns.tolist(), strict=True))

    first = held_out(3)
    assert 0.07 < len(first) / counted.num_cells < 0.13
    assert first == {(column, row) for row, column in first}
    assert first == held_out(3)
    assert first != held_out(4)


def test_few_cells_are_not_all_held_out(tmp_path: Path) -> None:
    starts = np.array([0, 0, 1, 2])
    pair = Cooccurrence(starts, np.array([2, 1], np.uint16), np.ones(2, np.float32))
    tiles = tiles_of(pair, tmp_path, valid_rate=0.999)
    assert tiles.num_cells == 2
    assert len(tiles.held_out.rows) == 0


def test_a_round_shares_nothing_and_an_epoch_is_all_tiles(
    counted: Cooccurrence, tmp_path: Path
) -> None:
    tiles = tiles_of(counted, tmp_path)
    rounds = [tiles.round(step) for step in range(14)]
    for numbers in rounds:
        assert sorted(numbers // 7) == sorted(numbers % 7) == list(range(7))
    for epoch in (rounds[:7], rounds[7:]):
        assert sorted(np.concatenate(epoch)) == list(range(49))
    assert not np.array_equal(rounds[0], rounds[7])
    assert sum(tiles.sizes(numbers) for numbers in rounds[:7]) == tiles.num_cells


def test_tiles_over_the_memory_are_kept_in_files(counted: Cooccurrence, tmp_path: Path) -> None:
    with tiles_of(counted, tmp_path, memory=1000) as mapped:
        assert len(list((tmp_path / "tiles").iterdir())) == 4
        assert trained_cells(mapped) == trained_cells(tiles_of(counted, tmp_path / "other"))
    assert not (tmp_path / "tiles").exists()


def test_blocks_fit_the_cache() -> None:
    assert num_blocks(100, 896) == FEWEST_BLOCKS
    assert num_blocks(100_000, 896) == 86
    assert -(-100_000 // 86) * 896 <= 1 << 20
