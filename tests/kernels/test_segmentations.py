"""Sums over all segmentations, against every segmentation written out."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from foretext.kernels.segmentations import Lattice, count_best, count_expected, drop_pieces

PIECES = {"a": 0.2, "b": 0.1, "ab": 0.3, "aba": 0.15, "ba": 0.2, "bb": 0.05}
NAMES = list(PIECES)


def segmentations(word: str) -> Iterator[list[str]]:
    if not word:
        yield []
    for name in NAMES:
        if word.startswith(name):
            yield from ([name, *rest] for rest in segmentations(word[len(name) :]))


def lattice_of(words: dict[str, float], names: list[str] = NAMES) -> Lattice:
    """The twin of what lays pieces out: every place is searched for every piece."""
    sizes = np.fromiter(map(len, words), np.int64)
    edges = [
        [names.index(name) for name in sorted(names, key=len) if word.startswith(name, place)]
        for word in words
        for place in range(len(word))
    ]
    flat = [piece for found in edges for piece in found]
    return Lattice(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.fromiter(words.values(), np.float64),
        np.concatenate([[0], np.cumsum([len(found) for found in edges])]),
        np.array(flat, np.int32),
        np.array([len(names[piece]) for piece in flat], np.uint16),
    )


def expected_of(lattice: Lattice, probabilities: np.ndarray) -> tuple[np.ndarray, float]:
    room = int(np.diff(lattice.starts).max()) + 1
    expected = np.zeros(len(probabilities))
    total = count_expected(
        lattice, probabilities, np.empty(room), np.empty(room), np.empty(2 * room, np.int64),
        0, len(lattice.counts), expected,
    )  # fmt: skip
    return expected, total


def test_all_segmentations_are_counted() -> None:
    words = {"ababa": 3.0, "bb": 2.0, "aabbaba": 1.0, "b": 7.0}
    wanted, likelihood = np.zeros(len(NAMES)), 0.0
    for word, count in words.items():
        paths = list(segmentations(word))
        weights = [math.prod(PIECES[name] for name in path) for path in paths]
        likelihood += count * math.log(sum(weights))
        for path, weight in zip(paths, weights, strict=True):
            for name in path:
                wanted[NAMES.index(name)] += count * weight / sum(weights)
    found, total = expected_of(lattice_of(words), np.array(list(PIECES.values())))
    assert found == pytest.approx(wanted)
    assert total == pytest.approx(likelihood)


@pytest.mark.parametrize(
    ("word", "piece", "score"), [("a" * 5_000, "aa", -80.0), ("ab" * 3_000, "ab", -300.0)]
)
def test_a_long_word_of_unlikely_pieces(word: str, piece: str, score: float) -> None:
    """Its probability, and that of what stands within a piece, is far below the smallest number."""
    names = ["a", "b", piece, word[:1_000]]
    probabilities = np.exp([score, score, score, -50.0])
    found, total = expected_of(lattice_of({word: 2.0}, names), probabilities)
    lengths = np.array([len(name) for name in names])
    assert np.isfinite(found).all()
    assert float(found @ lengths) == pytest.approx(2 * len(word))
    assert total == pytest.approx(2 * len(word) / 1_000 * -50.0, rel=1e-6)


def test_the_best_segmentation() -> None:
    words = {"ababa": 3.0, "aabbaba": 1.0}
    lattice, scores = lattice_of(words), np.log(list(PIECES.values()))
    found, room = np.zeros(len(NAMES)), 8
    number = count_best(lattice, scores, np.empty(room), np.empty(room, np.int64), 0, 2, found)
    wanted, pieces = np.zeros(len(NAMES)), 0
    for word, count in words.items():
        best = max(segmentations(word), key=lambda path: math.prod(PIECES[name] for name in path))
        pieces += len(best)
        for name in best:
            wanted[NAMES.index(name)] += count
    assert found.tolist() == wanted.tolist()
    assert number == pieces


def test_pieces_that_are_dropped_leave_no_edge() -> None:
    words = {"ababa": 1.0, "bb": 1.0}
    lattice = lattice_of(words)
    kept = [name for name in NAMES if name != "ab"]
    renamed = np.array([kept.index(name) if name in kept else -1 for name in NAMES], np.int32)
    left = drop_pieces(lattice.firsts, lattice.pieces, lattice.lengths, renamed)
    wanted = lattice_of(words, kept)
    assert lattice.firsts.tolist() == wanted.firsts.tolist()
    assert lattice.pieces[:left].tolist() == wanted.pieces.tolist()
    assert lattice.lengths[:left].tolist() == wanted.lengths.tolist()
