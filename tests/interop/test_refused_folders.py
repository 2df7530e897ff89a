"""Every folder that cannot be opened says in a sentence which file, what, and how to correct it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.base.errors import CorpusError, ModelFileError
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.interop.conftest import LENGTH, D, MakeFolder
from tests.interop.test_older_folders import edit_config, rewrite, weights_of
from tests.interop.test_ours_there import masked

QUERY = "bert.encoder.layer.1.attention.self.query.weight"


def assert_refused(folder: Path, file: str, sentence: str) -> None:
    with pytest.raises(ModelFileError) as error:
        load_hugging_face(folder)
    assert re.match(f"{re.escape(str(folder / file))}:? {sentence}", str(error.value))


def test_files_that_are_missing(tmp_path: Path, make_folder: MakeFolder) -> None:
    assert_refused(tmp_path / "nothing", "", "no such folder; check the path")
    assert_refused(tmp_path, "config.json", "is missing; give the folder of a model")
    folder, _ = make_folder("bert")
    (folder / "model.safetensors").rename(folder / "kept")
    assert_refused(folder, "", "contains no weights: model.safetensors is missing")
    (folder / "kept").rename(folder / "model.safetensors")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(CorpusError, match="contains no tokenizer"):
        load_hugging_face(folder)


def test_pickle(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("bert", "ForMaskedLM")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert_refused(
        folder,
        "pytorch_model.bin",
        r"is a pickle, which can run code .+ BertForMaskedLM\.from_pretrained\('.+'\)\.save_pre",
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("{", "is damaged: invalid JSON"), ("[]", "is damaged: should be an object")],
)
def test_damaged_config(make_folder: MakeFolder, content: str, sentence: str) -> None:
    folder, _ = make_folder("bert")
    (folder / "config.json").write_text(content)
    assert_refused(folder, "config.json", sentence)


@pytest.mark.parametrize("kept", [0, 5, 200, 30_000])
def test_cut_off_weights(make_folder: MakeFolder, kept: int) -> None:
    folder, _ = make_folder("bert")
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    assert_refused(folder, "model.safetensors", "is no whole safetensors file")


def without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda weights: {key: weight for key, weight in weights.items() if name not in key}


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (without(QUERY), f"weights that config.json needs are missing: {QUERY}"),
        (without("layer.1."), r"weights .+ are missing: .+, .+, .+ and 13 more"),
        (without("word_embeddings"), r"weights .+ are missing: bert.embeddings.word_embeddings"),
        (lambda w: w | {"bert.extra": torch.ones(2)}, r"contains .+ not describe: bert\.extra"),
        (
            lambda w: w | {QUERY: torch.ones(D, D + 1)},
            rf"'{QUERY}' has the shape \({D}, {D + 1}\), but config.json needs \({D}, {D}\)",
        ),
        (lambda w: w | {QUERY: w[QUERY].log()}, rf"'{QUERY}' contains infinite numbers or NaN"),
        (lambda w: w | {QUERY: torch.ones(D, D).char()}, rf"'{QUERY}' has the type int8, which"),
    ],
)
def test_weights_that_do_not_fit(
    make_folder: MakeFolder,
    change: Callable[[dict[str, Any]], dict[str, Any]],
    sentence: str,
) -> None:
    folder, _ = make_folder("bert", "ForMaskedLM")
    rewrite(folder, change(weights_of(folder)))
    assert_refused(folder, "model.safetensors", sentence)


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize(
    ("family", "settings", "sentence"),
    [
        ("bert", {"hidden_size": 1 << 20}, "describes a network that is much larger than the wei"),
        ("bert", {"num_hidden_layers": 10**6}, "describes a network that is much larger than the"),
        ("bert", {"max_position_embeddings": 2}, "a model of 2 positions has no room for a text"),
        ("bert", {"architectures": 5}, "is damaged: 'architectures' = 5 should be a valid array"),
        ("bert", {"architectures": [None]}, "is damaged: 'architectures.0' = None should be a"),
        ("bert", {"num_hidden_layers": -1}, r"\[backbone\] num_layers = -1: should be greater"),
        ("bert", {"foretext": {"facts": []}}, "\"foretext\" is damaged: 'facts' = "),
        ("bert", {"model_type": "deberta"}, "model_type = 'deberta' is none that foretext has"),
        ("bert", {"hidden_act": "silu"}, "hidden_act = 'silu' is not supported, only gelu, "),
        ("bert", {"position_embedding_type": "relative_key"}, "position_embedding_type = 'relati"),
        ("bert", {"is_decoder": True}, "is_decoder = True is not supported, only False is"),
        ("bert", {"num_attention_heads": 5}, r"\[backbone\] dim = 32 must be a multiple of num_he"),
        ("bert", {"hidden_size": "32"}, "is damaged: 'hidden_size' = '32' should be a valid int"),
        ("bert", {"vocab_size": None}, "vocab_size = None is not a number of tokens"),
        (
            "llama",
            {"rope_parameters": {"rope_theta": "32"}},
            r"\[backbone\] rotary_base = '32': should be a valid",
        ),
        (
            "llama",
            {"num_attention_heads": 0, "num_key_value_heads": 0},
            r"a setting has no possible value \(.+\)",
        ),
        ("bert", {"vocab_size": 20}, "the tokenizer has ids up to"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx ="),
        (
            "gpt2",
            {"embd_pdrop": 0.2},
            "resid_pdrop = 0.1 and embd_pdrop = 0.2 differ, and foretext",
        ),
        ("modernbert", {"layer_types": ["sliding_attention"] * 3}, "layer_types other than the"),
        ("modernbert", {"classifier_activation": "silu"}, "classifier_activation = 'silu' is not"),
        ("llama", {"num_key_value_heads": 2}, "num_key_value_heads = 2 is not supported with"),
        ("llama", {"head_dim": 16}, "head_dim = 16 is not supported, only 8 is"),
        ("llama", {"rope_scaling": {"rope_type": "linear"}}, "rotary positions of type 'linear'"),
        ("llama", {"partial_rotary_factor": 0.5}, "rotation of a part of each head is not"),
        (
            "llama",
            {"quantization_config": {"bits": 4}},
            "quantization_config = .+ is not supported",
        ),
        ("llama", {"foretext": {"backbone": {"name": "a.b:C"}}}, r"\[backbone\] is 'a.b:C', which"),
        ("llama", {"foretext": {"backbone": {"name": "transformer", "dims": 3}}}, ".+ dims: there"),
    ],
)
def test_settings_that_are_not_supported(
    make_folder: MakeFolder, family: str, settings: dict[str, Any], sentence: str
) -> None:
    head = {"modernbert": "ForMaskedLM"}.get(family, "Model")
    folder, _ = make_folder(family, head)
    config = json.loads((folder / "config.json").read_text())
    if "rope_scaling" in settings:
        config.pop("rope_parameters")
    (folder / "config.json").write_text(json.dumps(config | settings))
    if settings.get("max_position_embeddings"):
        rewrite(folder, {n: w[:2] if "position" in n else w for n, w in weights_of(folder).items()})
    if settings.get("vocab_size"):
        rewrite(
            folder, {n: w[:20] if "word_emb" in n else w for n, w in weights_of(folder).items()}
        )
    assert_refused(folder, "config.json", sentence)


def test_files_that_an_index_names(make_folder: MakeFolder) -> None:
    folder, model = make_folder("bert")
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="20KB")
    index = folder / "model.safetensors.index.json"
    shard = sorted(set(json.loads(index.read_text())["weight_map"].values()))[0]
    (folder / shard).unlink()
    assert_refused(folder, shard, "is missing, but the index beside it names it")
    index.write_text(json.dumps({"weight_map": {"a": "../elsewhere.safetensors"}}))
    assert_refused(
        folder, index.name, r"names '../elsewhere.safetensors', which lies outside its folder"
    )


def test_weights_that_we_said_were_none(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    """Trained further elsewhere, what was stored as zeros is zero no more."""
    backbone, objective = masked("bert without biases", wordpiece)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    name = "bert.encoder.layer.0.output.dense.bias"
    rewrite(tmp_path, weights_of(tmp_path) | {name: torch.ones(D)})
    assert_refused(tmp_path, "model.safetensors", f"'{name}' is not zero, but config.json says")
    edit_config(tmp_path, foretext=None)
    loaded = load_hugging_face(tmp_path)
    assert loaded.backbone.config.bias
    assert loaded.backbone.max_length == LENGTH
