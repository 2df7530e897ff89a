"""A text is cut without a gap: cycles, rounds, processes, threads."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.vectors.replicas.averaging import CURVATURE, FEWEST_CYCLES, Pieces, shares_of_changes
from foretext.vectors.replicas.tiers import ROUNDS
from foretext.vectors.schedule import SMALLEST_SLICE, Slices


def cut(num_tokens: int, processes: int = 3, threads: int = 2, sync_words: int = 1024) -> Pieces:
    starts = np.arange(0, num_tokens + 1, 8)
    return Pieces.of(Slices.of_starts(starts), processes, threads, sync_words)


def test_pieces_of_a_cycle_follow_one_another() -> None:
    pieces = cut(1 << 20)
    together = ROUNDS * 3 * 2
    assert len(pieces.slices) == len(pieces.cycles) * together
    places = [
        pieces.place(number, process, thread)
        for number in range(ROUNDS)
        for process in range(3)
        for thread in range(2)
    ]
    assert places == list(range(together))
    for cycle in (0, len(pieces.cycles) - 1):
        first, last = pieces.cycles.firsts[cycle : cycle + 2]
        assert pieces.slices.firsts[pieces.number(cycle, 0)] == first
        assert pieces.slices.firsts[pieces.number(cycle, together - 1) + 1] == last
    lengths = np.diff(pieces.slices.sentence_starts[pieces.slices.firsts])
    assert lengths.sum() == 1 << 20
    assert lengths.max() <= 512 + 8


def test_cycles_are_the_same_for_any_number_of_threads() -> None:
    one, four = (cut(1 << 20, threads=threads).cycles.firsts for threads in (1, 4))
    np.testing.assert_array_equal(one, four)


@pytest.mark.parametrize("num_tokens", [8, 800, 80_000])
def test_a_small_text_has_few_cycles_of_all_its_sentences(num_tokens: int) -> None:
    pieces = cut(num_tokens, sync_words=1 << 20)
    assert 1 <= len(pieces.cycles) <= FEWEST_CYCLES
    assert pieces.slices.firsts[-1] == num_tokens // 8
    if len(pieces.cycles) > 1:
        assert 2 * num_tokens / len(pieces.slices) >= SMALLEST_SLICE


def test_rates_fall_from_piece_to_piece() -> None:
    pieces = cut(1 << 20)
    together = ROUNDS * 3 * 2
    rates = [pieces.rates(place, (0.05, 0.01)) for place in range(together)]
    assert rates[0][0] == 0.05
    assert rates[-1][1] == pytest.approx(0.01)
    assert [stop for _, stop in rates[:-1]] == [start for start, _ in rates[1:]]


def test_no_two_pieces_have_the_same_seed() -> None:
    pieces = cut(1 << 20)
    seeds = {pieces.seed(place, cycle) for place in range(96) for cycle in range(1000)}
    assert len(seeds) == 96 * 1000


def test_the_ends_are_the_sum_and_the_mean() -> None:
    shares = shares_of_changes(np.array([0.0, 1e-9, 1e9]), 0.025, 4)
    np.testing.assert_allclose(shares, [1, 1, 0.25], atol=1e-4)
    assert (np.diff(shares_of_changes(np.geomspace(1e-3, 1e6, 50), 0.05, 8)) <= 0).all()
    np.testing.assert_allclose(shares_of_changes(np.array([3.0]), 0.05, 1), 1, rtol=1e-6)


@pytest.mark.parametrize("num_copies", [2, 4])
def test_merged_copies_are_where_one_would_be_that_had_met_all(num_copies: int) -> None:
    """Each meeting goes a small part of the way to the point 1, from 0."""
    part, meetings = 0.002, 300
    rate = part / CURVATURE

    def place(times: int) -> float:
        at = 0.0
        for _ in range(times):
            at += part * (1 - at)
        return at

    share = shares_of_changes(np.array([meetings]), rate, num_copies)[0]
    merged = share * num_copies * place(meetings)
    assert merged == pytest.approx(place(num_copies * meetings), rel=1e-3)
