"""Vectors behind a server are those of the models' own `embed`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.serving.abilities.embed import Embed, EmbedOptions
from tests.serving.models import TEXTS

EMBEDDING = ("words", "causal", "masked", "sentences")


@pytest.mark.parametrize("name", EMBEDDING)
@pytest.mark.parametrize("normalize", [None, True, False])
def test_vectors_are_those_of_python(
    models: dict[str, Any], name: str, normalize: bool | None
) -> None:
    found = Embed(models[name]).run(TEXTS, EmbedOptions(normalize))
    np.testing.assert_array_equal(found, models[name].embed(TEXTS, normalize=normalize))


@pytest.mark.parametrize("name", ["causal", "sentences"])
@pytest.mark.parametrize("normalize", [None, True, False])
def test_the_first_numbers_are_those_of_python(
    models: dict[str, Any], name: str, normalize: bool | None
) -> None:
    found = Embed(models[name]).run(TEXTS, EmbedOptions(normalize, 8))
    expected = models[name].embed(TEXTS, dim=8, normalize=normalize)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_word_vectors_can_be_cut_too(models: dict[str, Any]) -> None:
    whole = models["words"].embed(TEXTS)
    np.testing.assert_array_equal(
        Embed(models["words"]).run(TEXTS, EmbedOptions(normalize=False, dim=3)), whole[:, :3]
    )
    short = np.stack(Embed(models["words"]).run(TEXTS, EmbedOptions(dim=3)))
    np.testing.assert_allclose(np.linalg.norm(short, axis=1), 1, rtol=1e-6)
    with pytest.raises(SettingError, match="dim = 17: the vectors have 16 numbers"):
        Embed(models["words"]).run(TEXTS, EmbedOptions(dim=17))
