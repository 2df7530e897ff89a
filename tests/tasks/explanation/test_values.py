"""What words add to: the same number whatever logits a label's probability comes from."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.metrics import sigmoid, softmax
from foretext.tasks.explanation.values import Values, contrasted, log_odds

LOGITS = np.random.default_rng(0).normal(size=(5, 4)) * 3


def test_of_two_labels_it_is_the_log_of_the_odds() -> None:
    shares = softmax(LOGITS[:, :2])
    expected = np.log(shares[:, 1] / shares[:, 0])
    np.testing.assert_allclose(log_odds(shares, are_sets=False)[:, 1], expected)
    np.testing.assert_allclose(contrasted(LOGITS[:, :2], are_sets=False)[:, 1], expected)


def test_it_is_the_distance_to_the_mean_of_the_others() -> None:
    expected = LOGITS[:, 2] - LOGITS[:, [0, 1, 3]].mean(1)
    np.testing.assert_allclose(contrasted(LOGITS, are_sets=False)[:, 2], expected)
    shifted = contrasted(LOGITS + np.arange(5)[:, None], are_sets=False)
    np.testing.assert_allclose(shifted[:, 2], expected)
    found = log_odds(softmax(LOGITS), are_sets=False)
    np.testing.assert_allclose(found[:, 2], expected)


def test_labels_by_themselves_have_odds_of_their_own() -> None:
    np.testing.assert_allclose(log_odds(sigmoid(LOGITS), are_sets=True), LOGITS)
    np.testing.assert_array_equal(contrasted(LOGITS, are_sets=True), LOGITS)


def test_certainty_is_a_finite_number() -> None:
    shares = np.array([[1.0, 0.0]])
    assert np.isfinite(log_odds(shares, are_sets=False)).all()
    assert np.isfinite(log_odds(shares, are_sets=True)).all()


def test_the_label_is_the_most_probable_one_unless_it_is_given() -> None:
    values = Values(("a", "b", "c"), LOGITS[:, :3], softmax(LOGITS[:, :3]))
    assert values.chosen(None) == LOGITS[0, :3].argmax()
    assert values.part(2, 3).chosen(None) == LOGITS[2, :3].argmax()
    assert values.chosen("b") == 1
    with pytest.raises(SettingError, match="label = 'd': the labels of this model are 'a', 'b'"):
        values.chosen("d")


def test_scores_have_no_label() -> None:
    values = Values((), LOGITS[:, :1], None)
    assert values.chosen(None) == 0
    with pytest.raises(SettingError, match="gives scores; leave it out"):
        values.chosen("good")
