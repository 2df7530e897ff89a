"""Cosines of texts and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.vectors.text_cosines import paired_cosines, text_cosines

VECTORS = np.random.default_rng(5).standard_normal((6, 4)).astype(np.float32)
FIRSTS, SECONDS = VECTORS[:3], VECTORS[3:]


def embed(texts: Any) -> np.ndarray:
    return VECTORS[int(texts)] if isinstance(texts, str) else VECTORS[[int(t) for t in texts]]


def cosines() -> np.ndarray:
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    return unit[:3] @ unit[3:].T


def test_all_with_all() -> None:
    expected = cosines()
    np.testing.assert_allclose(text_cosines(embed, 4, FIRSTS, SECONDS), expected, atol=1e-6)


@pytest.mark.parametrize("firsts", [FIRSTS, ["0", "1", "2"]])
def test_each_with_its_own(firsts: Any) -> None:
    expected = np.diag(cosines())
    np.testing.assert_allclose(paired_cosines(embed, 4, firsts, SECONDS), expected, atol=1e-6)


def test_two_texts_give_a_number() -> None:
    found = paired_cosines(embed, 4, "0", "3")
    assert isinstance(found, float)
    assert found == pytest.approx(text_cosines(embed, 4, "0", "3"))


def test_other_numbers_of_texts() -> None:
    with pytest.raises(SettingError, match="are no pairs"):
        paired_cosines(embed, 4, FIRSTS, SECONDS[:2])
    with pytest.raises(SettingError, match="no vectors of 4 finite numbers"):
        paired_cosines(embed, 4, FIRSTS[:, :2], SECONDS[:, :2])
