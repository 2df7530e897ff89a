"""Folders of RoBERTa, ALBERT and DistilBERT as people download them, of all ages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import ModelFileError
from foretext.data.batch import Inputs
from foretext.heads.base import TaskBase
from foretext.interop.hugging_face import load_hugging_face
from foretext.interop.task_folder import load_task
from foretext.language_model import LanguageModel
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.model import head_class
from foretext.tasks.tagging.network import Tagger
from tests.interop.conftest import LENGTH, MakeFolder, transformers
from tests.interop.test_older_folders import edit_config, rewrite, weights_of
from tests.interop.test_theirs_here import CLOSE

Weights = dict[str, torch.Tensor]
MASKED = ["bert", "roberta", "albert", "distilbert"]
DECODERS = {
    "bert": "cls.predictions.decoder",
    "roberta": "lm_head.decoder",
    "albert": "predictions.decoder",
    "distilbert": "vocab_projector",
}
POSITIONS = {"roberta": LENGTH + 2}
BIASES = {
    "bert": "cls.predictions.bias",
    "roberta": "lm_head.bias",
    "albert": "predictions.bias",
}
IDS = torch.arange(5, 14)[None]
TEXTS = ["the dog barks in the morning .", "every cat"]


def renamed(weights: Weights, *pairs: tuple[str, str]) -> Weights:
    for old, new in pairs:
        weights = {name.replace(old, new): weight for name, weight in weights.items()}
    return weights


def with_old_norms(weights: Weights, family: str) -> Weights:
    return renamed(
        weights, ("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta")
    )


def without_prefix(weights: Weights, family: str) -> Weights:
    return {name.removeprefix(f"{family}."): weight for name, weight in weights.items()}


def tied_twice(weights: Weights, family: str) -> Weights:
    """The output weights and their bias are stored a second time."""
    more = {f"{DECODERS[family]}.weight": weights[f"{family}.embeddings.word_embeddings.weight"]}
    if family in BIASES:
        more[f"{DECODERS[family]}.bias"] = weights[BIASES[family]]
    return weights | more


def with_buffers(weights: Weights, family: str) -> Weights:
    length = POSITIONS.get(family, LENGTH)
    return weights | {f"{family}.embeddings.position_ids": torch.arange(length)[None]}


def with_other_heads(weights: Weights, family: str) -> Weights:
    return weights | {"classifier.weight": torch.ones(2, 32), "qa_outputs.bias": torch.ones(2)}


AGES: list[Callable[[Weights, str], Weights]] = [
    with_old_norms,
    without_prefix,
    tied_twice,
    with_buffers,
    with_other_heads,
]


def assert_logits(folder: Path, model: Any, **close: float) -> None:
    loaded = load_hugging_face(folder)
    with torch.inference_mode():
        ours = loaded.objective.head(loaded.backbone(Inputs(IDS)).last)
        torch.testing.assert_close(ours, model(input_ids=IDS).logits, **(close or CLOSE))


@pytest.mark.quick_cases(10)
@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("family", MASKED)
def test_names_of_all_ages(make_folder: MakeFolder, family: str, age: Any) -> None:
    folder, model = make_folder(family, "ForMaskedLM")
    rewrite(folder, age(weights_of(folder), family))
    assert_logits(folder, model)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("family", MASKED)
def test_weights_of_16_bits(make_folder: MakeFolder, family: str, dtype: torch.dtype) -> None:
    folder, model = make_folder(family, "ForMaskedLM")
    model.to(dtype).save_pretrained(folder)
    edit_config(folder, dtype=None, torch_dtype=str(dtype).removeprefix("torch."))
    assert_logits(folder, model.float())


@pytest.mark.parametrize("family", MASKED)
def test_settings_that_say_little(make_folder: MakeFolder, family: str) -> None:
    """No model_type: the class tells; no class: the type does; neither: a sentence."""
    folder, model = make_folder(family, "ForMaskedLM")
    kept = json.loads((folder / "config.json").read_text())
    edit_config(folder, model_type=None)
    assert_logits(folder, model)
    (folder / "config.json").write_text(json.dumps(kept | {"architectures": None}))
    assert_logits(folder, model)
    edit_config(folder, model_type=None, architectures=None)
    with pytest.raises(ModelFileError, match="neither model_type nor architectures; add"):
        load_hugging_face(folder)


@pytest.mark.parametrize("family", MASKED)
def test_a_classifier_beside_the_head_of_pretraining(
    make_folder: MakeFolder, family: str, tmp_path: Path
) -> None:
    folder, _ = make_folder(family, "ForMaskedLM")
    of_head = {n: w for n, w in weights_of(folder).items() if not n.startswith(f"{family}.")}
    folder, model = make_folder(family, "ForSequenceClassification")
    rewrite(folder, weights_of(folder) | of_head)
    assert set(load_task(folder, head_class).unused) == set(of_head)
    rewrite(folder, without_prefix(weights_of(folder), family))
    found: Any = TextClassifier.load(folder, device="cpu", precision="fp32")
    inputs = Inputs(IDS, torch.ones_like(IDS, dtype=torch.bool))
    with torch.inference_mode():
        ours = found.head.outputs(found.base.backbone(inputs), inputs)
        torch.testing.assert_close(ours, model(input_ids=IDS).logits, **CLOSE)


def test_positions_behind_padding(make_folder: MakeFolder) -> None:
    """514 positions are 512 of a row; the longest row is read, and a longer one is cut."""
    folder, model = make_folder("roberta")
    loaded = load_hugging_face(folder)
    assert loaded.backbone.max_length == LENGTH
    ids = torch.randint(5, 100, (1, LENGTH), generator=torch.Generator().manual_seed(4))
    with torch.inference_mode():
        ours = loaded.backbone(Inputs(ids)).last
        torch.testing.assert_close(ours, model(input_ids=ids).last_hidden_state, **CLOSE)
    vectors = LanguageModel.load(folder, device="cpu").embed(["the dog barks " * LENGTH])
    assert np.isfinite(vectors).all()


@pytest.mark.parametrize("pad", [0, 1, 3])
def test_positions_follow_the_id_of_padding(make_folder: MakeFolder, pad: int) -> None:
    folder, model = make_folder("roberta", pad_token_id=pad)
    loaded = load_hugging_face(folder)
    assert loaded.backbone.max_length == LENGTH + 1 - pad
    with torch.inference_mode():
        ours = loaded.backbone(Inputs(IDS)).last
        torch.testing.assert_close(ours, model(input_ids=IDS).last_hidden_state, **CLOSE)


@pytest.mark.parametrize(
    ("family", "settings", "sentence"),
    [
        ("roberta", {"type_vocab_size": 2}, "type_vocab_size = 2 is not supported, only 1 is"),
        ("roberta", {"pad_token_id": "1"}, "pad_token_id = '1' is no id, and positions begin"),
        ("roberta", {"pad_token_id": -1}, "pad_token_id = -1 is no id, and positions begin"),
        ("roberta", {"max_position_embeddings": 3}, r"\[backbone\] max_length = 1: should be"),
        ("roberta", {"is_decoder": True}, "is_decoder = True is not supported, only False is"),
        ("albert", {"num_hidden_groups": 3}, "num_hidden_groups = 3 is not supported, only 1 is"),
        ("albert", {"inner_group_num": 2}, "inner_group_num = 2 is not supported, only 1 is"),
        ("albert", {"embedding_size": 0}, r"\[backbone\] embedding_dim = 0: should be"),
        ("albert", {"embedding_size": "null"}, r"embedding_size = null is no width"),
        ("albert", {"num_hidden_layers": "3"}, "'num_hidden_layers' = '3' should be a valid int"),
        ("distilbert", {"n_layers": "3"}, r"num_layers = '3'|'n_layers' = '3'"),
        ("distilbert", {"activation": "silu"}, "activation = 'silu' is not supported, only gelu"),
        ("distilbert", {"quantization_config": {"bits": 4}}, "quantization_config = .+ is not su"),
    ],
)
def test_settings_that_are_refused(
    make_folder: MakeFolder, family: str, settings: dict[str, Any], sentence: str
) -> None:
    folder, _ = make_folder(family)
    config = json.loads((folder / "config.json").read_text())
    settings = {name: None if value == "null" else value for name, value in settings.items()}
    (folder / "config.json").write_text(json.dumps(config | settings))
    with pytest.raises(ModelFileError, match=sentence):
        load_hugging_face(folder)


def test_sinusoids_that_are_stored(make_folder: MakeFolder) -> None:
    folder, model = make_folder("distilbert", "ForMaskedLM", sinusoidal_pos_embds=True)
    assert_logits(folder, model)


@pytest.mark.parametrize(("family", "head"), [("roberta", "ForMaskedLM"), ("gpt2", "LMHeadModel")])
def test_more_rows_than_tokens(make_folder: MakeFolder, family: str, head: str) -> None:
    """Vocabularies are padded to a round size; no answer is one of the rows behind the tokens."""
    folder, model = make_folder(family, head)
    num_tokens = load_hugging_face(folder).tokenizer.vocab_size
    model.resize_token_embeddings(num_tokens + 9, mean_resizing=False)
    with torch.no_grad():  # the likeliest by far, if they were asked for
        model.get_output_embeddings().bias = None
        model.get_input_embeddings().weight[num_tokens:] *= 50
    model.save_pretrained(folder)
    found = ft.load(folder)
    if family == "roberta":
        (answers,) = found.fill("the [MASK] barks", topn=30)
        assert all(answer.token in found.tokenizer.tokens for answer in answers)
    else:
        for temperature in (0.0, 1.0):
            (answer,) = found.generate("the dog", 8, temperature=temperature)
            assert answer.text


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("family", ["roberta", "albert", "distilbert"])
@pytest.mark.parametrize("kind", [TextClassifier, Tagger])
def test_a_base_of_tasks(make_folder: MakeFolder, family: str, kind: Any, tmp_path: Path) -> None:
    """It learns a task, which is saved, opened again and exported as one of the same family."""
    folder, _ = make_folder(family, "ForMaskedLM")
    loaded = LanguageModel.load(folder, device="cpu", precision="fp32")
    assert loaded.embed(TEXTS).shape == (2, loaded.backbone.dim)
    assert len(loaded.fill("the [MASK] barks", topn=3)[0]) == 3
    base: TaskBase = loaded.as_base()
    is_tagger = kind is Tagger
    found = {"labels": ["O", "B-ANIMAL"] if is_tagger else ["calm", "loud"]}
    config = kind.task.head_config(**({} if is_tagger else {"pooling": "cls"}))
    model = kind(base, kind.task.head(config, base, **found), device="cpu", precision="fp32")
    model.save(tmp_path / "task")
    written = json.loads((tmp_path / "task" / "config.json").read_text())
    assert written["model_type"] == family
    again = kind.load(tmp_path / "task", device="cpu", precision="fp32")
    for ours, same in zip(model.predict_proba(TEXTS), again.predict_proba(TEXTS), strict=True):
        np.testing.assert_allclose(ours, same, atol=1e-6)
    auto = transformers.AutoModelForTokenClassification
    theirs = (
        auto if is_tagger else transformers.AutoModelForSequenceClassification
    ).from_pretrained(tmp_path / "task")
    tokenize = transformers.AutoTokenizer.from_pretrained(tmp_path / "task")
    with torch.inference_mode():
        logits = theirs.eval()(**tokenize(TEXTS[1], return_tensors="pt")).logits
    if not is_tagger:
        expected = logits.softmax(-1).numpy()
        np.testing.assert_allclose(again.predict_proba(TEXTS[1:]), expected, atol=1e-5)
