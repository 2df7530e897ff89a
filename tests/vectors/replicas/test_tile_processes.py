"""GloVe by several processes: the bits of one, whatever dies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import OutputError
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.replicas import tile_processes
from foretext.vectors.replicas.tile_processes import Slot, TilePlan, tile_slots
from tests.vectors.texts import write_topics

SMALL: dict[str, Any] = {"vector_size": 8, "min_count": 1, "epochs": 2}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("corpus") / "topics.txt", documents=60)


@pytest.fixture(scope="module")
def alone(corpus: Path) -> ft.WordVectors:
    return ft.GloVe(**SMALL, workers=1).fit(corpus).vectors_


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("processes", "workers"), [(2, 1), (2, 4)])
def test_several_processes_give_the_bits_of_one(
    corpus: Path, alone: ft.WordVectors, processes: int, workers: int
) -> None:
    vectors = ft.GloVe(**SMALL, workers=workers, processes=processes).fit(corpus).vectors_
    np.testing.assert_array_equal(vectors.vectors, alone.vectors)


@pytest.mark.slow
def test_a_process_that_dies_changes_no_bit(
    corpus: Path, alone: ft.WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = tile_processes.LocalProcesses.ask_each
    asked = iter(range(1000))

    def killing(self: Any, name: str, arguments: Any) -> list[Any]:
        if next(asked) in (3, 40):
            self._processes[1].kill()
        return ask(self, name, arguments)

    monkeypatch.setattr(tile_processes.LocalProcesses, "ask_each", killing)
    vectors = ft.GloVe(**SMALL, workers=1, processes=2).fit(corpus).vectors_
    np.testing.assert_array_equal(vectors.vectors, alone.vectors)


@pytest.mark.slow
def test_processes_that_always_die_are_told(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = tile_processes.LocalProcesses.ask_each

    def killing(self: Any, name: str, arguments: Any) -> list[Any]:
        self._processes[0].kill()
        return ask(self, name, arguments)

    monkeypatch.setattr(tile_processes.LocalProcesses, "ask_each", killing)
    with pytest.raises(OutputError, match=r"ended 3 times.* go on with --resume"):
        ft.GloVe(**SMALL, workers=1, processes=2).fit(corpus, out=tmp_path / "run")
    monkeypatch.setattr(tile_processes.LocalProcesses, "ask_each", ask)
    estimator = ft.GloVe(**SMALL, workers=1, processes=2)
    vectors = estimator.fit(corpus, out=tmp_path / "run", resume=True).vectors_
    alone = ft.GloVe(**SMALL, workers=1).fit(corpus).vectors_
    np.testing.assert_array_equal(vectors.vectors, alone.vectors)


def test_a_tile_that_was_begun_is_undone() -> None:
    weights = GloveWeights(70, 6, seed=1)
    parameters = weights.parameters
    plan = TilePlan("", 0, 70, parameters.stride, weights.blocks, 1, 2, 0.05)
    memory = plan.memory()
    before = {name: array.copy() for name, array in weights.arrays.items()}
    slots = tile_slots(plan, memory.arrays)
    tile = 3 * weights.blocks + 7
    slots[1].begin(tile, parameters)
    starts, record = parameters.block_starts, 2 * parameters.stride
    parameters.words[starts[3] * record : starts[4] * record] += 1
    parameters.contexts[starts[7] * record : starts[8] * record] += 1
    slots[0].undo(parameters)  # another thread's
    assert not np.array_equal(parameters.words, before["words"])
    slots[1].undo(parameters)
    for name, array in weights.arrays.items():
        np.testing.assert_array_equal(array, before[name])
    memory.close()


def test_a_tile_that_was_finished_stays() -> None:
    slot = Slot(np.zeros(2, np.int64), np.zeros((2, 0), np.float32))
    weights = GloveWeights(40, 6, seed=1)
    empty = weights.parameters._replace(block_starts=np.zeros(33, np.int64))
    slot.begin(5, empty)
    assert slot.state.tolist() == [6, 0]
    slot.finish()
    assert slot.state.tolist() == [0, 1]
