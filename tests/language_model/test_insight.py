from __future__ import annotations

import numpy as np
import pytest

from foretext.errors import CorpusError
from tests.language_model.models import SENTENCES, bert, gpt


def test_layers_begin_with_embeddings_and_end_with_what_embed_pools() -> None:
    for model, tokens in (
        (bert(), ["[CLS]", "the", "king", "[SEP]"]),
        (gpt(), ["the", "Ġking"]),
    ):
        found = model.layers("the king")
        assert found.tokens == tokens
        assert found.states.shape == (3, len(tokens), 16)
        np.testing.assert_allclose(
            found.states[-1].mean(0), model.embed(["the king"])[0], atol=0.05, rtol=0.05
        )
        np.testing.assert_allclose(
            found.states[0].mean(0), model.embed(["the king"], layer=0)[0], atol=0.05, rtol=0.05
        )


def test_attention_maps_are_shares_and_causal_ones_look_back() -> None:
    for model, causal in ((bert(), False), (gpt(), True)):
        maps = model.attention_maps("the king and the queen").weights
        assert maps.shape[:2] == (2, 2)
        np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-5)
        assert (np.triu(maps, 1) == 0).all() == causal


def test_errors_are_sentences() -> None:
    for look in (bert().layers, gpt().attention_maps):
        with pytest.raises(CorpusError, match="The text is empty"):
            look("")
        with pytest.raises(CorpusError, match=r"and the model sees 3\d at once; look at a shorter"):
            look(" ".join(SENTENCES))
