"""How often rows are met, as a model says before it learns, against counting one by one."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.vectors.fasttext import SubwordWeights
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.output_layer import (
    FullSoftmax,
    HierarchicalSoftmax,
    NegativeSampling,
    centre_chances,
)

COUNTS = np.array([0, 40, 21, 13, 8, 5, 3, 2, 1])


def test_centres_are_what_sub_sampling_leaves() -> None:
    keep = np.where(COUNTS > 20, 0.5, 1.0)
    chances = centre_chances(COUNTS, keep)
    assert chances.sum() == pytest.approx((COUNTS * keep).sum() / COUNTS.sum())
    assert chances[3] == pytest.approx(13 / 93)


def test_a_node_is_met_with_each_word_below_it() -> None:
    layer = HierarchicalSoftmax(COUNTS)
    starts, nodes = layer.targets.path_starts, layer.targets.path_nodes
    expected = np.zeros(len(COUNTS) - 2)
    for word, count in enumerate(COUNTS):
        for node in nodes[starts[word] : starts[word + 1]]:
            expected[node] += count
    found = layer.uses(COUNTS.astype(float))
    np.testing.assert_allclose(found, expected)
    assert found[-1] == COUNTS.sum()  # the root
    assert (np.diff(found) >= 0).all()  # so that frequent rows are the last


def test_noise_is_met_as_often_as_it_is_drawn() -> None:
    layer = NegativeSampling(COUNTS, 5, 0.75)
    found = layer.uses(COUNTS.astype(float))
    assert found.sum() == pytest.approx(6 * COUNTS.sum())
    assert (np.diff(found[1:]) <= 0).all()
    np.testing.assert_array_equal(FullSoftmax(COUNTS).uses(COUNTS), COUNTS)


def test_a_row_is_met_with_each_word_that_has_it() -> None:
    words = ["[UNK]", "where", "there", "here", "the"]
    chances = np.array([0.0, 0.4, 0.3, 0.2, 0.1])
    weights = SubwordWeights(words, chances, CharacterNgrams(3, 4, 50), 8, 1, 1)
    table, found = weights.table, weights.uses(chances)
    expected = np.zeros(len(table.members))
    for word in range(4):
        for at in range(table.starts[word], table.starts[word + 1]):
            expected[table.rows[at]] += chances[word + 1]
    np.testing.assert_allclose(found, expected)
    assert found[table.word_rows[3]] >= 0.1
