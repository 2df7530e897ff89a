"""Members of a ring of tiles in this process: who has which blocks, and what goes where."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from foretext.kernels.glove import train_tiles
from foretext.vectors.cooccurrence import Cooccurrence
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.replicas.on_ray.tile_group import RayTileGroup, TileMember, TileSettings
from foretext.vectors.tiles import Tiles

V, RATE = 150, 0.05


class Reference:
    """What stands for a result."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Member:
    """An actor whose calls are done at once; it notes what came from other members."""

    def __init__(self) -> None:
        self.open = SimpleNamespace(remote=self._open)
        self.do = SimpleNamespace(remote=self._do, options=self._options)
        self.came: list[int] = []

    def _open(self, here: Any, target: str, *arguments: Any) -> Reference:
        self.part = TileMember(*arguments)
        return Reference(None)

    def _do(self, name: str, *arguments: Any) -> Reference:
        values = [each.value if isinstance(each, Reference) else each for each in arguments]
        if name == "learn" and len(values) > 1:
            self.came.append(values[1])
        return Reference(getattr(self.part, name)(*values))

    def _options(self, *, num_returns: int) -> Any:
        def several(*arguments: Any) -> list[Reference]:
            values = self._do(*arguments).value
            assert len(values) == num_returns
            return [Reference(value) for value in values]

        return SimpleNamespace(remote=several)


class Here:
    """As much of a `RayCluster` as a group asks of it."""

    here = None

    def __init__(self) -> None:
        self.ray = SimpleNamespace(
            put=lambda value: value, get=lambda some: [each.value for each in some]
        )
        self.ray.exceptions = SimpleNamespace(RayError=OSError, RayTaskError=OSError)
        self.members: list[Member] = []

    def part(self, num_cpus: int) -> Member:
        self.members.append(Member())
        return self.members[-1]

    def wait(self, references: Sequence[Any], seconds: float) -> Sequence[Any]:
        return references

    def result(self, reference: Reference) -> None:
        assert reference.value is None


@pytest.fixture
def tiles(tmp_path: Path) -> Tiles:
    rng = np.random.default_rng(0)
    counts = np.triu(rng.exponential(40, (V, V)) * (rng.random((V, V)) < 0.3))
    counts += np.triu(counts, 1).T
    rows, columns = np.nonzero(counts)
    starts = np.searchsorted(rows, np.arange(V + 1))
    counted = Cooccurrence(starts, columns.astype("u2"), counts[rows, columns].astype("f4"))
    return Tiles(
        counted, GloveWeights(V, 6, 1).blocks, x_max=100.0, exponent=0.75, valid_rate=0.0, seed=3,
        memory=10**9, folder=tmp_path / "tiles",
    )  # fmt: skip


@pytest.mark.parametrize("processes", [2, 5, 32])
def test_a_ring_learns_what_one_process_learns(tiles: Tiles, processes: int) -> None:
    alone, together = GloveWeights(V, 6, 1), GloveWeights(V, 6, 1)
    expected, losses = np.zeros(tiles.blocks**2), np.zeros(tiles.blocks**2)
    rounds = [tiles.round(step) for step in range(5, 16)]  # in the middle of an epoch
    for each in rounds:
        train_tiles(tiles.cells, alone.parameters, each, np.float32(RATE), expected)
    group = RayTileGroup(
        together, tiles, losses, address="local", processes=processes, threads=2, rate=RATE
    )
    cluster: Any = Here()
    group._cluster = cluster
    group.start()
    group.learn(rounds[:4])
    group.learn(rounds[4:])
    for name, array in alone.arrays.items():
        np.testing.assert_array_equal(together.arrays[name], array)
    np.testing.assert_array_equal(losses, expected)
    for member in cluster.members:  # one block a round, but in the first one of each call
        assert len(member.came) == len(rounds) - 2


def test_blocks_and_cells_are_shared_out_in_order(tiles: Tiles) -> None:
    weights = GloveWeights(V, 6, 1)
    settings = TileSettings(
        weights.parameters.block_starts, tiles.cells.tile_starts, weights.parameters.stride, 1, RATE
    )
    rows = [settings.rows(number, 5) for number in range(5)]
    assert [block for each in rows for block in each] == list(range(tiles.blocks))
    ends = [(settings.cells(each).start, settings.cells(each).stop) for each in rows]
    assert (ends[0][0], ends[-1][1]) == (0, tiles.num_cells)
    assert all(one[1] == other[0] for one, other in pairwise(ends))
    records = settings.records(range(tiles.blocks))
    assert (records.start, records.stop) == (0, len(weights.arrays["words"]))
