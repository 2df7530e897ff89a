"""Documents that share a band of their signatures with an earlier one that was kept.

Those that were kept of a group form a chain: `heads` has the latest one of each group, and `chains`
the one before it, in place of the group of a document, which is needed no more once the document is
in its chains.

D documents, P permutations, B bands, G groups: documents with equal keys of one band.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["NO_GROUP", "keep_document", "next_candidates"]

NO_GROUP = -1  # in `chains`: nobody else has the key; in both: the end of a chain
LONGEST_CHAIN = 64  # documents of a group that one is compared with, the latest ones


@kernel(kept=True)
def next_candidates(
    order: np.ndarray,
    start: int,
    least_equal: int,
    signatures: np.ndarray,
    chains: np.ndarray,
    heads: np.ndarray,
    candidates: np.ndarray,
    equal: np.ndarray,
) -> tuple[int, int]:
    """Keep documents in the given order until one is like others that were kept.

    order: (D,) int64; signatures: (D * P,) uint32; chains: (B, D) int32, the groups of each
    document; heads: (G,) int32; candidates, equal: (B * LONGEST_CHAIN,) int64, which get those with
    at least `least_equal` of the P numbers in common, and how many these are.
    Returns the place in `order` of the document, D where there is none, and the candidates found.
    """
    num_numbers = signatures.size // order.size
    for place in range(start, order.size):
        document = order[place]
        count = 0
        for band in range(chains.shape[0]):
            group = chains[band, document]
            other = NO_GROUP if group == NO_GROUP else heads[group]
            for _ in range(LONGEST_CHAIN):
                if other == NO_GROUP:
                    break
                number = _num_equal(signatures, document, other, num_numbers)
                if number >= least_equal and not _has(candidates, count, other):
                    candidates[count], equal[count] = other, number
                    count += 1
                other = chains[band, other]
        if count:
            return place, count
        keep_document(document, chains, heads)
    return order.size, 0


@kernel(kept=True)
def keep_document(document: int, chains: np.ndarray, heads: np.ndarray) -> None:
    """Put a document at the head of the chains of its groups."""
    for band in range(chains.shape[0]):
        group = chains[band, document]
        if group != NO_GROUP:
            chains[band, document] = heads[group]
            heads[group] = document


@kernel(_nrt=False, forceinline=True)
def _num_equal(signatures: np.ndarray, one: int, other: int, num_numbers: int) -> int:
    count = 0
    for p in range(num_numbers):
        count += signatures[one * num_numbers + p] == signatures[other * num_numbers + p]
    return count


@kernel(_nrt=False, forceinline=True)
def _has(values: np.ndarray, count: int, wanted: int) -> bool:
    for place in range(count):  # noqa: SIM110 - numba compiles no generator
        if values[place] == wanted:
            return True
    return False
