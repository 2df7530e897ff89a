"""How relevant a text is to a query: as the matcher says, or the cosine of two vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.serving.abilities.rerank import Rerank, RerankOptions
from tests.serving.models import TEXTS

QUERY = "a ship on the sea"
PAIRS = [(QUERY, text) for text in TEXTS]


@pytest.mark.parametrize("raw", [False, True])
def test_a_matcher_scores_pairs(models: dict[str, Any], raw: bool) -> None:
    found = Rerank(models["matcher"]).run(PAIRS, RerankOptions(raw))
    assert found == models["matcher"].relevance(PAIRS, raw=raw).tolist()


def test_others_compare_vectors(models: dict[str, Any]) -> None:
    encoder = models["sentences"]
    found = Rerank(encoder).run(PAIRS, RerankOptions())
    np.testing.assert_allclose(found, encoder.similarity([QUERY], TEXTS)[0], rtol=1e-2)
    words = models["words"].embed([QUERY, *TEXTS], normalize=True)
    found = Rerank(models["words"]).run(PAIRS, RerankOptions())
    np.testing.assert_allclose(found, words[1:] @ words[0], rtol=1e-6)


def test_a_text_without_a_known_word_is_relevant_to_nothing(models: dict[str, Any]) -> None:
    assert Rerank(models["words"]).run([(QUERY, "xyzzy"), ("", "")], RerankOptions()) == [0, 0]
