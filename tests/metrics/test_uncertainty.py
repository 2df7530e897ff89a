from __future__ import annotations

import numpy as np
import pytest

from foretext.metrics import entropies, margins, set_margins


def test_margins_by_hand() -> None:
    found = margins(np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0], [0.4, 0.4, 0.2]]))
    np.testing.assert_allclose(found, [0.8, 0.0, 1.0])


def test_entropies_by_hand() -> None:
    found = entropies(np.array([[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.25] * 4]))
    np.testing.assert_allclose(found, [0.5, 0.0, 1.0], atol=1e-12)  # log 2 / log 4


def test_the_least_sure_label_of_several_by_hand() -> None:
    found = set_margins(np.array([[0.9, 0.1], [0.9, 0.55], [1.0, 0.0]]))
    np.testing.assert_allclose(found, [0.2, 0.9, 0.0], atol=1e-12)


@pytest.mark.parametrize("measure", [margins, entropies])
def test_two_labels_are_ranked_alike_by_both(measure: object) -> None:
    shares = np.random.default_rng(0).random(50)
    rows = np.stack([shares, 1 - shares], axis=1)
    assert callable(measure)
    assert (np.argsort(measure(rows)) == np.argsort(-np.abs(shares - 0.5))).all()


def test_one_label_is_always_sure() -> None:
    one = np.ones((3, 1))
    assert not margins(one).any()
    assert not entropies(one).any()
    assert margins(np.zeros((0, 4))).shape == entropies(np.zeros((0, 4))).shape == (0,)
