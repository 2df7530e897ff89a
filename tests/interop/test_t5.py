"""T5, its release 1.1, mT5 and their encoder, both ways: equal logits, equal texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.base.errors import ModelFileError
from foretext.data.batch import Inputs
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.objectives.prefix_lm import PrefixLM
from foretext.objectives.span_corruption import SpanCorruption
from foretext.objectives.text_infilling import TextInfilling
from tests.interop.conftest import D, shaken
from tests.interop.sequence_folders import (
    CLOSE,
    assert_equal_both_ways,
    assert_equal_logits,
    assert_equal_texts,
    fairseq_bpe,
    opened,
    rows,
    t5_unigram,
    their_folder,
)
from tests.interop.test_older_folders import edit_config, rewrite, weights_of

FIRST: dict[str, Any] = {}
SECOND = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
SHAPE = {
    "num_layers": 3,
    "num_decoder_layers": 2,
    "dim": D,
    "num_heads": 4,
    "head_dim": 6,
    "feed_forward_dim": 48,
    "max_length": 40,
    "positions": "relative",
    "num_buckets": 8,
    "max_distance": 12,
    "scale_scores": False,
    "scale_embeddings": False,
    "norm": "rms",
    "norm_position": "pre",
    "bias": False,
}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("T5", FIRST),
        ("T5", SECOND),
        ("T5", {"feed_forward_proj": "gated-silu", "vocab_size": 72}),
        ("MT5", {}),
    ],
    ids=["1.0", "1.1", "padded vocabulary", "mT5"],
)
def test_theirs_here_and_back(kind: str, settings: dict[str, Any], tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, kind, "ForConditionalGeneration", **settings)
    loaded = assert_equal_both_ways(tmp_path, theirs, "T5ForConditionalGeneration")
    assert isinstance(loaded.objective, SpanCorruption)
    assert loaded.objective.config.scale_states is (kind == "T5" and settings is not SECOND)
    assert loaded.objective.config.tied
    assert loaded.unused == ()


def test_a_body_without_head(tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, "T5", "Model")
    assert assert_equal_both_ways(tmp_path, theirs, "T5Model").objective is None


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("activation", ["relu", "geglu_tanh"])
def test_ours_there(tied: bool, activation: str, tmp_path: Path, caplog: Any) -> None:
    torch.manual_seed(0)
    tokenizer = t5_unigram()
    config = EncoderDecoder.Config(**SHAPE, activation=activation)
    backbone = shaken(EncoderDecoder(config, tokenizer.vocab_size))
    settings = {"tied": tied, "scale_states": tied, "mean_span": 2.0, "row_length": 16}
    objective = shaken(SpanCorruption(SpanCorruption.Config(**settings), backbone, tokenizer))
    save_hugging_face(tmp_path, tokenizer, backbone, objective, {"note": "kept"})
    with caplog.at_level("ERROR", "transformers"):  # it says that it does not tie the weights
        theirs = opened("T5ForConditionalGeneration", tmp_path)
    caplog.clear()
    assert_equal_logits(backbone, objective, theirs, tokenizer.vocab_size)
    assert_equal_texts(backbone, objective, theirs, tokenizer.vocab_size)
    again = load_hugging_face(tmp_path)
    assert again.backbone.config == backbone.config
    assert again.objective.config == objective.config
    assert again.facts == {"note": "kept"}


def test_other_objectives_have_the_same_head(tmp_path: Path) -> None:
    """What a T5 was trained with is its own matter: the folder keeps it."""
    tokenizer = t5_unigram()
    backbone = EncoderDecoder(EncoderDecoder.Config(**SHAPE), tokenizer.vocab_size)
    objective = PrefixLM(PrefixLM.Config(), backbone, tokenizer)
    save_hugging_face(tmp_path, tokenizer, backbone, objective, {})
    settings = json.loads((tmp_path / "config.json").read_text())
    assert settings["architectures"] == ["T5ForConditionalGeneration"]
    assert not settings["scale_decoder_outputs"]
    assert isinstance(load_hugging_face(tmp_path).objective, PrefixLM)


def test_token_vectors_under_any_of_their_names(tmp_path: Path) -> None:
    """Stored once, twice or three times; a head that is not tied may be stored as well."""
    theirs = their_folder(tmp_path, "T5", "ForConditionalGeneration")
    weights = weights_of(tmp_path)
    vectors = weights.pop("shared.weight")
    names = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    unread = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    for chosen in (names, names[1:], names[2:], (*names, "lm_head.weight")):
        rewrite(tmp_path, {**weights, **dict.fromkeys(chosen, vectors), unread: torch.ones(8, 4)})
        loaded = load_hugging_face(tmp_path)
        assert loaded.unused == (unread,)
        assert loaded.objective.config.tied
        assert_equal_logits(loaded.backbone, loaded.objective, theirs, t5_unigram().vocab_size)
    rewrite(tmp_path, {**weights, names[0]: vectors, names[1]: vectors + 1})
    with pytest.raises(ModelFileError, match=r"does not describe: encoder\.embed_tokens\.weight"):
        load_hugging_face(tmp_path)


def test_a_head_of_its_own(tmp_path: Path) -> None:
    """As in the files of T5 1.1, which earlier releases wrote."""
    their_folder(tmp_path, "T5", "ForConditionalGeneration", **SECOND)
    weights = weights_of(tmp_path)
    head = weights["shared.weight"] + 1
    rewrite(tmp_path, {**weights, "lm_head.weight": head})
    edit_config(tmp_path, scale_decoder_outputs=None, tie_word_embeddings=False)
    loaded = load_hugging_face(tmp_path)
    assert not loaded.objective.config.tied
    assert not loaded.objective.config.scale_states
    assert torch.equal(loaded.objective.head.weight, head)


def test_settings_of_earlier_releases(tmp_path: Path) -> None:
    """Folders of 2020: an older class, and nothing about ties, gates or the decoder's layers."""
    theirs = their_folder(tmp_path, "T5", "ForConditionalGeneration", num_decoder_layers=3)
    gone = ("scale_decoder_outputs", "tie_word_embeddings", "num_decoder_layers")
    more = ("is_gated_act", "dense_act_fn", "feed_forward_proj", "relative_attention_max_distance")
    edit_config(
        tmp_path,
        architectures=["T5WithLMHeadModel"],
        n_positions=64,
        **dict.fromkeys((*gone, *more[:3])),
    )
    loaded = load_hugging_face(tmp_path)
    assert loaded.objective.config.scale_states
    assert loaded.backbone.max_length == 64
    assert loaded.backbone.config.num_decoder_layers is None
    assert_equal_logits(loaded.backbone, loaded.objective, theirs, t5_unigram().vocab_size)


