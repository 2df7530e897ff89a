"""Word vectors as a backbone, and what all backbones over word vectors refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.lookup import Lookup
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs

V = 6
VECTORS = np.random.default_rng(0).standard_normal((V, 3)).astype(np.float32)
IDS = torch.tensor([[1, 5, 0], [2, 2, 3]])


def lookup(num_characters: int = 0, **settings: Any) -> Lookup:
    torch.manual_seed(0)
    return Lookup(Lookup.Config(**{"vector_size": 3, **settings}), V, num_characters)


def test_states_are_the_vectors_it_began_from() -> None:
    backbone = lookup()
    backbone.load_vectors(VECTORS)
    assert np.array_equal(backbone(Inputs(IDS)).last.detach().numpy(), VECTORS[IDS])
    assert backbone.dim == 3
    assert not backbone.reads_characters


def test_features_of_characters_stand_beside_the_vectors() -> None:
    backbone = lookup(9, characters="cnn", character_dim=4, character_features=5)
    backbone.load_vectors(VECTORS)
    characters = torch.randint(1, 9, (2, 3, 7))
    states = backbone(Inputs(IDS, characters=characters)).last.detach()
    assert states.shape == (2, 3, backbone.dim) == (2, 3, 8)
    assert backbone.reads_characters
    assert np.array_equal(states[..., :3].numpy(), VECTORS[IDS])
    respelled = characters.clone()
    respelled[0, 1] = respelled[0, 1].roll(1)
    changed = (backbone(Inputs(IDS, characters=respelled)).last != states).any(-1)
    assert torch.equal(changed, torch.tensor([[False, True, False], [False] * 3]))


def test_dropout_falls_while_it_learns() -> None:
    backbone = lookup(vector_size=1000, dropout=0.25)
    ids = torch.ones(1, 1, dtype=torch.int64)
    zeros = (backbone.train()(Inputs(ids)).last == 0).float().mean()
    assert zeros == pytest.approx(0.25, abs=0.05)
    assert (backbone.eval()(Inputs(ids)).last != 0).all()


def test_vectors_of_another_size() -> None:
    with pytest.raises(SettingError, match=r"3 numbers each; set backbone\.vector_size = 3\."):
        lookup(vector_size=4).load_vectors(VECTORS)


def test_characters_that_nobody_found() -> None:
    with pytest.raises(SettingError, match=r"come without characters; set backbone\.characters"):
        lookup(0, characters="lstm")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"character_dim": 5}, r"\[backbone\] character_dim would have no effect with"),
        ({"character_features": 6}, "character_features would have no effect with characters"),
        ({"characters": "lstm", "character_features": 5}, "5 must be even, for an LSTM"),
        ({"characters": "rnn"}, r"\[backbone\] characters = 'rnn'"),
        ({"bigram_dim": 5}, "bigram_dim would have no effect with bigrams = 0"),
        ({"bigrams": 9}, "here a word has the same state in every context"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        Lookup.Config.checked(settings, "backbone")
