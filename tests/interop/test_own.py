"""Models that no family has: kept under our own names, whatever their shape."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.base.errors import ModelFileError, UntrustedError
from foretext.base.registry import trust
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.objectives.base import Objective
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.interop.conftest import shaken
from tests.interop.test_older_folders import edit_config, rewrite, weights_of
from tests.interop.test_ours_there import SHAPE, assert_same_again

PRE = {"norm_position": "pre", "num_segments": 0}


def save(
    folder: Path, tokenizer: SubwordTokenizer, shape: dict[str, Any], head: dict[str, Any]
) -> tuple[Transformer, Objective]:
    torch.manual_seed(0)
    backbone = shaken(Transformer(Transformer.Config(**SHAPE, **shape), tokenizer.vocab_size))
    masked = tokenizer.special.mask is not None
    kind: Any = MaskedLM if masked else CausalLM
    objective = shaken(kind(kind.Config(**head), backbone, tokenizer))
    save_hugging_face(folder, tokenizer, backbone, objective, {"words": 5})
    return backbone, objective


def model_type(folder: Path) -> str:
    return json.loads((folder / "config.json").read_text())["model_type"]


@pytest.mark.parametrize(
    ("shape", "head"),
    [
        ({"positions": "rotary"}, {}),
        ({"positions": "rotary"}, {"tied": False}),
        ({"positions": "sinusoidal"}, {"next_sentence": True}),
        ({**PRE, "embedding_norm": False}, {}),  # GPT-2's body with BERT's question
        ({"activation": "geglu"}, {}),
        ({}, {"norm": "rms"}),  # BERT's body with another head
        ({}, {"norm_eps": 1e-5}),
        ({}, {"activation": "relu"}),
        ({**PRE, "positions": "rotary", "first_norm": False}, {"next_sentence": True}),
    ],
)
def test_masked(
    shape: dict[str, Any], head: dict[str, Any], wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    backbone, objective = save(tmp_path, wordpiece, shape, head)
    assert model_type(tmp_path) == "foretext"
    assert_same_again(tmp_path, backbone, objective)
    assert load_hugging_face(tmp_path).facts == {"words": 5}


def test_causal(bpe: SubwordTokenizer, tmp_path: Path) -> None:
    shape = {**PRE, "positions": "rotary", "embedding_norm": False}
    backbone, objective = save(tmp_path, bpe, shape, {})
    assert model_type(tmp_path) == "foretext"
    assert_same_again(tmp_path, backbone, objective)


def test_tokenizer_without_a_frame(bpe: SubwordTokenizer, tmp_path: Path) -> None:
    """A body alone, of which nobody says what stands around its texts."""
    backbone = Transformer(Transformer.Config(**SHAPE, positions="sinusoidal"), bpe.vocab_size)
    save_hugging_face(tmp_path, bpe, backbone, None, {})
    assert_same_again(tmp_path, backbone, None)


def test_what_does_not_fit(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    save(tmp_path, wordpiece, {"positions": "rotary"}, {})
    weights = weights_of(tmp_path)
    rewrite(tmp_path, weights | {"other": torch.ones(2)})
    with pytest.raises(
        ModelFileError, match=r"contains weights that config\.json does not describe: other\."
    ):
        load_hugging_face(tmp_path)
    weights.pop("backbone.embeddings.tokens.weight")
    rewrite(tmp_path, weights)
    with pytest.raises(
        ModelFileError, match=r"are missing: backbone\.embeddings\.tokens\.weight\."
    ):
        load_hugging_face(tmp_path)
    edit_config(tmp_path, foretext={})
    with pytest.raises(ModelFileError, match=r"config.json does not describe a backbone under"):
        load_hugging_face(tmp_path)


class Sideways(Transformer):
    """A backbone from outside of foretext."""


def test_class_from_outside(
    wordpiece: SubwordTokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found where the user trusts its module, be it imported already or not."""
    module = ModuleType("sideways")
    module.Sideways = Sideways
    monkeypatch.setattr(Sideways, "__module__", "sideways")
    monkeypatch.setitem(sys.modules, "sideways", module)
    backbone = Sideways(Sideways.Config(**SHAPE), wordpiece.vocab_size)
    save_hugging_face(tmp_path, wordpiece, backbone, None, {})
    monkeypatch.setattr("foretext.base.registry._trusted", set())
    with pytest.raises(UntrustedError, match=r"'sideways:Sideways', .+ --trust sideways"):
        load_hugging_face(tmp_path)
    trust("sideways")
    assert type(load_hugging_face(tmp_path).backbone) is Sideways


def test_loading_draws_nothing(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    """What is random elsewhere does not depend on what was loaded before."""
    for name, shape in (("own", {"positions": "rotary"}), ("bert", {})):
        save(tmp_path / name, wordpiece, shape, {})
        torch.manual_seed(7)
        before = torch.get_rng_state()
        load_hugging_face(tmp_path / name)
        assert torch.equal(torch.get_rng_state(), before)
