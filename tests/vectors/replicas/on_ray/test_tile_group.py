"""GloVe on a Ray cluster: the bits of one machine, whatever is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ClusterError, SettingError
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.shards import RayEngine
from foretext.shards.on_ray.address import RayAddress
from foretext.shards.on_ray.connection import connected
from foretext.vectors.replicas.on_ray import tile_group
from foretext.vectors.replicas.on_ray.tile_group import RayTileGroup
from tests.shards.on_ray.clusters import ENVIRONMENT, ray_nodes
from tests.vectors.texts import write_topics

pytestmark = [
    pytest.mark.slow,
    # Ray leaves a log open where it starts the server of Ray Client.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SETTINGS = ["vectors.vector_size=8", "vectors.epochs=2", "tokenizer.min_count=1"]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray, connected to a cluster of this machine with three CPUs."""
    module = pytest.importorskip("ray", reason="Ray is not installed: pip install 'foretext[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        with connected(RayAddress("local"), 3):
            yield module


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("corpus") / "topics.txt", documents=60)


@pytest.fixture(scope="module")
def alone(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """The vectors that one thread learns."""
    return learned(corpus, tmp_path_factory.mktemp("alone") / "run", 1)


def learned(
    corpus: Path, run: Path, processes: int, settings: Sequence[str] = (), **options: Any
) -> np.ndarray:
    """Learn GloVe by processes of one thread; returns the vectors."""
    parts = [f"vectors.workers={processes}", f"vectors.processes={processes}"]
    recipe = Recipe.load("glove", [*SETTINGS, *parts, *settings])
    run_recipe(recipe, str(corpus), run, quiet=True, **options)
    vectors: np.ndarray = ft.load(run).vectors
    return vectors


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("processes", [2, 3])  # 32 blocks: 16 and 16; 10, 11 and 11
def test_bits_are_those_of_one_process(
    ray: Any,
    corpus: Path,
    alone: np.ndarray,
    tmp_path: Path,
    processes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tile_group, "PIECE", 100)  # cells are sent in many pieces
    found = learned(corpus, tmp_path / "run", processes, engine=RayEngine())
    np.testing.assert_array_equal(found, alone)


@pytest.mark.slow
def test_a_member_that_is_lost_changes_no_bit(
    ray: Any, corpus: Path, alone: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(monkeypatch, 3, lambda group: ray.kill(group._actors[1]))
    found = learned(corpus, tmp_path / "run", 2, engine=RayEngine())
    np.testing.assert_array_equal(found, alone)


@pytest.mark.slow
def test_what_was_stopped_on_a_cluster_goes_on_here(
    ray: Any, corpus: Path, alone: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(group: RayTileGroup) -> None:
        raise ClusterError("The head is silent")

    lose(monkeypatch, 9, silent)
    settings = ["vectors.checkpoint_seconds=0.0"]
    with pytest.raises(ClusterError):
        learned(corpus, tmp_path / "run", 2, settings, engine=RayEngine())
    found = learned(corpus, tmp_path / "run", 2, settings, resume=True)
    np.testing.assert_array_equal(found, alone)


def test_more_processes_than_blocks_are_refused(ray: Any, corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="into 32 blocks, so 40 processes cannot share them"):
        learned(corpus, tmp_path / "run", 40, engine=RayEngine())


@pytest.mark.cluster
def test_a_node_that_vanishes_changes_no_bit(
    corpus: Path, alone: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ray_nodes(3) as nodes:

        def loss(group: RayTileGroup) -> None:
            nodes.kill()
            nodes.add()

        lose(monkeypatch, 5, loss)
        found = learned(corpus, tmp_path / "run", 3, engine=RayEngine(nodes.address))
    np.testing.assert_array_equal(found, alone)


def lose(patch: pytest.MonkeyPatch, number: int, loss: Callable[[RayTileGroup], object]) -> None:
    """Call `loss` once, while a group has begun its rounds for the time `number`."""
    learn, results, calls = RayTileGroup.learn, RayTileGroup._results, iter(range(1000))

    def losing(self: RayTileGroup, references: Any) -> Any:
        patch.setattr(RayTileGroup, "_results", results)
        loss(self)
        return results(self, references)

    def learning(self: RayTileGroup, rounds: Any) -> None:
        if next(calls) == number:
            patch.setattr(RayTileGroup, "_results", losing)
        learn(self, rounds)

    patch.setattr(RayTileGroup, "learn", learning)
