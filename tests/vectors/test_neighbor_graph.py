"""A graph that grows: rows that are added to a kept graph are found like the others."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import MissingExtraError, SettingError, UnknownWordError, VectorFileError
from foretext.vectors.neighbor_graph import NeighborGraph, NeighborIndex, is_usearch_installed
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.word_vectors import WordVectors
from tests.vectors.spaces import random_space, with_ngrams

ROWS = unit_rows(np.random.default_rng(0).standard_normal((500, 8)).astype(np.float32))

SPACE = random_space(3_000, 8)


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


@pytest.fixture(scope="module")
def index() -> NeighborIndex:
    pytest.importorskip("usearch")
    return NeighborIndex.build(SPACE)


def test_nearly_the_exact_neighbors(index: NeighborIndex) -> None:
    words = SPACE.index_to_key[:200]
    found, exact = index.neighbors(words, 10), SPACE.neighbors(words, 10)
    shared = [len(dict(a).keys() & dict(b).keys()) for a, b in zip(found, exact, strict=True)]
    assert np.mean(shared) > 9.5
    assert all(len(near) == 10 for near in found)
    assert all(word not in dict(near) for word, near in zip(words, found, strict=True))


def test_scores_are_exact_cosines_in_order(index: NeighborIndex) -> None:
    [near] = index.neighbors(["w7"], 20)
    scores = [score for _, score in near]
    assert scores == sorted(scores, reverse=True)
    assert scores == pytest.approx([SPACE.similarity("w7", word) for word, _ in near], abs=1e-6)


@pytest.mark.parametrize("word", ["w7", "w2999"])
def test_a_single_word_gets_a_single_list(index: NeighborIndex, word: str) -> None:
    assert index.neighbors(word, 5) == index.neighbors([word], 5)[0]
    assert [name for name, _ in index.neighbors(word, 1)] == [SPACE.neighbors(word, 1)[0][0]]


def test_recall_is_the_share_of_exact_neighbors_found(
    index: NeighborIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0.95 < index.recall(300) <= 1
    monkeypatch.setattr(index, "_search", lambda query, k, real=index._search: real(query, k // 2))
    assert index.recall(300) == pytest.approx(0.5, abs=0.02)


def test_kept_and_opened_again(index: NeighborIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    again = NeighborIndex.load(tmp_path / "index", SPACE)
    assert again.neighbors(["w1", "w2"]) == index.neighbors(["w1", "w2"])


def test_the_index_of_other_vectors(index: NeighborIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    turned = WordVectors(SPACE.index_to_key, SPACE.vectors[:, ::-1])
    for other in (turned, random_space(2_999, 8), random_space(3_000, 9)):
        with pytest.raises(VectorFileError, match="is the index of other vectors; remove it"):
            NeighborIndex.load(tmp_path / "index", other)


@pytest.mark.parametrize("content", [b"", b"text\n" * 100, None], ids=["empty", "text", "none"])
def test_no_index(index: NeighborIndex, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "index").write_bytes(content)
    with pytest.raises(VectorFileError, match=r"index is not an index of neighbours: .*\."):
        NeighborIndex.load(tmp_path / "index", SPACE)


def test_an_index_that_is_cut_off(index: NeighborIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    whole = (tmp_path / "index").read_bytes()
    (tmp_path / "index").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(VectorFileError, match="is not an index of neighbours"):
        NeighborIndex.load(tmp_path / "index", SPACE)


def test_rows_of_zeros(index: NeighborIndex) -> None:
    space = WordVectors(["no", "a", "b", "c"], [[0, 0], [1, 0], [1, 0.1], [-1, 0]])
    found = NeighborIndex.build(space).neighbors(["a", "no"], 3)
    assert found[0] == [("b", pytest.approx(0.995, abs=1e-3)), ("no", 0), ("c", -1)]
    assert [score for _, score in found[1]] == [0, 0, 0]


def test_unseen_words_are_searched_by_their_ngrams(index: NeighborIndex) -> None:
    space = with_ngrams()
    [near] = NeighborIndex.build(space).neighbors(["cats"], 3)
    assert near == [(word, pytest.approx(score)) for word, score in space.neighbors(["cats"], 3)[0]]


def test_what_cannot_be_asked(index: NeighborIndex) -> None:
    with pytest.raises(UnknownWordError, match="'w9999' is not in the vocabulary"):
        index.neighbors(["w9999"])
    with pytest.raises(SettingError, match="topn = 0: give a whole number from 1"):
        index.neighbors(["w1"], 0)


def test_without_usearch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    with pytest.raises(MissingExtraError, match=r"usearch'; .*`pip install 'foretext\[index\]'`"):
        NeighborIndex.build(SPACE)


def test_a_bit_that_fell_over(index: NeighborIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    content = bytearray((tmp_path / "index").read_bytes())
    for at in range(0, len(content), len(content) // 20):
        content[at] ^= 4
        (tmp_path / "index").write_bytes(content)
        with pytest.raises(VectorFileError, match=r"not an index .* is built again"):
            NeighborIndex.load(tmp_path / "index", index.vectors)
        content[at] ^= 4
