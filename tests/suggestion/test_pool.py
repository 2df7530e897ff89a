from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from foretext.data.rows.inputs import Input
from foretext.suggestion import pool as pools
from foretext.suggestion.pool import Pool


def by_number(inputs: Sequence[Input]) -> list[float]:
    return [float(own[0].split()[-1]) for own in inputs]


def test_the_most_doubtful_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "BLOCK", 7)
    numbers = np.random.default_rng(0).permutation(100)
    pool = Pool(10)
    assert sum(pool.fill(((f"text {number}",) for number in numbers), by_number)) == 100
    assert sorted(pool.doubts.tolist()) == [*range(90, 100)]
    assert by_number(pool.inputs) == pool.doubts.tolist()


def test_each_text_once_and_none_that_is_labelled() -> None:
    texts = ["a 1", "A  1", "ａ 1", "", " \n", "b 2", "c 3", "c 3"]
    pool = Pool(10, labelled=["B 2"])
    assert list(pool.fill(((text,) for text in texts), by_number)) == [8]
    assert pool.inputs == [("a 1",), ("c 3",)]
    assert pool.counts == {"texts": 8, "repeated": 3, "empty": 2, "labelled": 1}


def test_tokens_of_an_input_are_no_part_of_its_text() -> None:
    pool = Pool(10)
    list(pool.fill([("Ada met", "Ada", "met"), ("Adamet", "Adamet")], None))
    assert pool.inputs == [("Ada met", "Ada", "met")]
    assert pool.text(0) == "Ada met"
    pairs = Pool(10, 2)
    list(pairs.fill([("a", "b"), ("a", "c"), ("a", "b")], None))
    assert [pairs.text(place) for place in (0, 1)] == ["a\nb", "a\nc"]


def test_a_sample_is_drawn_evenly_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "BLOCK", 7)
    counts = np.zeros(40)
    for seed in range(400):
        pool = Pool(10, seed=seed)
        list(pool.fill((f"text {number}",) for number in range(40)))
        assert len(pool.inputs) == len(pool.doubts) == 10
        counts[[int(each) for each in by_number(pool.inputs)]] += 1
    assert counts.sum() == 4000
    assert abs(counts - 100).max() < 45  # five standard deviations
