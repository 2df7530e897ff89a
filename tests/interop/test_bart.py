"""BART's folders, both ways: equal logits, equal texts, and what older folders contain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.base.errors import ModelFileError
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.objectives.text_infilling import TextInfilling
from tests.interop.conftest import D, shaken
from tests.interop.sequence_folders import (
    assert_equal_both_ways,
    assert_equal_logits,
    assert_equal_texts,
    fairseq_bpe,
    opened,
    their_folder,
)
from tests.interop.test_older_folders import edit_config, rewrite, weights_of

SHAPE = {
    "num_layers": 2,
    "num_decoder_layers": 3,
    "dim": D,
    "num_heads": 4,
    "feed_forward_dim": 48,
    "max_length": 40,
    "positions": "learned",
    "embedding_norm": True,
}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("settings", "first"),
    [
        ({}, None),
        ({"scale_embedding": True, "activation_function": "relu", "vocab_size": 330}, None),
        ({"activation_function": "swish"}, 0),
    ],
    ids=["usual", "scaled", "begins with <s>"],
)
def test_theirs_here_and_back(settings: dict[str, Any], first: int | None, tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, "Bart", "ForConditionalGeneration", **settings)
    theirs.generation_config.forced_bos_token_id = first
    theirs.generation_config.save_pretrained(tmp_path)
    loaded = assert_equal_both_ways(tmp_path, theirs, "BartForConditionalGeneration")
    assert isinstance(loaded.objective, TextInfilling)
    assert loaded.unused == ("final_logits_bias",)
    reading = loaded.objective.reading((7,))
    assert reading.opening == (2,)
    assert reading.source == (0, 7, 2)
    assert reading.first == first
    assert reading.last == 2
    assert reading.never == ()


def test_a_bare_body_has_the_head_that_has_no_weights(tmp_path: Path) -> None:
    """BART's own folders name `BartModel`, and fill masks."""
    theirs = their_folder(tmp_path, "Bart", "Model")
    loaded = assert_equal_both_ways(tmp_path, theirs, "BartModel")
    assert isinstance(loaded.objective, TextInfilling)
    assert loaded.objective.config.tied


def test_our_body_stays_without_head(tmp_path: Path) -> None:
    their_folder(tmp_path, "Bart", "ForConditionalGeneration")
    loaded = load_hugging_face(tmp_path)
    save_hugging_face(tmp_path / "body", loaded.tokenizer, loaded.backbone, None, {})
    opened("BartModel", tmp_path / "body")
    assert load_hugging_face(tmp_path / "body").objective is None


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("bias", [True, False])
def test_ours_there(bias: bool, tmp_path: Path) -> None:
    torch.manual_seed(0)
    tokenizer = fairseq_bpe()
    backbone = EncoderDecoder(EncoderDecoder.Config(**SHAPE, bias=bias), tokenizer.vocab_size)
    config = TextInfilling.Config(row_length=16, hide_rate=0.4)
    objective = TextInfilling(config, shaken(backbone), tokenizer)
    save_hugging_face(tmp_path, tokenizer, backbone, objective, {})
    theirs = opened("BartForConditionalGeneration", tmp_path)
    assert theirs.generation_config.forced_bos_token_id == tokenizer.special.cls
    assert theirs.generation_config.bad_words_ids == [[tokenizer.special.pad]]
    assert_equal_logits(backbone, objective, theirs, tokenizer.vocab_size)
    assert_equal_texts(backbone, objective, theirs, tokenizer.vocab_size)
    again = load_hugging_face(tmp_path)
    assert again.backbone.config == backbone.config
    assert again.objective.config == config
    assert again.objective.reading((5,)) == objective.reading((5,))


def test_token_vectors_and_head_stored_four_times(tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, "Bart", "ForConditionalGeneration")
    weights = weights_of(tmp_path)
    vectors = weights["model.shared.weight"]
    names = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight")
    version = {"model.encoder.version": torch.tensor([3.0])}
    rewrite(tmp_path, {**weights, **dict.fromkeys((*names, "lm_head.weight"), vectors), **version})
    loaded = load_hugging_face(tmp_path)
    assert loaded.unused == ("final_logits_bias", "model.encoder.version")
    assert_equal_logits(loaded.backbone, loaded.objective, theirs, loaded.tokenizer.vocab_size)


def test_the_head_of_a_task_is_left_out(tmp_path: Path) -> None:
    """It reads the decoder's last state; ours read the encoder's."""
    their_folder(tmp_path, "Bart", "ForSequenceClassification")
    loaded = load_hugging_face(tmp_path)
    assert loaded.objective is None
    assert {name.split(".")[0] for name in loaded.unused} == {"classification_head"}


OLD = {
    "normalize_before": False,
    "normalize_embedding": True,
    "add_final_layer_norm": False,
    "static_position_embeddings": False,
    "add_bias_logits": False,
    "extra_pos_embeddings": 2,
    "encoder_layerdrop": 0.1,
}


def test_settings_of_earlier_releases(tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, "Bart", "ForConditionalGeneration")
    edit_config(tmp_path, **OLD)
    loaded = load_hugging_face(tmp_path)
    assert_equal_logits(loaded.backbone, loaded.objective, theirs, loaded.tokenizer.vocab_size)


REFUSED = [
    ({"normalize_before": True}, "normalize_before = True is not supported, only False is"),
    ({"normalize_embedding": False}, "normalize_embedding = False is not supported"),
    ({"static_position_embeddings": True}, "static_position_embeddings = True is not supported"),
    ({"extra_pos_embeddings": 0}, "extra_pos_embeddings = 0 is not supported, only 2 is"),
    ({"decoder_attention_heads": 2}, "encoder_attention_heads = 4 and decoder_attention_heads = 2"),
    ({"decoder_ffn_dim": 40}, "encoder_ffn_dim = 48 and decoder_ffn_dim = 40 differ"),
    ({"activation_function": "tanh"}, "activation_function = 'tanh' is not supported"),
    ({"max_position_embeddings": 50}, r"has the shape \(42, 32\), but config.json needs \(52, 32"),
    ({"encoder_layers": -1}, "num_layers = -1"),
    ({"decoder_layers": 10**6}, "much larger than the weights"),
    ({"d_model": "32"}, "'32'"),
]


@pytest.mark.parametrize(("settings", "sentence"), REFUSED)
def test_what_is_refused(settings: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    their_folder(tmp_path, "Bart", "ForConditionalGeneration")
    edit_config(tmp_path, **settings)
    with pytest.raises(ModelFileError, match=sentence):
        load_hugging_face(tmp_path)


def test_a_bias_of_the_head_is_refused(tmp_path: Path) -> None:
    their_folder(tmp_path, "Bart", "ForConditionalGeneration")
    weights = weights_of(tmp_path)
    rewrite(tmp_path, {**weights, "final_logits_bias": weights["final_logits_bias"] + 1})
    with pytest.raises(ModelFileError, match="'final_logits_bias' differs from what config"):
        load_hugging_face(tmp_path)


def test_positions_that_no_program_reads_are_zeros(tmp_path: Path) -> None:
    torch.manual_seed(0)
    tokenizer = fairseq_bpe()
    backbone = shaken(EncoderDecoder(EncoderDecoder.Config(**SHAPE), tokenizer.vocab_size))
    save_hugging_face(tmp_path, tokenizer, backbone, None, {})
    positions = weights_of(tmp_path)["encoder.embed_positions.weight"]
    assert positions.shape == (42, D)
    assert not positions[:2].any()
    settings = json.loads((tmp_path / "config.json").read_text())
    assert settings["max_position_embeddings"] == 40
