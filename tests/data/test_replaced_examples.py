"""Rows without a label beside a copy of them in which tokens are replaced."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.data.padded_examples import PaddedExamples, Ragged
from foretext.data.replaced_examples import REPLACED, ReplacedExamples

PAD, CLS, SEP = 0, 1, 2
ROWS = [[CLS, 5, 6, SEP], [CLS, 7, 8, 9, 10, 11, SEP], [CLS, 12, 13, 14, SEP]]
IS_LABELLED = np.array([True, False, False])


def examples(
    rows: list[list[int]] = ROWS, is_labelled: np.ndarray = IS_LABELLED, rate: float = 0.4
) -> ReplacedExamples:
    padded = PaddedExamples(Ragged(rows), {}, pad=PAD, visibility="full")
    return ReplacedExamples(padded, is_labelled, rate, {PAD, CLS, SEP})


def test_some_tokens_of_rows_without_a_label_are_replaced_by_others_of_the_texts() -> None:
    given, every, replaced, different = examples(), np.arange(3), 0, set()
    for seed in range(400):
        batch = given.batch(every, np.random.default_rng(seed))
        ids, seen = batch.inputs.ids.numpy(), batch.targets[REPLACED].numpy()
        changed = ids != seen
        assert not changed[0].any()  # it has a label
        assert not changed[np.isin(ids, [PAD, CLS, SEP])].any()
        different |= set(seen[changed].tolist())
        replaced += int(changed.sum())
    assert different == set(range(5, 15))
    # Of 8 tokens 0.4; one of 10 is replaced by itself.
    assert replaced / 400 == pytest.approx(8 * 0.4 * 0.9, rel=0.05)


def test_frequent_tokens_come_more_often() -> None:
    rows = [[CLS, *[5] * 9, 6, SEP], [CLS, 7, 7, 7, 7, SEP]]
    given = examples(rows, np.array([True, False]), rate=0.9)
    found = [
        given.batch(np.array([1]), np.random.default_rng(seed)).targets[REPLACED].numpy()
        for seed in range(500)
    ]
    counts = np.bincount(np.concatenate(found).ravel(), minlength=8)
    assert counts[5] / counts[6] == pytest.approx(9, rel=0.25)


def test_a_process_replaces_in_its_rows_what_the_whole_batch_replaces_there() -> None:
    """Although its rows are padded less."""
    keys = np.array([1, 0, 2])
    whole = examples().batch(keys, np.random.default_rng(7))
    part = examples().part(keys, range(2, 3), np.random.default_rng(7))
    assert part.inputs.ids.shape == (1, 5)
    assert part.targets[REPLACED].tolist() == whole.targets[REPLACED][2:, :5].tolist()
    cut = whole.rows(2, 3)
    assert cut.targets[REPLACED].tolist() == part.targets[REPLACED].tolist()


def test_few_rows_with_labels_are_repeated() -> None:
    is_labelled = np.arange(20) < 2
    given = examples([[CLS, 5, SEP]] * 20, is_labelled)
    keys = given.keys(np.random.default_rng(1))
    assert sorted(keys.tolist()) == sorted([0, 1] * 3 + [*range(2, 20)])  # 6 to 18: a fourth
    assert given.lengths(keys).tolist() == [3] * 24
    few = examples().keys(np.random.default_rng(1))
    assert sorted(few.tolist()) == [0, 1, 2]


def test_texts_of_special_tokens_alone_stay_as_they_are() -> None:
    given = examples([[CLS, SEP], [CLS, SEP]], np.array([True, False]), rate=0.9)
    batch = given.batch(np.array([0, 1]), np.random.default_rng(1))
    assert batch.targets[REPLACED].tolist() == [[CLS, SEP], [CLS, SEP]]
