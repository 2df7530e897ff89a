"""The features with the largest weights."""

from __future__ import annotations

import numpy as np

from foretext.tasks.classification.informative_features import informative_features
from foretext.tasks.classification.linear import LinearClassifier


def test_the_largest_weights_come_first() -> None:
    weights = np.array([[0.5, -1], [2, 0], [-1, 3]], np.float32)
    assert informative_features(["a", "b"], ["x", "y", "z"], weights) == {
        "a": ["y", "x"],
        "b": ["z"],
    }


def test_of_two_labels_a_weight_speaks_for_the_second() -> None:
    weights = np.array([[0.5], [-2], [0]], np.float32)
    assert informative_features(["a", "b"], ["x", "y", "z"], weights) == {"a": ["y"], "b": ["x"]}


def test_a_linear_classifier_names_its_own() -> None:
    texts = ["a fine film", "a bad film", "a fine play", "a bad play"]
    told = LinearClassifier().fit(texts, ["pos", "neg"] * 2).described()["informative_features"]
    assert (told["pos"][0], told["neg"][0]) == ("a fine", "a bad")