@torch.inference_mode()
def test_the_encoder_by_itself(tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, "T5", "EncoderModel")
    loaded = load_hugging_face(tmp_path)
    source, mask, _ = rows(t5_unigram().vocab_size)
    states = loaded.backbone(Inputs(source, mask)).last
    answer = theirs(input_ids=source, attention_mask=mask.long()).last_hidden_state
    torch.testing.assert_close(states[mask], answer[mask], **CLOSE)
    assert loaded.visibility == "full"
    save_hugging_face(tmp_path / "again", loaded.tokenizer, loaded.backbone, None, {})
    again = opened("T5EncoderModel", tmp_path / "again")
    answer = again(input_ids=source, attention_mask=mask.long()).last_hidden_state
    torch.testing.assert_close(states[mask], answer[mask], **CLOSE)


def test_the_encoder_of_a_whole_model_is_saved_by_itself(tmp_path: Path) -> None:
    their_folder(tmp_path, "T5", "ForConditionalGeneration")
    whole = load_hugging_face(tmp_path)
    written = tmp_path / "encoder"
    save_hugging_face(written, whole.tokenizer, whole.backbone.for_tasks, None, {})
    opened("T5EncoderModel", written)
    again = load_hugging_face(written).backbone.state_dict()
    for name, weight in whole.backbone.for_tasks.state_dict().items():
        assert torch.equal(weight, again[name]), name


REFUSED = [
    ({"feed_forward_proj": "gated-relu"}, "feed_forward_proj = 'gated-relu' is not supported"),
    ({"is_decoder": True}, "is_decoder = True is not supported"),
    ({"quantization_config": {}}, "quantization_config = {} is not supported"),
    ({"num_heads": 0}, "num_heads = 0"),
    ({"d_kv": -1}, "head_dim = -1"),
    ({"d_kv": "6"}, "'6'"),
    ({"d_model": 1 << 20}, "much larger than the weights"),
    ({"num_layers": 10**6}, "much larger than the weights"),
    ({"num_decoder_layers": 10**6}, "much larger than the weights"),
    ({"relative_attention_num_buckets": 1 << 40}, "much larger than the weights|max_distance"),
    ({"relative_attention_max_distance": 1}, "max_distance = 1"),
    ({"n_positions": 10**9}, "much larger than the weights"),
    ({"num_decoder_layers": "two"}, "'two'"),
    ({"scale_decoder_outputs": "no"}, "scale_decoder_outputs"),
]


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize(("settings", "sentence"), REFUSED)
def test_what_is_refused(settings: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    their_folder(tmp_path, "T5", "ForConditionalGeneration")
    edit_config(tmp_path, **settings)
    with pytest.raises(ModelFileError, match=sentence):
        load_hugging_face(tmp_path)


def test_what_they_do_not_have_is_kept_as_ours(tmp_path: Path) -> None:
    """Scores that are divided, or states that are before a head of its own."""
    tokenizer = t5_unigram()
    for of_backbone, of_head in (
        ({"scale_scores": True}, {}),
        ({"positions": "sinusoidal", "num_buckets": None, "max_distance": None}, {}),
        ({}, {"scale_states": True, "tied": False}),
        ({}, {"bias": True}),
    ):
        shape = {k: v for k, v in {**SHAPE, **of_backbone}.items() if v is not None}
        backbone = EncoderDecoder(EncoderDecoder.Config(**shape), tokenizer.vocab_size)
        objective = SpanCorruption(SpanCorruption.Config(**of_head), backbone, tokenizer)
        save_hugging_face(tmp_path, tokenizer, backbone, objective, {})
        assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "foretext"
        again = load_hugging_face(tmp_path)
        assert again.backbone.config == backbone.config
        assert again.objective.config == objective.config


def test_infilling_on_the_shape_of_t5(tmp_path: Path) -> None:
    """Its start token and its first token are in generation_config.json."""
    tokenizer = fairseq_bpe()
    torch.manual_seed(0)
    backbone = shaken(EncoderDecoder(EncoderDecoder.Config(**SHAPE), tokenizer.vocab_size))
    objective = TextInfilling(TextInfilling.Config(), backbone, tokenizer)
    save_hugging_face(tmp_path, tokenizer, backbone, objective, {})
    theirs = opened("T5ForConditionalGeneration", tmp_path)
    assert theirs.generation_config.decoder_start_token_id == tokenizer.special.end
    assert theirs.generation_config.forced_bos_token_id == tokenizer.special.cls
    assert_equal_texts(backbone, objective, theirs, tokenizer.vocab_size)
