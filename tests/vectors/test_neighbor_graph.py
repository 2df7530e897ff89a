"""A graph that grows: rows that are added to a kept graph are found like the others."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from foretext.vectors.neighbor_graph import NeighborGraph, is_usearch_installed
from foretext.vectors.neighbors import unit_rows

ROWS = unit_rows(np.random.default_rng(0).standard_normal((500, 8)).astype(np.float32))


def test_rows_are_added_to_a_kept_graph(tmp_path: Path) -> None:
    pytest.importorskip("usearch")
    graph = NeighborGraph(8)
    graph.add(ROWS[:300])
    graph.save(tmp_path / "graph")
    grown = NeighborGraph.load(tmp_path / "graph", 8)
    grown.add(ROWS[300:])
    assert len(grown) == 500
    assert grown.is_of(500, 8)
    found = [grown.nearest(ROWS[row], 1).tolist() == [row] for row in range(500)]
    assert sum(found[:300]) > 290  # threads that add rows at the same time leave a few out of reach
    assert sum(found[300:]) > 190
    assert grown.holds(grown.sampled(), ROWS[grown.sampled()])
    assert not grown.holds(grown.sampled(), -ROWS[grown.sampled()])


def test_whether_usearch_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usearch", None)
    assert not is_usearch_installed()


@pytest.mark.parametrize(("num_rows", "seed"), [(400, 1), (1500, 2)])
def test_small_graphs_of_equal_rows_are_equal_to_the_bit(
    tmp_path: Path, num_rows: int, seed: int
) -> None:
    pytest.importorskip("usearch")
    rows = np.random.default_rng(seed).standard_normal((num_rows, 8)).astype(np.float32)
    built = set()
    for _ in range(5):
        graph = NeighborGraph(8)
        graph.add(unit_rows(rows[:300]))
        graph.add(unit_rows(rows[300:]))
        graph.save(tmp_path / "graph")
        built.add((tmp_path / "graph").read_bytes())
    assert len(built) == 1
