from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from foretext.topics.insight import topics_of_words


def test_a_word_belongs_to_topics_by_their_shares_and_its_probabilities() -> None:
    """θ = (0.8, 0.2), φ of the second word = (0.5, 0.9): 0.4 and 0.18 of 0.58."""
    probable = np.array([[0.5, 0.1], [0.5, 0.9]])
    model: Any = SimpleNamespace(words=SimpleNamespace(probabilities=lambda: probable))
    found = topics_of_words(model, np.array([1, 0, 1]), np.array([0.8, 0.2]))
    np.testing.assert_allclose(found[0], [0.4 / 0.58, 0.18 / 0.58])
    np.testing.assert_allclose(found[1], [0.4 / 0.42, 0.02 / 0.42])
    np.testing.assert_allclose(found[2], found[0])
