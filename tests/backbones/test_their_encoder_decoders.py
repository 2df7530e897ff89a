"""States equal to those of T5Model, BartModel and MarianModel with the same weights.

The folders of transformers have tests of their own (tests/interop); this is the arithmetic alone.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from torch import Tensor

from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.data.batch import Inputs
from tests.lazy_import import lazy_import

transformers = lazy_import("transformers")

V, B, T, S, D = 60, 3, 11, 14, 24
SOURCE = torch.arange(S) < torch.tensor([[14], [5], [1]])  # tokens that are not padding

T5_SHAPE: dict[str, Any] = {
    "vocab_size": V,
    "d_model": D,
    "d_kv": 10,
    "d_ff": 40,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 12,
    "dropout_rate": 0.0,
}
BART_SHAPE: dict[str, Any] = {
    "vocab_size": V,
    "d_model": D,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40,
    "max_position_embeddings": 30,
    "dropout": 0.0,
    "init_std": 0.3,
    "pad_token_id": 1,
}
OURS: dict[str, Any] = {
    "num_layers": 2,
    "num_decoder_layers": 3,
    "dim": D,
    "num_heads": 4,
    "feed_forward_dim": 40,
    "max_length": 30,
    "dropout": 0.0,
}
T5_SETTINGS: dict[str, Any] = {
    **OURS,
    "positions": "relative",
    "num_buckets": 8,
    "max_distance": 12,
    "head_dim": 10,
    "scale_scores": False,
    "scale_embeddings": False,
    "norm": "rms",
    "norm_eps": 1e-6,
    "norm_position": "pre",
    "bias": False,
}
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "T5": ("T5", {**T5_SHAPE, "feed_forward_proj": "relu"}, T5_SETTINGS),
    "T5 1.1": (
        "T5",
        {**T5_SHAPE, "feed_forward_proj": "gated-gelu"},
        {**T5_SETTINGS, "activation": "geglu_tanh"},
    ),
    "BART": (
        "Bart",
        BART_SHAPE,
        {
            **OURS,
            "positions": "learned",
            "embedding_norm": True,
            "scale_embeddings": False,
            "activation": "gelu",
        },
    ),
    "Marian": (
        "Marian",
        {**BART_SHAPE, "activation_function": "swish", "scale_embedding": True},
        {**OURS, "sinusoids": "halves", "activation": "silu"},
    ),
}


def their_model(case: str) -> Any:
    torch.manual_seed(0)
    name, shape, _ = CASES[case]
    config = getattr(transformers, f"{name}Config")(**shape, attn_implementation="eager")
    model = getattr(transformers, f"{name}Model")(config).eval()
    for parameter in model.parameters():
        if parameter.requires_grad:  # biases and norms are not trivial either; sinusoids stay
            parameter.data.add_(torch.randn_like(parameter), alpha=0.05)
    return model


def our_model(case: str, theirs: Any) -> EncoderDecoder:
    backbone = EncoderDecoder(EncoderDecoder.Config(**CASES[case][2]), V).eval()
    find = t5_weight if CASES[case][0] == "T5" else bart_weight
    state = theirs.state_dict()
    for name, parameter in backbone.named_parameters():
        parameter.data.copy_(find(name, state))
    return backbone


def t5_weight(name: str, state: dict[str, Tensor]) -> Tensor:
    """Their weight of one of ours, by its name."""
    tower, part = name.split(".", 1)
    found = re.match(r"blocks\.(\d+)\.(.*)", part)
    if found is None:
        fixed = {
            "embeddings.tokens.weight": "shared.weight",
            "relative.scores.weight": (
                f"{tower}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
            ),
            "final_norm.weight": f"{tower}.final_layer_norm.weight",
        }
        return state[fixed[part]]
    prefix = f"{tower}.block.{found[1]}."
    last = f"layer.{1 if tower == 'encoder' else 2}"
    inner = [f"{last}.DenseReluDense.{x}.weight" for x in ("wi_0", "wi_1", "wi")]
    parts = {
        "attention.query_key_value.weight": [f"layer.0.SelfAttention.{x}.weight" for x in "qkv"],
        "attention.output.weight": ["layer.0.SelfAttention.o.weight"],
        "attention_norm.weight": ["layer.0.layer_norm.weight"],
        "cross.attention.query.weight": ["layer.1.EncDecAttention.q.weight"],
        "cross.attention.key_value.weight": [f"layer.1.EncDecAttention.{x}.weight" for x in "kv"],
        "cross.attention.output.weight": ["layer.1.EncDecAttention.o.weight"],
        "cross.norm.weight": ["layer.1.layer_norm.weight"],
        "feed_forward.inner.weight": [each for each in inner if prefix + each in state],
        "feed_forward.outer.weight": [f"{last}.DenseReluDense.wo.weight"],
        "feed_forward_norm.weight": [f"{last}.layer_norm.weight"],
    }
    return torch.cat([state[prefix + each] for each in parts[found[2]]])


def bart_weight(name: str, state: dict[str, Tensor]) -> Tensor:
    """Their weight of one of ours, by its name."""
    tower, part = name.split(".", 1)
    found = re.match(r"blocks\.(\d+)\.(.*)\.(weight|bias)", part)
    if found is None:
        if part == "embeddings.tokens.weight":
            return state[f"{tower}.embed_tokens.weight"]
        if part == "embeddings.positions.weight":  # the first two stand for nothing
            return state[f"{tower}.embed_positions.weight"][2:]
        return state[f"{tower}.layernorm_embedding.{part.split('.')[-1]}"]
    parts = {
        "attention.query_key_value": [f"self_attn.{x}_proj" for x in "qkv"],
        "attention.output": ["self_attn.out_proj"],
        "attention_norm": ["self_attn_layer_norm"],
        "cross.attention.query": ["encoder_attn.q_proj"],
        "cross.attention.key_value": [f"encoder_attn.{x}_proj" for x in "kv"],
        "cross.attention.output": ["encoder_attn.out_proj"],
        "cross.norm": ["encoder_attn_layer_norm"],
        "feed_forward.inner": ["fc1"],
        "feed_forward.outer": ["fc2"],
        "feed_forward_norm": ["final_layer_norm"],
    }
    prefix = f"{tower}.layers.{found[1]}."
    return torch.cat([state[f"{prefix}{each}.{found[3]}"] for each in parts[found[2]]])


def drawn(length: int, seed: int) -> Tensor:
    return torch.randint(2, V, (B, length), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("padded", [False, True])
def test_states_are_theirs(case: str, padded: bool) -> None:
    theirs = their_model(case)
    ours, source, text = our_model(case, theirs), drawn(S, 1), drawn(T, 2)
    mask = SOURCE if padded else None
    their_mask = torch.ones(B, S) if mask is None else mask.float()
    right = theirs(
        input_ids=source, attention_mask=their_mask, decoder_input_ids=text, output_attentions=True
    )
    inputs = Inputs(text, visibility="causal", source=Inputs(source, token_mask=mask))
    with torch.no_grad():
        memory, states = ours.encode(inputs.source), ours(inputs).last  # type: ignore[arg-type]
    shown = slice(None) if mask is None else mask
    torch.testing.assert_close(
        memory[shown], right.encoder_last_hidden_state[shown], atol=1e-4, rtol=1e-4
    )
    torch.testing.assert_close(states, right.last_hidden_state, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(ours(inputs).last, states, atol=1e-4, rtol=1e-4)  # for training
    maps = right.cross_attentions, right.decoder_attentions
    found = ours.cross_attention_maps(inputs), ours.attention_maps(inputs)
    for ours_, theirs_ in zip(found, maps, strict=True):
        torch.testing.assert_close(torch.stack(ours_), torch.stack(theirs_), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_theirs(case: str) -> None:
    theirs = their_model(case)
    ours, source, text = our_model(case, theirs), drawn(S, 1), drawn(T, 2)
    weights = torch.linspace(0.5, 2, D)
    states = theirs(input_ids=source, attention_mask=SOURCE.float(), decoder_input_ids=text)
    (states.last_hidden_state * weights).sum().backward()
    inputs = Inputs(text, visibility="causal", source=Inputs(source, token_mask=SOURCE))
    (ours(inputs).last * weights).sum().backward()
    gradients = {name: p.grad for name, p in theirs.named_parameters()}
    gradients["encoder.embed_tokens.weight"] = gradients["shared.weight"]
    find = t5_weight if CASES[case][0] == "T5" else bart_weight
    for name, parameter in ours.named_parameters():
        right = find(name, gradients)
        scale = right.abs().max().clamp(min=1.0)
        torch.testing.assert_close(parameter.grad / scale, right / scale, atol=1e-4, rtol=1e-3)
