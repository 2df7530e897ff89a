"""GloVe's training where other machines learn: it asks for rounds until it needs all weights."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pytest

from foretext.kernels.glove import train_tiles
from foretext.progress.run_context import RunContext
from foretext.shards import LocalEngine
from foretext.vectors.cooccurrence import Cooccurrence
from foretext.vectors.glove import GloVe
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.tile_descent import TileDescent
from foretext.vectors.tiles import Tiles

V, BLOCKS = 80, 32


class Elsewhere:
    """What learns on a cluster, in this process; it notes what it is asked for."""

    asked: list[list[np.ndarray]]

    def __init__(self, weights: GloveWeights, tiles: Tiles, losses: np.ndarray, **kw: Any) -> None:
        self.weights, self.tiles, self.losses, self.rate = weights, tiles, losses, kw["rate"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def start(self) -> None:
        """Nobody has to be there."""

    def learn(self, rounds: list[np.ndarray]) -> None:
        self.asked.append(rounds)
        for each in rounds:
            parameters = self.weights.parameters
            train_tiles(self.tiles.cells, parameters, each, np.float32(self.rate), self.losses)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[np.ndarray]]:
    monkeypatch.setattr("foretext.vectors.replicas.on_ray.tile_group.RayTileGroup", Elsewhere)
    Elsewhere.asked = []
    return Elsewhere.asked


def trained(folder: Path, *, elsewhere: bool, **settings: Any) -> tuple[GloveWeights, list[Any]]:
    """Train on a matrix of few words; returns the weights and the records."""
    rng = np.random.default_rng(0)
    counts = np.triu(rng.exponential(40, (V, V)))
    counts += np.triu(counts, 1).T
    rows, columns = np.nonzero(counts)
    starts = np.searchsorted(rows, np.arange(V + 1))
    counted = Cooccurrence(starts, columns.astype("u2"), counts[rows, columns].astype("f4"))
    options: dict[str, Any] = {"x_max": 100.0, "exponent": 0.75, "valid_rate": 0.0, "seed": 3}
    tiles = Tiles(counted, BLOCKS, memory=10**9, folder=folder / "tiles", **options)
    engine = LocalEngine(1)
    engine.cluster = "auto" if elsewhere else None
    config = GloVe.Config(workers=2, processes=2 if elsewhere else 1, **settings)
    weights = GloveWeights(V, 6, 1)
    context = RunContext(folder, engine=engine, quiet=True)
    return weights, TileDescent(weights, tiles, config, 0.05, context).run()


@pytest.mark.parametrize("epochs", [1, 3, 7])
def test_rounds_are_asked_for_up_to_a_record_and_within_an_epoch(
    asked: list[list[np.ndarray]], tmp_path: Path, epochs: int
) -> None:
    expected, records = trained(tmp_path, elsewhere=False, epochs=epochs)
    found, others = trained(tmp_path, elsewhere=True, epochs=epochs)
    np.testing.assert_array_equal(found.words, expected.words)
    assert [each["cells"] for each in others] == [each["cells"] for each in records]
    assert sum(map(len, asked)) == epochs * BLOCKS
    ends = np.cumsum([len(rounds) for rounds in asked])
    assert set(range(BLOCKS, epochs * BLOCKS + 1, BLOCKS)) <= set(ends.tolist())


def test_a_limited_time_ends_it(asked: list[list[np.ndarray]], tmp_path: Path) -> None:
    _, records = trained(tmp_path, elsewhere=True, budget_seconds=0.5)
    assert len(asked[0]) == 1  # how long a round takes is not known yet
    assert 0.5 <= records[-1]["time"] < 5
    assert all(len(rounds) <= BLOCKS for rounds in asked)
