"""The baseline of pairs: overlaps worked by hand, and what it learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.data.overlap_features import overlap_features
from foretext.data.rows import LabelledPair, PairsConfig, read_pairs
from foretext.tasks.matching.baseline import PairBaseline

ALIKE = [("the dog barks at noon", "at noon the dog barks"), ("a cat purrs", "the cat purrs")] * 4
UNLIKE = [("the dog barks at noon", "hens cluck loudly"), ("a cat purrs", "two cows moo")] * 4


def test_overlaps_worked_by_hand() -> None:
    features = overlap_features(["a", "b", "c", "4"], ["b", "c", "d", "4", "5"])
    words, pairs, triples = (features[place : place + 2] for place in (0, 2, 4))
    assert words == [3 / 4, 3 / 5]
    assert pairs == [1 / 3, 1 / 4]  # b c
    assert triples == [0.0, 0.0]
    assert features[-4:] == [1 / 5, pytest.approx(np.log(2)), 1.0, 1 / 2]


def test_the_order_of_two_texts_does_not_count() -> None:
    first, second = ["the", "dog", "barks"], ["a", "dog", "barks", "at", "5"]
    assert overlap_features(first, second) == overlap_features(second, first)


def test_empty_texts_have_features() -> None:
    assert overlap_features([], [])[:2] == [1.0, 1.0]
    assert overlap_features([], ["a"])[:2] == [0.0, 0.0]


def test_labels_are_learned() -> None:
    labels = ["yes"] * len(ALIKE) + ["no"] * len(UNLIKE)
    baseline = PairBaseline().fit(ALIKE + UNLIKE, labels)
    assert baseline.classes_ == ("no", "yes")
    unseen = [("the owl hoots tonight", "tonight the owl hoots"), ("pigs grunt", "an owl hoots")]
    assert baseline.predict(unseen) == ["yes", "no"]
    probabilities = baseline.predict_proba(unseen)
    np.testing.assert_allclose(probabilities.sum(1), 1)
    assert probabilities.argmax(1).tolist() == [1, 0]


def test_scores_are_learned() -> None:
    scores = [5.0] * len(ALIKE) + [1.0] * len(UNLIKE)
    baseline = PairBaseline().fit(ALIKE + UNLIKE, scores)
    high, low = baseline.predict([ALIKE[0], UNLIKE[0]])
    assert baseline.classes_ == ()
    assert float(high) > 4 > 2 > float(low)


def test_texts_without_blanks_have_words_too() -> None:
    pairs = [("我喜欢猫", "我很喜欢猫"), ("今天下雨", "他在北京")] * 3
    baseline = PairBaseline().fit(pairs, ["1", "0"] * 3)
    assert baseline.predict(pairs[:2]) == ["1", "0"]


def test_nothing_asked_nothing_answered() -> None:
    baseline = PairBaseline().fit(ALIKE + UNLIKE, ["1"] * len(ALIKE) + ["0"] * len(UNLIKE))
    assert baseline.predict([]) == []
    assert baseline.predict_proba([]).shape == (0, 2)
    assert PairBaseline().fit(ALIKE + UNLIKE, [float(i) for i in range(16)]).predict([]) == []


def test_errors_say_what_is_missing() -> None:
    with pytest.raises(CorpusError, match="no pair to learn from"):
        PairBaseline().fit([], [])
    with pytest.raises(CorpusError, match="one label alone"):
        PairBaseline().fit(ALIKE, ["yes"] * len(ALIKE))


@pytest.mark.slow
@pytest.mark.shared_data
def test_it_beats_the_most_frequent_label_on_paraphrases(shared_data: Path) -> None:
    settings = PairsConfig(text_a="#1 String", text_b="#2 String", label="Quality")
    folder = shared_data / "mrpc"
    train = read_pairs(folder / "msr_paraphrase_train.txt.xz", settings)
    test = read_pairs(folder / "msr_paraphrase_test.txt", settings)
    baseline = PairBaseline().fit(*_apart(train))
    pairs, labels = _apart(test)
    right = [given == label for given, label in zip(baseline.predict(pairs), labels, strict=True)]
    assert np.mean(right) > 0.74  # the most frequent label: 0.665


def _apart(rows: list[LabelledPair]) -> tuple[list[tuple[str, str]], list[str]]:
    return [(row.text_a, row.text_b) for row in rows], [str(row.label) for row in rows]
