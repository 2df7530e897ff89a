"""Folders as models were published over the years: other names, several files, other numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from foretext.base.errors import ModelFileError
from foretext.data.batch import Inputs
from foretext.interop.hugging_face import load_hugging_face
from foretext.interop.loaded import Loaded
from tests.interop.conftest import LENGTH, MakeFolder, transformers
from tests.interop.test_theirs_here import CLOSE

IDS = torch.arange(5, 14)[None]
TRIANGLE = torch.ones(1, 1, LENGTH, LENGTH).tril()
FREQUENCIES = 10_000.0 ** -(torch.arange(0, 8, 2) / 8)


def weights_of(folder: Path) -> dict[str, Any]:
    return load_file(folder / "model.safetensors")


def rewrite(folder: Path, weights: dict[str, Any]) -> None:
    copies = {name: weight.clone() for name, weight in weights.items()}
    save_file(copies, folder / "model.safetensors", metadata={"format": "pt"})


def edit_config(folder: Path, **changes: Any) -> None:
    """Change settings of theirs; None takes one out."""
    path = folder / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))


def assert_states(loaded: Loaded, model: Any) -> None:
    body = getattr(model, model.base_model_prefix, model)
    with torch.inference_mode():
        ours = loaded.backbone(Inputs(IDS, visibility=visibility_of(model))).last
        torch.testing.assert_close(ours, body(input_ids=IDS).last_hidden_state, **CLOSE)


def visibility_of(model: Any) -> Any:
    return "full" if "bert" in model.config.model_type else "causal"


def test_gamma_beta_and_buffers(make_folder: MakeFolder) -> None:
    folder, model = make_folder("bert", "ForPreTraining")
    weights = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): weight
        for name, weight in weights_of(folder).items()
    }
    weights["bert.embeddings.position_ids"] = torch.arange(LENGTH).float()[None]
    weights["cls.predictions.decoder.weight"] = weights["bert.embeddings.word_embeddings.weight"]
    weights["cls.predictions.decoder.bias"] = weights["cls.predictions.bias"]
    rewrite(folder, weights)
    loaded = load_hugging_face(folder)
    assert loaded.objective.config.next_sentence
    assert loaded.objective.config.tied
    assert loaded.unused == ("bert.embeddings.position_ids",)
    assert_states(loaded, model)


def test_without_prefix(make_folder: MakeFolder) -> None:
    """As GPT-2 itself was published: names of the body, with masks among them, and a head."""
    folder, model = make_folder("gpt2", "LMHeadModel")
    weights = {
        name.removeprefix("transformer."): weight for name, weight in weights_of(folder).items()
    }
    rewrite(folder, weights | {"h.0.attn.bias": torch.ones(1, 1, LENGTH, LENGTH).tril()})
    loaded = load_hugging_face(folder)
    assert loaded.objective is not None
    assert loaded.unused == ("transformer.h.0.attn.bias",)
    assert_states(loaded, model)


@pytest.mark.parametrize("family", ["bert", "gpt2", "modernbert", "llama"])
def test_half_numbers_in_several_files(make_folder: MakeFolder, family: str) -> None:
    folder, model = make_folder(family)
    half = model.half()
    (folder / "model.safetensors").unlink()
    half.save_pretrained(folder, max_shard_size="10KB")
    assert (folder / "model.safetensors.index.json").is_file()
    loaded = load_hugging_face(folder)
    assert loaded.backbone.embedding.dtype == torch.float32
    assert_states(loaded, half.float())


def test_output_weights_that_differ_are_kept(make_folder: MakeFolder) -> None:
    """They are not tied, whatever config.json says; so it is with `transformers`."""
    folder, _ = make_folder("bert", "ForMaskedLM")
    weights = weights_of(folder)
    embedding = weights["bert.embeddings.word_embeddings.weight"]
    rewrite(folder, weights | {"cls.predictions.decoder.weight": embedding + 1})
    loaded = load_hugging_face(folder)
    assert not loaded.objective.config.tied
    assert torch.equal(loaded.objective.head.weight, embedding + 1)
    assert torch.equal(loaded.backbone.embedding, embedding)


def test_fewer_settings(make_folder: MakeFolder) -> None:
    """A config.json without model_type, and without what is as by default."""
    folder, model = make_folder("bert", type_vocab_size=2)
    edit_config(folder, model_type=None, type_vocab_size=None, layer_norm_eps=None, hidden_act=None)
    assert_states(load_hugging_face(folder), model)


def test_heads_of_tasks_are_left_out(make_folder: MakeFolder) -> None:
    folder, model = make_folder("bert", "ForSequenceClassification")
    loaded = load_hugging_face(folder)
    assert loaded.objective is None
    pooler = {"bert.pooler.dense.weight", "bert.pooler.dense.bias"}
    assert set(loaded.unused) == pooler | {"classifier.weight", "classifier.bias"}
    assert_states(loaded, model)


def test_chinese_with_a_vocabulary_alone(make_folder: MakeFolder) -> None:
    tokens = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"我爱北京天安门的猫狗"]
    folder, model = make_folder("bert", "ForMaskedLM", vocab_size=len(tokens))
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).unlink()
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    loaded = load_hugging_face(folder)
    text = "我爱北京的 猫"
    theirs = transformers.BertTokenizer.from_pretrained(folder)
    assert loaded.tokenizer.encode(text) == theirs(text, add_special_tokens=False)["input_ids"]
    assert_states_of_few(loaded, model)


def assert_states_of_few(loaded: Loaded, model: Any) -> None:
    with torch.inference_mode():
        ours = loaded.backbone(Inputs(IDS)).last
        theirs = model.bert(input_ids=IDS).last_hidden_state
    torch.testing.assert_close(ours, theirs, **CLOSE)


def test_rotations_as_they_were_said_before(make_folder: MakeFolder) -> None:
    folder, model = make_folder("llama", rope_parameters={"rope_theta": 500.0})
    edit_config(folder, rope_parameters=None, rope_theta=500.0)
    loaded = load_hugging_face(folder)
    assert loaded.backbone.config.rotary_base == 500.0
    assert_states(loaded, model)
    folder, model = make_folder("modernbert", "ForMaskedLM")
    edit_config(folder, layer_types=None, rope_parameters=None, global_attn_every_n_layers=1)
    assert load_hugging_face(folder).backbone.config.rotary_base == 160_000.0
    edit_config(folder, global_rope_theta=300.0)
    assert load_hugging_face(folder).backbone.config.rotary_base == 300.0


@pytest.mark.parametrize("settings", [{"attention_bias": True}, {"norm_bias": True}])
def test_some_biases(make_folder: MakeFolder, settings: dict[str, bool]) -> None:
    """Where they have a part of ours, the other part is zero."""
    folder, model = make_folder("modernbert", "ForMaskedLM", decoder_bias=False, **settings)
    loaded = load_hugging_face(folder)
    with torch.inference_mode():
        logits = loaded.objective.head(loaded.backbone(Inputs(IDS)).last)
        torch.testing.assert_close(logits, model(input_ids=IDS).logits, **CLOSE)


@pytest.mark.parametrize(
    ("family", "head", "name", "buffer"),
    [
        ("bert", "Model", "embeddings.position_ids", torch.arange(LENGTH)[None]),
        ("bert", "ForMaskedLM", "bert.embeddings.position_ids", torch.arange(LENGTH)[None]),
        ("bert", "ForMaskedLM", "bert.embeddings.token_type_ids", torch.zeros(1, LENGTH).long()),
        ("gpt2", "LMHeadModel", "transformer.h.1.attn.bias", TRIANGLE.byte()),
        ("gpt2", "LMHeadModel", "transformer.h.1.attn.bias", TRIANGLE.bool()),
        ("gpt2", "LMHeadModel", "transformer.h.1.attn.masked_bias", torch.tensor(-1e4)),
        ("gpt2", "LMHeadModel", "transformer.h.1.attn.masked_bias", torch.tensor(-1e9)),
        ("llama", "Model", "layers.0.self_attn.rotary_emb.inv_freq", FREQUENCIES),
        ("llama", "Model", "layers.0.self_attn.rotary_emb.inv_freq", FREQUENCIES.half()),
    ],
)
def test_what_their_programs_compute_is_left_out(
    make_folder: MakeFolder, family: str, head: str, name: str, buffer: torch.Tensor
) -> None:
    folder, model = make_folder(family, head)
    rewrite(folder, weights_of(folder) | {name: buffer})
    assert_states(load_hugging_face(folder), model)
    other = ~buffer if buffer.dtype == torch.bool else buffer + 1
    other = torch.tensor(-5.0) if "masked" in name else other
    rewrite(folder, weights_of(folder) | {name: other})
    with pytest.raises(ModelFileError, match=rf"{name}' differs from what config\.json says"):
        load_hugging_face(folder)


def test_settings_of_earlier_releases(make_folder: MakeFolder) -> None:
    """No architectures, and keys that say where and how the model was trained."""
    folder, model = make_folder("bert")
    older = {"_name_or_path": "nreimers/MiniLM-L6-H384-uncased", "gradient_checkpointing": False}
    edit_config(folder, architectures=None, torch_dtype="float32", use_cache=True, **older)
    loaded = load_hugging_face(folder)
    assert loaded.unused == ("bert.pooler.dense.bias", "bert.pooler.dense.weight")
    assert_states(loaded, model)
