"""UniLM is stored as BertForMaskedLM, and stays UniLM where foretext opens it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.backbones.transformer import Transformer
from foretext.data.batch import Inputs
from foretext.objectives.masked_lm import MaskedLM
from foretext.objectives.unilm import UniLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.lazy_import import lazy_import
from tests.networks import SHAPE

transformers = lazy_import("transformers")


def model(tokenizer: SubwordTokenizer, num_segments: int) -> ft.LanguageModel:
    """A UniLM with random weights, large enough that its answers differ."""
    torch.manual_seed(0)
    shape = Transformer.Config(**SHAPE, num_segments=num_segments, init_std=0.2)
    backbone = Transformer(shape, tokenizer.vocab_size)
    return ft.LanguageModel(tokenizer, backbone, UniLM(UniLM.Config(), backbone, tokenizer))


@pytest.mark.parametrize("num_segments", [2, 6])
def test_transformers_opens_it(
    wordpiece: SubwordTokenizer, num_segments: int, tmp_path: Path
) -> None:
    ours = model(wordpiece, num_segments)
    ours.save(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["architectures"] == [
        "BertForMaskedLM"
    ]
    theirs = transformers.BertForMaskedLM.from_pretrained(tmp_path).eval()
    ids = torch.tensor([[2, 9, 4, 30, 3], [2, 11, 12, 4, 3]])
    with torch.inference_mode():
        expected = theirs(ids).logits
        objective = ours.objective
        assert objective is not None
        assert objective.token_head is not None
        found = objective.token_head(ours.backbone.eval()(Inputs(ids)).last)
    assert torch.allclose(found, expected, atol=1e-4)


def test_it_stays_unilm(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    ours = model(wordpiece, 6)
    ours.save(tmp_path)
    again = ft.LanguageModel.load(tmp_path)
    assert type(again.objective) is UniLM
    text = "the dog barks"
    assert again.generate(text, 8, temperature=0) == ours.generate(text, 8, temperature=0)
    assert again.generate(source=text, max_new_tokens=8, seed=3) == ours.generate(
        source=text, max_new_tokens=8, seed=3
    )
    assert np.array_equal(again.embed([text]), ours.embed([text]))


def test_a_folder_that_was_saved_by_others_is_a_masked_model(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    model(wordpiece, 2).save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["foretext"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert type(ft.LanguageModel.load(tmp_path).objective) is MaskedLM
