from __future__ import annotations

import pytest

from foretext.classifiers.majority_baseline import MajorityBaseline

TEXTS = ["a good film", "a fine film", "bad, very bad", "a bad film", "good and fine"]
LABELS = ["pos", "pos", "neg", "neg", "pos"]


def test_most_frequent_label() -> None:
    baseline = MajorityBaseline().fit(TEXTS, LABELS)
    assert baseline.predict(["x", "y"]) == ["pos", "pos"]
    assert baseline.predict_proba(["x"]).tolist() == [[0.4, 0.6]]
    assert baseline.classes_ == ("neg", "pos")
    assert MajorityBaseline().fit(["x", "y"], ["b", "a"]).predict(["z"]) == ["a"]


def test_most_frequent_set_of_labels() -> None:
    baseline = MajorityBaseline().fit(["x", "y", "z"], [["b", "a"], ["a", "b"], []])
    assert baseline.predict(["x"]) == [("a", "b")]
    assert baseline.predict_proba(["x"])[0] == pytest.approx([2 / 3, 2 / 3])
