"""Texts that are near each other are those that sentence-transformers finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.search import mining
from tests.lazy_import import lazy_import

util = lazy_import("sentence_transformers.util")


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    """Return vectors around some centres, of several densities."""
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((6, 8))
    spread = np.repeat(np.linspace(0.15, 1.2, 6), 20)[:, None]
    return (np.repeat(centres, 20, axis=0) + spread * rng.standard_normal((120, 8))).astype("f4")


class Embedder:
    """Texts that are numbers of rows."""

    def __init__(self, vectors: np.ndarray) -> None:
        self.vectors = vectors

    def embed(self, texts: list[str]) -> np.ndarray:
        return self.vectors[[int(text) for text in texts]]


@pytest.mark.slow  # imports PyTorch and sentence-transformers
def test_search(vectors: np.ndarray) -> None:
    for queries in (vectors[::7] + 0.1, vectors[3]):
        found = mining.semantic_search(queries, vectors, top_k=5)
        expected = util.semantic_search(queries, vectors, top_k=5)
        for ours, theirs in zip(found, expected, strict=True):
            assert [hit["corpus_id"] for hit in ours] == [hit["corpus_id"] for hit in theirs]
            scores = [hit["score"] for hit in theirs]
            assert [hit["score"] for hit in ours] == pytest.approx(scores, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"top_k": 3}, {"top_k": 3, "max_pairs": 25}])
def test_pairs(vectors: np.ndarray, options: dict[str, Any], monkeypatch: Any) -> None:
    import torch

    monkeypatch.setattr(mining, "ROWS_AT_ONCE", 50)
    expected = util.paraphrase_mining_embeddings(torch.from_numpy(vectors), **options)
    found = mining.paraphrase_mining_embeddings(vectors, **options)
    assert {pair[1:] for pair in found} == {(first, second) for _, first, second in expected}
    scores = [score for score, _, _ in expected]
    assert [score for score, _, _ in found] == pytest.approx(scores, abs=1e-6)
    texts = [str(row) for row in range(len(vectors))]
    assert mining.paraphrase_mining(Embedder(vectors), texts, **options) == found


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0.6, 0.75, 0.9])
@pytest.mark.parametrize("least", [1, 3, 10])
def test_groups(vectors: np.ndarray, threshold: float, least: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(mining, "ROWS_AT_ONCE", 50)
    found = mining.community_detection(vectors, threshold, least)
    expected = util.community_detection(vectors, threshold, least)
    assert found
    assert found == expected


def test_what_is_found_by_comparing_all_with_all(vectors: np.ndarray, monkeypatch: Any) -> None:
    monkeypatch.setattr(mining, "ROWS_AT_ONCE", 50)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T
    first, second = np.triu_indices(len(unit), 1)
    order = np.argsort(-cosines[first, second])[:30]
    found = mining.paraphrase_mining_embeddings(vectors, max_pairs=30)
    assert [pair[1:] for pair in found] == list(
        zip(first[order].tolist(), second[order].tolist(), strict=True)
    )
    (hits,) = mining.semantic_search(vectors[7], vectors, top_k=4)
    assert [hit["corpus_id"] for hit in hits] == np.argsort(-cosines[7])[:4].tolist()
    groups = mining.community_detection(vectors, 0.8, 5)
    assert len(groups) > 1
    for centre, *others in groups:
        assert len(others) >= 4
        assert (cosines[centre, others] >= 0.8 - 1e-6).all()
    members = [row for group in groups for row in group]
    assert len(members) == len(set(members))


def test_what_is_no_vector(vectors: np.ndarray) -> None:
    with pytest.raises(SettingError, match="queries of 3 numbers and vectors of 8"):
        mining.semantic_search(np.ones((2, 3)), vectors)
    with pytest.raises(SettingError, match="embeddings of shape"):
        mining.community_detection([[np.nan, 1.0]])
