"""Words whose neighbours changed: planted ones are found, and a turned space changes nothing."""

from __future__ import annotations

import pytest

from foretext.base.errors import SettingError
from foretext.vectors.drift import measure_drift
from foretext.vectors.word_vectors import WordVectors
from tests.vectors.spaces import random_space, rotation


def test_nothing_changes_in_a_space_that_was_only_turned():
    first = random_space()
    found = measure_drift(first, WordVectors(first.index_to_key, first.vectors @ rotation(8)))
    assert found.change.max() == 0
    assert found.cosine.min() > 0.99999
    assert found.residual < 1e-5


def test_words_that_changed_places_are_found():
    first = random_space(300, 12)
    moved = first.vectors.copy()
    moved[[5, 9]] = -moved[[5, 9]]  # to the other side
    second = WordVectors(first.index_to_key, moved @ rotation(12))
    changed = measure_drift(first, second).most_changed(2)
    assert {found.word for found in changed} == {"w5", "w9"}
    assert all(found.change > 0.9 and found.cosine < -0.8 for found in changed)
    near = [word for word, _ in first.most_similar(changed[0].word)]
    assert changed[0].before == near


def test_change_is_one_less_jaccard():
    """Neighbours of a: b, c before; b, d after: one of three in common."""
    words = ["a", "b", "c", "d"]
    first = WordVectors(words, [[1, 0], [1, 0.1], [1, 0.2], [-1, 0]])
    second = WordVectors(words, [[1, 0], [1, 0.1], [-1, 0], [1, 0.2]])
    found = measure_drift(first, second, topn=2)
    assert found.change[0] == pytest.approx(1 - 1 / 3)
    a = next(word for word in found.most_changed() if word.word == "a")
    assert (a.before, a.after) == (["b", "c"], ["b", "d"])


def test_only_words_of_both_are_compared():
    first, second = random_space(300, seed=1), random_space(200, seed=2)
    assert measure_drift(first, second).words == second.index_to_key
    assert len(measure_drift(first, second, restrict_vocab=50).words) == 50
    frequent = measure_drift(first, second, min_count=150).words  # w0 occurs 300 and 200 times
    assert frequent == [f"w{number}" for number in range(51)]


def test_more_neighbours_than_words_are_all_the_others():
    found = measure_drift(random_space(20, seed=1), random_space(20, seed=2), topn=100)
    assert found.before.shape == (20, 19)
    assert (found.change == 0).all()


def test_what_cannot_be_compared():
    first = random_space()
    without = WordVectors(first.index_to_key, first.vectors)
    with pytest.raises(SettingError, match=r"min_count = 5: one of the two came without counts"):
        measure_drift(first, without, min_count=5)
    with pytest.raises(SettingError, match="topn = 0: at least one neighbour"):
        measure_drift(first, first, topn=0)
    with pytest.raises(SettingError, match="only 3 words to align 8 dimensions by"):
        measure_drift(first, first, restrict_vocab=3)
    with pytest.raises(SettingError, match="of 8 and of 5 dimensions"):
        measure_drift(first, random_space(dim=5))
