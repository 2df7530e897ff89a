"""Slices hold whole sentences, all of them, once."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import SettingError
from foretext.vectors import schedule as module
from foretext.vectors.schedule import (
    SMALLEST_SLICE,
    DescentConfig,
    LinearDecay,
    Slices,
    cut_sentences,
    deal,
)


def slices_of(lengths: list[int], longest: int = 10_000) -> Slices:
    return Slices.of(SimpleNamespace(sentence_starts=np.cumsum([0, *lengths])), longest)


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=200))
def test_slices_cover_the_text_without_overlap(lengths: list[int]) -> None:
    slices = slices_of(lengths)
    assert slices.firsts[0] == 0
    assert slices.firsts[-1] == len(slices.sentence_starts) - 1
    assert (np.diff(slices.firsts) > 0).all()
    assert slices.num_tokens == sum(lengths)


def test_a_large_text_has_slices_of_like_size() -> None:
    slices = slices_of([20] * 100_000)
    sizes = np.diff(slices.sentence_starts[slices.firsts])
    assert sizes[:-1].min() > sizes.max() - 40
    assert len(slices) >= 64


def test_a_small_text_has_few_slices() -> None:
    assert len(slices_of([10] * 10)) == 1
    assert len(slices_of([10] * SMALLEST_SLICE)) == 10


def test_long_sentences_are_cut_and_others_left() -> None:
    starts = cut_sentences(np.array([0, 5, 30, 31]), 10)
    assert starts.tolist() == [0, 5, 15, 25, 30, 31]
    assert cut_sentences(np.array([0, 5, 9]), 10).tolist() == [0, 5, 9]


def test_tokens_before_a_slice() -> None:
    slices = slices_of([10] * SMALLEST_SLICE)
    assert [slices.tokens_before(i) for i in range(3)] == [0, 260, 520]


def test_cards_are_dealt_from_piles_in_turn() -> None:
    assert deal(6, 2).tolist() == [0, 3, 1, 4, 2, 5]
    assert deal(7, 3).tolist() == [0, 2, 4, 1, 3, 5, 6]
    assert deal(3, 100).tolist() == [0, 1, 2]
    assert deal(5, 1).tolist() == [0, 1, 2, 3, 4]


@given(st.lists(st.integers(1, 300), min_size=1, max_size=200), st.integers(1, 50))
def test_dealt_slices_have_every_sentence_once(lengths: list[int], num_parts: int) -> None:
    starts = np.cumsum([0, *lengths])
    dealt = Slices.dealt(SimpleNamespace(sentence_starts=starts), 10_000, num_parts)
    found = sorted(zip(dealt.places, np.diff(dealt.sentence_starts), strict=True))
    assert found == list(zip(starts[:-1], lengths, strict=True))
    assert dealt.num_tokens == sum(lengths)


def sorted_cards(size: int, num_parts: int) -> list[int]:
    """Return all cards by the round in which each is taken, then by its pile."""
    num_parts = max(min(num_parts, size), 1)
    firsts = [size * part // num_parts for part in range(num_parts + 1)]
    piles = [range(a, b) for a, b in pairwise(firsts)]
    found = [(card - pile[0], pile[0], card) for pile in piles for card in pile]
    return [card for _, _, card in sorted(found)]


@given(st.integers(0, 500), st.integers(1, 60))
def test_cards_are_those_of_a_sort(size: int, num_parts: int) -> None:
    assert deal(size, num_parts).tolist() == sorted_cards(size, num_parts)


@pytest.mark.parametrize("longest", [10_000, 7])
@pytest.mark.parametrize("num_sentences", [1, 2, 9, 300])
def test_a_large_text_has_the_slices_of_a_small_one(
    num_sentences: int, longest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = np.random.default_rng(3).integers(0, 40, num_sentences)
    tokens = SimpleNamespace(sentence_starts=np.cumsum([0, *lengths]), folder=tmp_path)
    expected = Slices.of(tokens, longest), Slices.dealt(tokens, longest, 13)
    monkeypatch.setattr(module, "AT_ONCE", 4)
    monkeypatch.setattr(module, "MOST_IN_MEMORY", 0)
    found = Slices.of(tokens, longest), Slices.dealt(tokens, longest, 13)
    for one, other in zip(expected, found, strict=True):
        for name in ("sentence_starts", "firsts", "places"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert not list(tmp_path.iterdir())


def test_numbers_of_sentences_stay_in_files(tmp_path: Path) -> None:
    size = 4 * module.MOST_IN_MEMORY
    starts = np.memmap(tmp_path / "starts", np.int64, "w+", shape=(size + 1,))
    starts[:] = np.arange(size + 1)
    starts[-1] += 30_000  # the last sentence is cut
    tokens = SimpleNamespace(sentence_starts=starts, folder=tmp_path)
    tracemalloc.start()
    try:
        assert len(Slices.dealt(tokens, 10_000).places) == size + 3
        assert tracemalloc.get_traced_memory()[1] < 8 * size / 2  # of one array, eight bytes each
    finally:
        tracemalloc.stop()


def test_a_last_rate_above_a_first_one_that_nobody_chose_is_refused() -> None:
    config, slices = DescentConfig(min_alpha=0.03), slices_of([10])
    with pytest.raises(SettingError, match=r"min_alpha = 0\.03 is more than .* start, 0\.025;"):
        LinearDecay(config, 0.025, slices)
    assert LinearDecay(config, 0.05, slices).min_alpha == 0.03
