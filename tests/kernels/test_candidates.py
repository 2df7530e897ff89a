from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from foretext.kernels import candidates as kernels

NUM_NUMBERS = 6


def search(
    signatures: NDArray[np.uint32], groups: NDArray[np.int32], least: int
) -> list[tuple[int, dict[int, int]]]:
    """Drop every document that has a candidate; returns these, with numbers in common."""
    order = np.arange(len(signatures))
    heads = np.full(groups.max() + 1, kernels.NO_GROUP, np.int32)
    room = np.empty((2, len(groups) * kernels.LONGEST_CHAIN), np.int64)
    chains, found, place = groups.copy(), [], 0
    while True:
        place, count = kernels.next_candidates(
            order, place, least, signatures.ravel(), chains, heads, *room
        )
        if place == len(order):
            return found
        common = zip(room[0, :count].tolist(), room[1, :count].tolist(), strict=True)
        found.append((place, dict(common)))
        place += 1


def plain_search(
    signatures: NDArray[np.uint32], groups: NDArray[np.int32], least: int
) -> list[tuple[int, dict[int, int]]]:
    """The twin: every document with every kept one that shares a group."""
    kept: list[int] = []
    found = []
    for document in range(len(signatures)):
        common = {}
        for other in kept:
            shares = (groups[:, document] == groups[:, other]) & (groups[:, document] >= 0)
            equal = int((signatures[document] == signatures[other]).sum())
            if shares.any() and equal >= least:
                common[other] = equal
        if common:
            found.append((document, common))
        else:
            kept.append(document)
    return found


@pytest.mark.parametrize("least", [1, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_candidates_are_those_of_the_twin(seed: int, least: int) -> None:
    rng = np.random.default_rng(seed)
    signatures = rng.integers(3, size=(50, NUM_NUMBERS), dtype=np.uint32)
    groups = rng.integers(-1, 4, size=(3, 50)).astype(np.int32)
    groups[groups >= 0] += np.repeat(np.int32([[0], [4], [8]]), 50, axis=1)[groups >= 0]
    found = search(signatures, groups, least)
    assert found == plain_search(signatures, groups, least)
    assert found


def test_a_document_is_compared_with_the_latest_of_a_long_chain() -> None:
    size = kernels.LONGEST_CHAIN + 2
    signatures = np.repeat(np.arange(size, dtype=np.uint32), NUM_NUMBERS).reshape(size, -1)
    groups = np.zeros((1, size), np.int32)
    signatures[0] = signatures[-1]  # one too far away
    assert search(signatures, groups, 5) == []
    signatures[1] = signatures[-1] + 100
    signatures[2] = signatures[1]  # is dropped, so that the chain is shorter by one
    assert search(signatures, groups, 5) == [(2, {1: 6}), (size - 1, {0: 6})]
