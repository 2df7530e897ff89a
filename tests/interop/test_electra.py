"""ELECTRA's discriminators and generators: equal to those of `transformers`, both ways."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.base.errors import ModelFileError, SettingError
from foretext.heads.base import TaskBase
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.interop.weight_file import APART, WEIGHTS
from foretext.language_model import LanguageModel
from foretext.objectives.electra import Electra
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.model import Model
from tests.interop.conftest import LENGTH, D, MakeFolder, shaken, transformers
from tests.interop.test_ours_there import assert_same_again, opened
from tests.interop.test_tasks_there import (
    FOUND,
    MODELS,
    PAIRS,
    TEXTS,
    auto_of,
    our_logits,
    their_logits,
)
from tests.interop.test_theirs_here import assert_close, some_inputs

SHAPE = {"num_layers": 2, "dim": D, "num_heads": 4, "max_length": LENGTH}
GELU = {"pooler_activation": "gelu"}
SHAPES: dict[str, dict[str, Any]] = {
    "equal": GELU,
    "narrow": {**GELU, "embedding_dim": 12},
    "wide": {**GELU, "embedding_dim": 48, "bias": False, "num_segments": 0},
}
MODERN = {
    "positions": "rotary",
    "num_segments": 0,
    "norm_position": "pre",
    "norm_eps": 1e-5,
    "first_norm": False,
    "activation": "geglu",
}


def electra(
    tokenizer: SubwordTokenizer, shape: dict[str, Any], **settings: Any
) -> tuple[Transformer, Electra]:
    torch.manual_seed(0)
    config = Transformer.Config.checked({**SHAPE, **shape}, "backbone")
    backbone = Transformer(config, tokenizer.vocab_size)
    objective = Electra(Electra.Config.checked(settings, "objective"), backbone, tokenizer)
    shaken(Model(backbone, objective) if objective.generator else backbone)
    return backbone, objective.eval()


@pytest.mark.parametrize("size", [D, 12, 48])
@pytest.mark.parametrize("head", ["Model", "ForPreTraining", "ForMaskedLM"])
@torch.inference_mode()
def test_theirs_here(make_folder: MakeFolder, head: str, size: int) -> None:
    folder, model = make_folder("electra", head, embedding_size=size)
    loaded = load_hugging_face(folder)
    assert loaded.unused == ()
    inputs, theirs = some_inputs(loaded.backbone.vocab_size, segments=True, causal=False)
    found = getattr(model, "electra", model)(**theirs, output_hidden_states=True)
    states = loaded.backbone(inputs, keep_layers=True)
    assert_close(states.last, found.last_hidden_state, inputs.token_mask)
    assert_close(states.layers[0], found.hidden_states[0], inputs.token_mask)
    objective: Any = loaded.objective
    if head == "Model":
        assert objective is None
        return
    ours = objective.head if head == "ForMaskedLM" else objective.replaced
    assert_close(ours(states.last), model(**theirs).logits, inputs.token_mask)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_discriminator_there(wordpiece: SubwordTokenizer, tmp_path: Path, shape: str) -> None:
    backbone, objective = electra(wordpiece, SHAPES[shape])
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    model = opened("AutoModelForPreTraining", tmp_path)
    assert type(model).__name__ == "ElectraForPreTraining"
    segments = backbone.config.num_segments > 1
    inputs, theirs = some_inputs(backbone.vocab_size, segments=segments, causal=False)
    with torch.inference_mode():
        logits = objective.replaced(backbone(inputs).last)
        assert_close(logits, model(**theirs).logits, inputs.token_mask)
    assert_same_again(tmp_path, backbone, objective)


@pytest.mark.parametrize(("shape", "tied"), [("equal", True), ("equal", False), ("narrow", True)])
def test_a_generator_there(
    wordpiece: SubwordTokenizer, tmp_path: Path, shape: str, tied: bool
) -> None:
    config = Transformer.Config.checked({**SHAPE, **SHAPES[shape]}, "backbone")
    backbone = shaken(Transformer(config, wordpiece.vocab_size))
    objective = MaskedLM(MaskedLM.Config(tied=tied), backbone, wordpiece).eval()
    shaken(objective.head)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    model = opened("AutoModelForMaskedLM", tmp_path)
    assert type(model).__name__ == "ElectraForMaskedLM"
    inputs, theirs = some_inputs(backbone.vocab_size, segments=True, causal=False)
    with torch.inference_mode():
        logits = objective.head(backbone(inputs).last)
        assert_close(logits, model(**theirs).logits, inputs.token_mask)
    assert_same_again(tmp_path, backbone, objective)


def test_the_generator_stands_in_a_file_of_its_own(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    backbone, objective = electra(wordpiece, GELU)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    (tmp_path / APART).unlink()  # as where only their files were copied
    loaded = load_hugging_face(tmp_path)
    alone: Any = loaded.objective
    assert alone.generator is None
    assert torch.equal(alone.replaced.output.weight, objective.replaced.output.weight)
    with pytest.raises(SettingError, match="without a generator"):
        Model(loaded.backbone, alone)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    save_hugging_face(tmp_path, wordpiece, loaded.backbone, alone, {})
    assert not (tmp_path / APART).exists()  # the other generator is gone
    assert_same_again(tmp_path, loaded.backbone, alone)


def test_another_shape_is_opened_there_as_what_it_is(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    backbone, objective = electra(wordpiece, MODERN)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    model = opened("AutoModel", tmp_path)
    assert type(model).__name__ == "ModernBertModel"
    inputs, theirs = some_inputs(backbone.vocab_size, segments=False, causal=False)
    with torch.inference_mode():
        states = backbone(inputs).last
        assert_close(states, model(**theirs).last_hidden_state, inputs.token_mask)
    assert_same_again(tmp_path, backbone, objective)


def test_a_shape_that_nobody_has_is_ours_alone(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    backbone, objective = electra(wordpiece, {"norm": "rms"})
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    config = json.loads((tmp_path / "config.json").read_text())
    assert (config["model_type"], (tmp_path / APART).exists()) == ("foretext", False)
    assert_same_again(tmp_path, backbone, objective)


def test_a_file_of_other_weights_is_refused(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    backbone, objective = electra(wordpiece, GELU)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    (tmp_path / APART).write_bytes((tmp_path / WEIGHTS).read_bytes())
    with pytest.raises(ModelFileError, match="which is no weight of an objective"):
        load_hugging_face(tmp_path)


def test_a_smaller_generator_is_refused(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    for name, rate in (("one", 0.25), ("other", 0.5)):
        backbone, objective = electra(wordpiece, GELU, generator_rate=rate)
        save_hugging_face(tmp_path / name, wordpiece, backbone, objective, {})
    (tmp_path / "one" / APART).write_bytes((tmp_path / "other" / APART).read_bytes())
    with pytest.raises(ModelFileError, match="has the shape"):
        load_hugging_face(tmp_path / "one")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("position_embedding_type", "relative_key"), ("is_decoder", True), ("hidden_act", "silu")],
)
def test_other_settings_are_refused_by_name(
    make_folder: MakeFolder, setting: str, value: object
) -> None:
    folder, _ = make_folder("electra", "ForPreTraining")
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), setting: value}))
    with pytest.raises(ModelFileError, match=setting):
        load_hugging_face(folder)


def test_a_folder_of_theirs_embeds_and_fills_by_its_part(make_folder: MakeFolder) -> None:
    folder, _ = make_folder("electra", "ForPreTraining")
    discriminator = LanguageModel.load(folder)
    assert discriminator.embed(["a text"]).shape == (1, D)
    with pytest.raises(SettingError, match="fill needs"):
        discriminator.fill("a [MASK]")
    generator, _ = make_folder("electra", "ForMaskedLM")
    assert LanguageModel.load(generator).fill("a [MASK]")


@pytest.mark.parametrize(
    ("task", "found", "their_class"),
    [
        ("classification", "labels", "ElectraForSequenceClassification"),
        ("matching", "score", "ElectraForSequenceClassification"),
        ("tagging", "tags", "ElectraForTokenClassification"),
        ("span_qa", "spans", "ElectraForQuestionAnswering"),
    ],
)
def test_tasks_there(
    wordpiece: SubwordTokenizer, tmp_path: Path, task: str, found: str, their_class: str
) -> None:
    backbone, _ = electra(wordpiece, SHAPES["narrow"])
    settings: dict[str, Any] = {"pooling": "cls"} if "Sequence" in their_class else {}
    if task in ("matching", "span_qa"):
        settings["shared_tokens"] = False
    kind = MODELS[task]
    base = TaskBase(wordpiece, backbone, "full")
    made = kind.task.head(kind.task.head_config(**settings), base, **FOUND[found])
    model = kind(base, shaken(made), device="cpu", precision="fp32")
    model.save(tmp_path)
    theirs = opened(auto_of(their_class), tmp_path)
    assert type(theirs).__name__ == their_class
    texts = list(zip(*PAIRS, strict=True)) if task in ("matching", "span_qa") else [TEXTS]
    tokenize = transformers.AutoTokenizer.from_pretrained(tmp_path)
    encoded = tokenize(*map(list, texts), padding=True, return_tensors="pt")
    kept = encoded["attention_mask"].bool() if task in ("tagging", "span_qa") else None
    assert_close(our_logits(model, encoded), their_logits(theirs, encoded), kept)
