"""Llama (Touvron et al. 2023) as `transformers` stores it; no grouped-query attention."""

from __future__ import annotations

from typing import Any, ClassVar

from foretext.backbones.base import Backbone
from foretext.backbones.transformer import Transformer
from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.buffers import TRANSFORMER_BUFFERS
from foretext.interop.family import PLAIN, Family, Key, Settings
from foretext.interop.rotary import read_rotary
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Row, affine, scale
from foretext.objectives.causal_lm import CausalLM

__all__ = ["Llama"]

BASE = 10_000.0  # default of rotary positions
ATTENTION = "layers.{i}.self_attn"
FEED_FORWARD = "layers.{i}.mlp"


class Llama(Family):
    """Pre-norm by root mean square, rotary positions, gated.

    Their models have attention dropout only, so our `dropout` is kept under "foretext" only.
    """

    model_type = "llama"
    backbone_class = "LlamaModel"
    frame = "gpt"
    backbone: ClassVar[type[Backbone]] = Transformer
    buffers = TRANSFORMER_BUFFERS
    objective = CausalLM

    fixed: ClassVar = {
        **PLAIN,
        "scale_embeddings": False,
        "positions": "rotary",
        "num_segments": 0,
        "norm": "rms",
        "norm_position": "pre",
        "embedding_norm": False,
        "first_norm": True,
    }
    keys: ClassVar = {
        "num_layers": Key("num_hidden_layers", 32),
        "dim": Key("hidden_size", 4096),
        "num_heads": Key("num_attention_heads", 32),
        "feed_forward_dim": Key("intermediate_size", 11008, said_by="hidden_dim"),
        "max_length": Key("max_position_embeddings", 2048),
        "norm_eps": Key("rms_norm_eps", 1e-6),
        "activation": Key("hidden_act", "silu"),
        "attention_dropout": Key("attention_dropout", 0.0),
        "init_std": Key("initializer_range", 0.02),
    }
    activations: ClassVar = {
        "silu": "swiglu",
        "gelu": "geglu",
        "gelu_pytorch_tanh": "geglu_tanh",
    }
    required: ClassVar = {"quantization_config": None}
    flags: ClassVar = {"attention_bias": False, "mlp_bias": False}
    special_ids: ClassVar = {"pad_token_id": "pad", "bos_token_id": "start", "eos_token_id": "end"}

    prefix = "model."
    backbone_rows = (
        Row("embeddings.tokens.weight", ("embed_tokens.weight",)),
        scale("blocks.{i}.attention_norm", "layers.{i}.input_layernorm"),
        *affine(
            "blocks.{i}.attention.query_key_value",
            f"{ATTENTION}.q_proj",
            f"{ATTENTION}.k_proj",
            f"{ATTENTION}.v_proj",
            bias="attention_bias",
        ),
        *affine("blocks.{i}.attention.output", f"{ATTENTION}.o_proj", bias="attention_bias"),
        scale("blocks.{i}.feed_forward_norm", "layers.{i}.post_attention_layernorm"),
        *affine(
            "blocks.{i}.feed_forward.inner",
            f"{FEED_FORWARD}.gate_proj",
            f"{FEED_FORWARD}.up_proj",
            bias="mlp_bias",
        ),
        *affine("blocks.{i}.feed_forward.outer", f"{FEED_FORWARD}.down_proj", bias="mlp_bias"),
        scale("final_norm", "norm"),
    )
    head_rows = ()
    task_heads = (
        TaskHead(
            "LlamaForSequenceClassification",
            OF_TEXTS,
            (Row("classifier.weight", ("score.weight",)),),
            pooling="last",
        ),
        TaskHead(
            "LlamaForTokenClassification",
            ("tagging",),
            affine("classifier", "score"),
            dropout="classifier_dropout",
        ),
        *similarities("LlamaModel"),
    )
    decoder = "lm_head.weight"
    head_marks = frozenset({"lm_head.weight", "LlamaForCausalLM"})
    unused = r".*rotary_emb\.inv_freq|(score|qa_outputs)\..+"
    tied = False

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return "LlamaForCausalLM"

    def further_settings(self, theirs: Settings) -> Settings:
        """Return bias and rotary base; if one of their parts has a bias, all of ours have."""
        num_heads = theirs.get("num_attention_heads", 32)
        num_key_heads = theirs.get("num_key_value_heads") or num_heads
        if num_key_heads != num_heads:
            raise ValueError(
                f"num_key_value_heads = {num_key_heads} is not supported with "
                f"{num_heads} heads: each head needs its own keys"
            )
        width = theirs.get("hidden_size", 4096) // num_heads
        if (theirs.get("head_dim") or width) != width:
            raise ValueError(f"head_dim = {theirs['head_dim']} is not supported, only {width} is")
        return {
            "bias": any(self.flag(theirs, name) for name in self.flags),
            "rotary_base": read_rotary(theirs, None, "rope_theta", BASE),
        }

    def further_keys(self, config: TransformerConfig) -> Settings:
        """Return rotary settings as `transformers` 5 writes them, and as earlier releases did."""
        base = config.rotary_base
        return {
            "num_key_value_heads": config.num_heads,
            "head_dim": config.dim // config.num_heads,
            "rope_parameters": {"rope_type": "default", "rope_theta": base},
            "rope_theta": base,
            **dict.fromkeys(("attention_bias", "mlp_bias"), config.bias),
        }

    def head_settings(self, theirs: Settings) -> Settings:
        """Return nothing: the head has no settings of its own."""
        return {}

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return nothing for a full softmax, which has no settings; they have no adaptive one."""
        return {} if head.softmax == "full" else None
