from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import chisquare

from foretext.objectives.corruption import choose_masked, corrupt_masked

MASK = 4
ORDINARY = np.arange(5, 105)

shapes = st.tuples(st.integers(1, 6), st.integers(1, 40))
pairs = shapes.flatmap(lambda shape: st.tuples(*(arrays.arrays(np.bool_, shape) for _ in range(2))))


def runs(row: np.ndarray, opens: np.ndarray) -> list[range]:
    """Words of a row: runs of True, cut where one opens."""
    found: list[range] = []
    for place in np.flatnonzero(row):
        if found and found[-1].stop == place and not opens[place]:
            found[-1] = range(found[-1].start, place + 1)
        else:
            found.append(range(place, place + 1))
    return found


@given(masks=pairs, rate=st.floats(0, 1), seed=st.integers(0, 99))
def test_single_tokens_come_within_one_of_the_rate(
    masks: tuple[np.ndarray, np.ndarray], rate: float, seed: int
) -> None:
    eligible = masks[0]
    asked = choose_masked(eligible, None, rate, np.random.default_rng(seed))
    assert not (asked & ~eligible).any()
    for row, chosen in zip(eligible.sum(1), asked.sum(1), strict=True):
        assert min(row, 1) <= chosen < max(rate * row, min(row, 1)) + 1


@given(masks=pairs, seed=st.integers(0, 99), max_ngram=st.integers(1, 4))
def test_words_are_taken_whole(
    masks: tuple[np.ndarray, np.ndarray], seed: int, max_ngram: int
) -> None:
    eligible, word_starts = masks
    rng = np.random.default_rng(seed)
    asked = choose_masked(eligible, word_starts, 0.3, rng, max_ngram)
    assert not (asked & ~eligible).any()
    assert (asked.any(1) == eligible.any(1)).all()
    for row, opens, chosen in zip(eligible, word_starts, asked, strict=True):
        assert all(len(set(chosen[list(word)])) == 1 for word in runs(row, opens))


@pytest.mark.parametrize("max_ngram", [1, 3])
def test_the_rate_is_exact_in_the_mean(max_ngram: int) -> None:
    rng = np.random.default_rng(7)
    eligible = np.ones((4000, 60), np.bool_)
    eligible[:, [0, 30, 59]] = False
    word_starts = rng.random(eligible.shape) < 0.6
    asked = choose_masked(eligible, word_starts, 0.15, rng, max_ngram)
    assert asked.sum() / eligible.sum() == pytest.approx(0.15, abs=0.002)
    assert asked.mean(0)[eligible[0]] == pytest.approx(0.15, abs=0.035)


def test_every_token_is_as_likely() -> None:
    eligible = np.ones((6000, 40), np.bool_)
    asked = choose_masked(eligible, None, 0.15, np.random.default_rng(1))
    assert (asked.sum(1) == 6).all()
    assert chisquare(asked.sum(0)).pvalue > 0.01


def test_lengths_of_ngrams_fall_as_one_over_n() -> None:
    eligible = np.ones((4000, 64), np.bool_)
    asked = choose_masked(eligible, None, 0.04, np.random.default_rng(2), max_ngram=3)
    lengths = [len(run) for row in asked[:, 8:-8] for run in runs(row, np.zeros(48, np.bool_))]
    found = np.bincount(lengths, minlength=4)[1:4] / len(lengths)
    # the n-gram that crosses the rate is longer than others, and neighbours seem one
    assert found == pytest.approx(np.array([6, 3, 2]) / 11, abs=0.06)


def test_an_ngram_ends_where_a_token_is_not_eligible() -> None:
    eligible = np.array([[True, True, False, True, True]])
    for seed in range(50):
        rng = np.random.default_rng(seed)
        asked = choose_masked(eligible, None, 0.1, rng, max_ngram=9)[0]
        assert not (asked[:2].any() and asked[3:].any())


def test_of_asked_tokens_eight_in_ten_are_masked() -> None:
    rng = np.random.default_rng(3)
    ids = rng.choice(ORDINARY, (400, 100))
    asked = rng.random(ids.shape) < 0.5
    corrupted = corrupt_masked(ids, asked, rng, MASK, ORDINARY)
    assert (corrupted == ids)[~asked].all()
    before, after = ids[asked], corrupted[asked]
    num_masked, num_same = (after == MASK).sum(), (after == before).sum()
    num_random = asked.sum() - num_masked - num_same
    chance = 0.1 / len(ORDINARY)  # a random token that is the right one
    wanted = asked.sum() * np.array([0.8, 0.1 - chance, 0.1 + chance])
    assert chisquare([num_masked, num_random, num_same], wanted).pvalue > 0.01
    drawn = after[(after != MASK) & (after != before)]
    assert chisquare(np.bincount(drawn)[5:]).pvalue > 0.01


@given(seed=st.integers(0, 99), ordinary=st.sets(st.integers(0, 30), min_size=1))
def test_random_tokens_are_ordinary(seed: int, ordinary: set[int]) -> None:
    rng = np.random.default_rng(seed)
    ids = np.full((3, 7), 99, np.uint16)
    corrupted = corrupt_masked(
        ids, np.ones((3, 7), np.bool_), rng, 98, np.array(sorted(ordinary)), (0.3, 0.7, 0.0)
    )
    assert corrupted.dtype == ids.dtype
    assert set(corrupted.ravel().tolist()) <= ordinary | {98}


def test_equal_generators_draw_equally() -> None:
    eligible = np.ones((8, 50), np.bool_)
    starts = np.random.default_rng(0).random((8, 50)) < 0.5
    ids = np.full((8, 50), 9)
    drawn = []
    for seed in (5, 5, 6):
        rng = np.random.default_rng(seed)
        asked = choose_masked(eligible, starts, 0.15, rng, 3)
        drawn.append(corrupt_masked(ids, asked, rng, MASK, ORDINARY))
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] != drawn[2]).any()
