"""DeBERTa's folders, both ways: equal states, heads of tasks, and what older folders contain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from foretext.backbones.deberta import Deberta, DebertaConfig
from foretext.base.errors import ModelFileError
from foretext.data.batch import Inputs
from foretext.heads.base import TaskBase
from foretext.interop.deberta import DebertaV2
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.interop.transfer import Heads
from foretext.objectives.masked_lm import MaskedLM
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.interop.conftest import LENGTH, MakeFolder, shaken, transformers
from tests.interop.test_ours_there import opened
from tests.interop.test_tasks_there import FOUND, LABELS, class_of, their_logits
from tests.interop.test_theirs_here import CLOSE, LENGTHS

VARIANTS: dict[str, dict[str, Any]] = {
    "v3": {},
    "v2 with a convolution": {"conv_kernel_size": 3, "conv_act": "gelu"},
    "narrow embeddings, tanh": {"embedding_size": 16, "conv_kernel_size": 5},
    "maps of its own": {"share_att_key": False, "pos_att_type": ["c2p", "p2c"]},
    "positions and segments": {"position_biased_input": True, "type_vocab_size": 2},
    "no buckets": {"position_buckets": -1, "norm_rel_ebd": "none", "max_relative_positions": 6},
}
OURS: dict[str, dict[str, Any]] = {
    "v3": {},
    "convolution": {"convolution_width": 3, "convolution_activation": "gelu", "embedding_dim": 16},
    "maps of its own": {"shared_maps": False, "num_segments": 2, "absolute_positions": True},
    "no buckets": {"num_buckets": None, "max_distance": 7, "distance_norm": False},
}
TASKS: list[tuple[str, Any, str, str]] = [
    ("DebertaV2ForSequenceClassification", TextClassifier, "labels", "classification"),
    ("DebertaV2ForSequenceClassification", TextClassifier, "label sets", "classification"),
    ("DebertaV2ForSequenceClassification", TextMatcher, "score", "matching"),
    ("DebertaV2ForTokenClassification", Tagger, "tags", "tagging"),
    ("DebertaV2ForQuestionAnswering", SpanReader, "spans", "span_qa"),
]


def rows_of(vocab_size: int, num_segments: int = 0, length: int = 31) -> tuple[Inputs, Any]:
    """Three rows with padding, long enough for buckets that distances share."""
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(5, vocab_size, (3, length), generator=generator)
    mask = torch.arange(length) < torch.tensor([length, *LENGTHS[1:]])[:, None]
    theirs = {"input_ids": ids, "attention_mask": mask.long()}
    if not num_segments:
        return Inputs(ids, mask), theirs
    kinds = (torch.arange(length) > 2).long().expand_as(ids)
    return Inputs(ids, mask, segments=kinds), {**theirs, "token_type_ids": kinds}


def backbone_of(name: str, tokenizer: SubwordTokenizer) -> Deberta:
    torch.manual_seed(0)
    shape = {
        "num_layers": 2,
        "dim": 32,
        "num_heads": 4,
        "max_length": LENGTH,
        "num_buckets": 8,
        "feed_forward_dim": 40,
    }
    return shaken(Deberta(DebertaConfig(**{**shape, **OURS[name]}), tokenizer.vocab_size))


def edit_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({k: v for k, v in config.items() if v != "absent"}))


def rename(folder: Path, names: dict[str, str], **more: torch.Tensor) -> None:
    """Rename weights of a folder by their beginnings, and add some."""
    path = folder / "model.safetensors"
    weights = load_file(path)
    for old, new in names.items():
        weights = {k.replace(old, new) if k.startswith(old) else k: w for k, w in weights.items()}
    save_file(weights | more, path, {"format": "pt"})


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("head", ["Model", "ForMaskedLM"])
@torch.inference_mode()
def test_states_and_logits_of_their_models(
    variant: str, head: str, make_folder: MakeFolder
) -> None:
    folder, model = make_folder("deberta", head, **VARIANTS[variant])
    loaded = load_hugging_face(folder)
    inputs, theirs = rows_of(loaded.backbone.vocab_size, loaded.backbone.num_segments)
    real = inputs.token_mask
    assert real is not None
    states = loaded.backbone(inputs, keep_layers=True)
    found = model(**theirs, output_hidden_states=True)
    for ours, their in zip(states.layers, found.hidden_states, strict=True):
        torch.testing.assert_close(ours[real], their[real], **CLOSE)
    if head == "ForMaskedLM":
        objective: Any = loaded.objective
        logits = objective.head(states.last)
        torch.testing.assert_close(logits[real], found.logits[real], **CLOSE)
    else:
        assert loaded.objective is None
    first = loaded.backbone(Inputs(inputs.ids, real, segments=inputs.segments, needed="first"))
    torch.testing.assert_close(first.last[:, 0], states.last[:, 0], atol=1e-5, rtol=1e-5)


@torch.inference_mode()
def test_attention_maps(make_folder: MakeFolder) -> None:
    folder, model = make_folder("deberta", conv_kernel_size=3)
    loaded = load_hugging_face(folder)
    inputs, theirs = rows_of(loaded.backbone.vocab_size)
    found = model(**theirs, output_attentions=True).attentions
    for ours, their in zip(loaded.backbone.attention_maps(inputs), found, strict=True):
        for row, length in enumerate((31, *LENGTHS[1:])):
            kept = (row, slice(None), slice(length), slice(length))
            torch.testing.assert_close(ours[kept], their[kept], **CLOSE)


@pytest.mark.parametrize("name", OURS)
@torch.inference_mode()
def test_our_models_there(name: str, wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    backbone = backbone_of(name, wordpiece).eval()
    objective = MaskedLM(MaskedLM.Config(norm_eps=1e-7), backbone, wordpiece).eval()
    shaken(objective.head)
    save_hugging_face(tmp_path, wordpiece, backbone, objective, {})
    assert class_of(tmp_path) == "DebertaV2ForMaskedLM"
    model = opened("AutoModelForMaskedLM", tmp_path)
    inputs, theirs = rows_of(backbone.vocab_size, backbone.num_segments)
    logits = objective.head(backbone(inputs).last)[inputs.token_mask]
    torch.testing.assert_close(logits, model(**theirs).logits[inputs.token_mask], **CLOSE)
    again = load_hugging_face(tmp_path)
    assert again.backbone.config == backbone.config
    torch.testing.assert_close(again.backbone(inputs).last, backbone(inputs).last)
    edit_config(tmp_path, foretext="absent")  # as if they had written it
    same: Any = load_hugging_face(tmp_path).objective
    assert same.config.model_dump() == objective.config.model_dump()


@pytest.mark.parametrize(("their_class", "kind", "found", "task"), TASKS)
def test_tasks_both_ways(
    their_class: str, kind: Any, found: str, task: str, wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    base = TaskBase(wordpiece, backbone_of("v3", wordpiece), "full")
    settings = {"shared_tokens": False} if task in ("matching", "span_qa") else {}
    settings |= {"mode": "pair"} if task == "matching" else {}
    settings |= {"pooling": "cls"} if task in ("classification", "matching") else {}
    made = kind.task.head(kind.task.head_config(**settings), base, **FOUND[found])
    model = kind(base, shaken(made), device="cpu", precision="fp32")
    model.save(tmp_path)
    assert class_of(tmp_path) == their_class
    theirs = opened("AutoModelFor" + their_class.partition("For")[2], tmp_path)
    inputs, encoded = rows_of(wordpiece.vocab_size)
    expected = their_logits(theirs, encoded)
    edit_config(tmp_path, foretext="absent")
    for each in (model, kind.load(tmp_path, device="cpu", precision="fp32")):
        with torch.inference_mode():
            logits = each.head.outputs(each.base.backbone(inputs), inputs)
        kept = inputs.token_mask if task in ("tagging", "span_qa") else slice(None)
        torch.testing.assert_close(logits[kept], expected[kept], **CLOSE)


def test_their_classifier_keeps_labels_and_dropout(make_folder: MakeFolder) -> None:
    settings = {"id2label": dict(enumerate(LABELS)), "cls_dropout": 0.3}
    folder, _ = make_folder("deberta", "ForSequenceClassification", **settings)
    model = TextClassifier.load(folder, device="cpu", precision="fp32")
    assert list(model.classes_) == LABELS
    assert model.head.config.dropout == 0.3
    edit_config(folder, pooler_hidden_act="tanh")
    with pytest.raises(ModelFileError, match="pooler_hidden_act = 'tanh' is not supported"):
        TextClassifier.load(folder)


@torch.inference_mode()
def test_the_authors_own_head(make_folder: MakeFolder) -> None:
    """Folders of the second release, and those that are written with `legacy: false`."""
    folder, model = make_folder("deberta", "ForMaskedLM", legacy=False)
    inputs, theirs = rows_of(model.config.vocab_size)
    expected = model(**theirs).logits[inputs.token_mask]
    for legacy in (False, "absent"):
        edit_config(folder, legacy=legacy)
        loaded = load_hugging_face(folder)
        objective: Any = loaded.objective
        logits = objective.head(loaded.backbone(inputs).last)[inputs.token_mask]
        torch.testing.assert_close(logits, expected, **CLOSE)


def test_a_discriminator_is_a_backbone_without_a_head(make_folder: MakeFolder) -> None:
    """The folders of DeBERTaV3: an untrained head, old tensors, numbers of half precision."""
    folder, model = make_folder("deberta", "ForMaskedLM", legacy=False)
    rename(
        folder,
        {},
        **{
            "mask_predictions.dense.weight": torch.zeros(32, 32),
            "mask_predictions.classifier.bias": torch.zeros(1),
            "deberta.embeddings.position_ids": torch.arange(LENGTH)[None],
            "deberta.embeddings.position_embeddings.weight": torch.zeros(LENGTH, 32),
        },
    )
    path = folder / "model.safetensors"
    halved = {k: w.half() if w.is_floating_point() else w for k, w in load_file(path).items()}
    save_file(halved, path, {"format": "pt"})
    edit_config(folder, legacy="absent", architectures="absent")
    loaded = load_hugging_face(folder)
    assert loaded.objective is None
    inputs, theirs = rows_of(model.config.vocab_size)
    with torch.inference_mode():
        states = loaded.backbone(inputs).last[inputs.token_mask]
        expected = model.deberta(**theirs).last_hidden_state[inputs.token_mask]
    torch.testing.assert_close(states, expected, atol=2e-2, rtol=2e-2)


def test_names_without_prefix_and_of_the_first_libraries(make_folder: MakeFolder) -> None:
    folder, model = make_folder("deberta")
    path = folder / "model.safetensors"
    names = (("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta"))
    weights = load_file(path)
    for old, new in names:
        weights = {k.replace(old, new): w for k, w in weights.items()}
    assert "encoder.LayerNorm.gamma" in weights
    save_file(weights, path, {"format": "pt"})
    inputs, theirs = rows_of(model.config.vocab_size)
    with torch.inference_mode():
        states = load_hugging_face(folder).backbone(inputs).last[inputs.token_mask]
        expected = model(**theirs).last_hidden_state[inputs.token_mask]
    torch.testing.assert_close(states, expected, **CLOSE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "deberta"}, "model_type = 'deberta' is none that foretext has"),
        ({"relative_attention": False}, "relative_attention = false is not supported"),
        ({"relative_attention": "absent"}, "relative_attention = false is not supported"),
        ({"pos_att_type": "c2p"}, "pos_att_type = 'c2p' is not supported"),
        ({"pos_att_type": None}, "pos_att_type = None is not supported"),
        ({"pos_att_type": 3}, "pos_att_type"),
        ({"norm_rel_ebd": 3}, "norm_rel_ebd"),
        ({"conv_kernel_size": 3, "conv_groups": 2}, "conv_groups = 2 is not supported"),
        ({"conv_kernel_size": 2}, "convolution_width = 2 must be odd"),
        ({"conv_kernel_size": 3, "conv_act": "relu"}, "convolution_activation"),
        ({"attention_head_size": 4}, "attention_head_size = 4 is not supported"),
        ({"num_attention_heads": 0}, "a setting has no possible value"),
        ({"position_buckets": "8"}, "a setting has no possible value"),
        ({"position_buckets": 1 << 40}, "a network that is much larger than the weights"),
        ({"max_relative_positions": 4}, "max_distance = 4 is too small for num_buckets = 8"),
        ({"hidden_act": "silu"}, "hidden_act = 'silu' is not supported"),
        ({"share_att_key": False}, "weights that config.json needs are missing"),
        ({"embedding_size": 16}, "weights that config.json needs are missing"),
    ],
    ids=lambda value: next(iter(value.items()), "")[0] if isinstance(value, dict) else None,
)
def test_what_is_refused(change: dict[str, Any], message: str, make_folder: MakeFolder) -> None:
    folder, _ = make_folder("deberta")
    edit_config(folder, **change)
    with pytest.raises(ModelFileError, match=message):
        load_hugging_face(folder)


@pytest.mark.parametrize("name", OURS)
def test_settings_come_back(name: str, wordpiece: SubwordTokenizer) -> None:
    family, config = DebertaV2(), backbone_of(name, wordpiece).config
    theirs = family.theirs(config, None)
    assert theirs is not None
    assert DebertaConfig(**family.ours(theirs)) == config
    rows = list(family.rows(config, "there.", Heads(head=True, pair_head=True, tied=False)))
    names = [part for row in rows for part in row.theirs]
    assert len(set(names)) == len(names)
    assert transformers.DebertaV2Config(**theirs).position_buckets == (config.num_buckets or -1)
