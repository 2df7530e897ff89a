"""Marian's folders, both ways: one vocabulary or two, sinusoids, the bias of the head."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.base.errors import ModelFileError
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.nn.positions import sinusoids
from foretext.objectives.prefix_lm import PrefixLM
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
    "dim": D,
    "num_heads": 4,
    "max_length": 40,
    "sinusoids": "halves",
    "activation": "silu",
}
POSITIONS = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")
TWO: dict[str, Any] = {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": 340}
OLD = {
    "normalize_before": False,
    "normalize_embedding": False,
    "add_final_layer_norm": False,
    "static_position_embeddings": True,
    "add_bias_logits": False,
}


def with_bias(folder: Path, theirs: Any) -> None:
    """Give the head of a folder and of its model a bias, as Marian's have."""
    bias = torch.randn(theirs.final_logits_bias.shape)
    theirs.final_logits_bias.copy_(bias)
    rewrite(folder, {**weights_of(folder), "final_logits_bias": bias})


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    "settings", [{}, {"scale_embedding": True, **TWO}], ids=["one vocabulary", "two vocabularies"]
)
def test_theirs_here_and_back(settings: dict[str, Any], tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, "Marian", "MTModel", **settings)
    with_bias(tmp_path, theirs)
    edit_config(tmp_path, **OLD)
    loaded = assert_equal_both_ways(tmp_path, theirs, "MarianMTModel")
    assert isinstance(loaded.objective, PrefixLM)
    assert loaded.backbone.vocab_size == settings.get("decoder_vocab_size", 320)
    assert loaded.unused == ()
    reading = loaded.objective.reading((7,))
    assert (reading.opening, reading.source) == ((1,), (7, 2))


def test_padding_is_never_written(tmp_path: Path) -> None:
    """As their folders say; then it is what our objective does by itself."""
    their_folder(tmp_path, "Marian", "MTModel")
    edit_config(tmp_path, bad_words_ids=[[1]], forced_eos_token_id=None, num_beams=6)
    (tmp_path / "generation_config.json").unlink()
    loaded = load_hugging_face(tmp_path)
    assert loaded.objective.reading(()).never == (1,)
    assert loaded.objective.writing is None
    assert loaded.decoding is not None
    assert loaded.decoding.num_beams == 6


def test_sinusoids_that_are_stored(tmp_path: Path) -> None:
    their_folder(tmp_path, "Marian", "MTModel")
    weights, table = weights_of(tmp_path), sinusoids(40, D, "halves")
    rewrite(tmp_path, {**weights, **dict.fromkeys(POSITIONS, table.half())})
    assert set(load_hugging_face(tmp_path).unused) == set(POSITIONS)
    for other in (sinusoids(40, D), table[:-1]):
        rewrite(tmp_path, {**weights, POSITIONS[0]: other.contiguous()})
        with pytest.raises(ModelFileError, match="' differs from what config"):
            load_hugging_face(tmp_path)


def test_a_head_of_its_own(tmp_path: Path) -> None:
    """Stored beside the vectors of the target: the same is tied, another is not."""
    their_folder(tmp_path, "Marian", "MTModel", **TWO)
    weights = weights_of(tmp_path)
    vectors = weights["model.decoder.embed_tokens.weight"]
    rewrite(tmp_path, {**weights, "lm_head.weight": vectors})
    assert load_hugging_face(tmp_path).objective.config.tied
    rewrite(tmp_path, {**weights, "lm_head.weight": vectors + 1})
    loaded = load_hugging_face(tmp_path)
    assert torch.equal(loaded.objective.head.weight, vectors + 1)
    del weights["final_logits_bias"]
    rewrite(tmp_path, weights)
    assert not load_hugging_face(tmp_path).objective.head.bias.any()


@pytest.mark.parametrize("source_size", [None, 330])
def test_ours_there(source_size: int | None, tmp_path: Path) -> None:
    torch.manual_seed(0)
    tokenizer = fairseq_bpe()
    size = tokenizer.vocab_size
    backbone = shaken(EncoderDecoder(EncoderDecoder.Config(**SHAPE), size, source_size))
    objective = PrefixLM(PrefixLM.Config(row_length=16), backbone, tokenizer)
    save_hugging_face(tmp_path, tokenizer, backbone, objective, {})
    theirs = opened("MarianMTModel", tmp_path)
    assert theirs.config.share_encoder_decoder_embeddings is (source_size is None)
    assert_equal_logits(backbone, objective, theirs, size)
    assert_equal_texts(backbone, objective, theirs, size)
    again = load_hugging_face(tmp_path)
    assert again.backbone.arguments == backbone.arguments
    assert not again.objective.config.bias
    assert again.objective.config == objective.config


def test_sinusoids_in_turn_are_not_theirs(tmp_path: Path) -> None:
    tokenizer = fairseq_bpe()
    shape = {**SHAPE, "sinusoids": "interleaved"}
    backbone = EncoderDecoder(EncoderDecoder.Config(**shape), tokenizer.vocab_size)
    save_hugging_face(tmp_path, tokenizer, backbone, None, {})
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "foretext"


REFUSED = [
    ({"normalize_before": True}, "normalize_before = True is not supported"),
    ({"normalize_embedding": True}, "normalize_embedding = True is not supported"),
    ({"static_position_embeddings": False}, "static_position_embeddings = False is not supp"),
    ({"vocab_size": 0}, "vocab_size = 0 is not a number of tokens"),
    ({"vocab_size": 300}, "has the shape|has ids up to 319"),
    ({"share_encoder_decoder_embeddings": "no"}, "share_encoder_decoder_embeddings"),
    ({"share_encoder_decoder_embeddings": False, "decoder_vocab_size": None}, "decoder_vocab_s"),
    ({"share_encoder_decoder_embeddings": False, "decoder_vocab_size": 320}, "are missing"),
    ({"max_position_embeddings": 10**9}, "much larger than the weights"),
]


@pytest.mark.parametrize(("settings", "sentence"), REFUSED)
def test_what_is_refused(settings: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    their_folder(tmp_path, "Marian", "MTModel")
    edit_config(tmp_path, **settings)
    with pytest.raises(ModelFileError, match=sentence):
        load_hugging_face(tmp_path)
