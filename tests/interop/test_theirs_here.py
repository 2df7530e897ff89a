"""Models of `transformers`, opened here: equal states, logits, losses and attention maps."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from foretext.data.batch import Batch, Inputs
from foretext.interop.hugging_face import load_hugging_face
from foretext.interop.loaded import Loaded
from tests.interop.conftest import MakeFolder

CLOSE = {"atol": 1e-4, "rtol": 1e-4}
LENGTHS = (11, 7, 4)
CLASSES = {
    "bert": ("Model", "ForMaskedLM", "ForPreTraining"),
    "roberta": ("Model", "ForMaskedLM"),
    "xlm-roberta": ("Model", "ForMaskedLM"),
    "camembert": ("Model", "ForMaskedLM"),
    "albert": ("Model", "ForMaskedLM", "ForPreTraining"),
    "distilbert": ("Model", "ForMaskedLM"),
    "gpt2": ("Model", "LMHeadModel"),
    "modernbert": ("Model", "ForMaskedLM"),
    "modernbert local": ("Model", "ForMaskedLM"),
    "llama": ("Model", "ForCausalLM"),
}
HEADS = [(family, head) for family, heads in CLASSES.items() for head in heads]


def some_inputs(vocab_size: int, *, segments: bool, causal: bool) -> tuple[Inputs, dict[str, Any]]:
    """Three rows with padding, as ours and as theirs."""
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(5, vocab_size, (3, LENGTHS[0]), generator=generator)  # no padding
    mask = torch.arange(LENGTHS[0]) < torch.tensor(LENGTHS)[:, None]
    theirs = {"input_ids": ids, "attention_mask": mask.long()}
    ours = Inputs(ids, mask, visibility="causal" if causal else "full")
    if not segments:
        return ours, theirs
    kinds = (torch.arange(LENGTHS[0]) > 2).long().expand_as(ids)
    return (
        Inputs(ids, mask, segments=kinds),
        {**theirs, "token_type_ids": kinds},
    )


def body_of(model: Any) -> Any:
    return getattr(model, model.base_model_prefix, model)


def inputs_for(loaded: Loaded, family: str) -> tuple[Inputs, dict[str, Any]]:
    return some_inputs(
        loaded.backbone.vocab_size,
        segments=family in ("bert", "albert"),
        causal=family in ("gpt2", "llama"),
    )


def assert_close(ours: Tensor, theirs: Tensor, mask: Tensor | None) -> None:
    """Equal where tokens are real."""
    kept = slice(None) if mask is None else mask
    torch.testing.assert_close(ours[kept], theirs[kept], **CLOSE)


@pytest.mark.parametrize(("family", "head"), HEADS)
@torch.inference_mode()
def test_states_and_logits(make_folder: MakeFolder, family: str, head: str) -> None:
    folder, model = make_folder(family, head)
    loaded = load_hugging_face(folder)
    inputs, theirs = inputs_for(loaded, family)
    states = loaded.backbone(inputs, keep_layers=True)
    found = body_of(model)(**theirs, output_hidden_states=True)
    assert_close(states.last, found.last_hidden_state, inputs.token_mask)
    assert len(states.layers) == len(found.hidden_states) == 4
    for ours, their in zip(states.layers[:-1], found.hidden_states[:-1], strict=True):
        assert_close(ours, their, inputs.token_mask)
    objective: Any = loaded.objective
    assert loaded.visibility == inputs.visibility
    if head == "Model":
        assert objective is None
        return
    answer = model(**theirs)
    logits = answer.prediction_logits if head == "ForPreTraining" else answer.logits
    assert_close(objective.head(states.last), logits, inputs.token_mask)
    if (family, head) == ("bert", "ForPreTraining"):
        pairs = objective.next_sentence(states.last)  # class 1 is the successor, theirs is 0
        assert_close(pairs.flip(-1), answer.seq_relationship_logits, None)


@pytest.mark.parametrize("family", CLASSES)
@torch.inference_mode()
def test_attention_maps(make_folder: MakeFolder, family: str) -> None:
    folder, model = make_folder(family)
    loaded = load_hugging_face(folder)
    inputs, theirs = inputs_for(loaded, family)
    backbone: Any = loaded.backbone
    model.set_attn_implementation("eager")
    found = model(**theirs, output_attentions=True).attentions
    maps = backbone.attention_maps(inputs)
    assert len(maps) == len(found) == 3
    for ours, their in zip(maps, found, strict=True):
        for row, length in enumerate(LENGTHS):
            kept = (row, slice(None), slice(length), slice(length))
            torch.testing.assert_close(ours[kept], their[kept], **CLOSE)


def mean_losses(loaded: Loaded, batch: Batch) -> dict[str, float]:
    objective: Any = loaded.objective
    counts = objective.counts(batch)
    scores = objective.scores(loaded.backbone(batch.inputs), batch)
    return {part: float(score.loss) / counts[part] for part, score in scores.items()}


@torch.inference_mode()
def test_loss_of_pretraining(make_folder: MakeFolder) -> None:
    folder, model = make_folder("bert", "ForPreTraining")
    loaded = load_hugging_face(folder)
    inputs, theirs = inputs_for(loaded, "bert")
    asked = torch.rand(inputs.ids.shape, generator=torch.Generator().manual_seed(2)) < 0.3
    asked &= inputs.token_mask
    follows = torch.tensor([1, 0, 1])
    targets = {"original": inputs.ids.flip(1), "masked": asked, "follows": follows}
    losses = mean_losses(loaded, Batch(inputs, targets))
    labels = inputs.ids.flip(1).masked_fill(~asked, -100)
    expected = model(**theirs, labels=labels, next_sentence_label=1 - follows).loss
    assert sum(losses.values()) == pytest.approx(float(expected), abs=1e-4)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
@torch.inference_mode()
def test_loss_of_causal_models(make_folder: MakeFolder, family: str) -> None:
    folder, model = make_folder(family, CLASSES[family][-1])
    loaded = load_hugging_face(folder)
    generator = torch.Generator().manual_seed(3)
    ids = torch.randint(loaded.backbone.vocab_size, (2, 12), generator=generator)
    batch = Batch(Inputs(ids[:, :-1], visibility="causal"), {"next": ids[:, 1:]})
    expected = model(input_ids=ids, labels=ids).loss
    assert mean_losses(loaded, batch)["causal_lm"] == pytest.approx(float(expected), abs=1e-4)
