"""ModernBERT (Warner et al. 2024) as `transformers` stores it."""

from __future__ import annotations

from typing import Any, ClassVar

from foretext.backbones.base import Backbone
from foretext.backbones.transformer import Transformer
from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.buffers import TRANSFORMER_BUFFERS
from foretext.interop.family import PLAIN, Family, Key, Settings
from foretext.interop.rotary import read_rotary
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Row, affine
from foretext.nn.pooling import Pooling
from foretext.objectives.masked_lm import MaskedLM

__all__ = ["ModernBert"]

BASE, LOCAL_BASE = 160_000.0, 10_000.0  # defaults of rotary positions
POOLINGS: tuple[Pooling, ...] = ("cls", "mean")  # the first where config.json does not say
HEAD_ACTIVATIONS = {"gelu": "gelu", "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu"}
THEIR_ACTIVATIONS = {ours: theirs for theirs, ours in HEAD_ACTIVATIONS.items()}


def _transform(ours: str) -> list[Row]:
    """Return the rows of the layer that every head of theirs begins with."""
    return [
        *affine(f"{ours}.dense", "head.dense", bias="classifier_bias"),
        *affine(f"{ours}.norm", "head.norm", bias="norm_bias"),
    ]


class ModernBert(Family):
    """Pre-norm without a first norm, rotary positions, gated, often without biases.

    Dropout matters in training only: ours, of embeddings and of each part's result, stands for
    theirs, of embeddings and within the feed-forward part.
    """

    model_type = "modernbert"
    backbone_class = "ModernBertModel"
    frame = "bert"
    backbone: ClassVar[type[Backbone]] = Transformer
    buffers = TRANSFORMER_BUFFERS
    objective = MaskedLM

    fixed: ClassVar = {
        **{name: value for name, value in PLAIN.items() if name != "global_every"},
        "scale_embeddings": False,
        "positions": "rotary",
        "num_segments": 0,
        "norm": "layer",
        "norm_position": "pre",
        "embedding_norm": True,
        "first_norm": False,
    }
    keys: ClassVar = {
        "num_layers": Key("num_hidden_layers", 22),
        "dim": Key("hidden_size", 768),
        "num_heads": Key("num_attention_heads", 12),
        "feed_forward_dim": Key("intermediate_size", 1152, said_by="hidden_dim"),
        "max_length": Key("max_position_embeddings", 8192),
        "norm_eps": Key("norm_eps", 1e-5),
        "activation": Key("hidden_activation", "gelu"),
        "dropout": Key("embedding_dropout", 0.0, copies=("mlp_dropout",)),
        "attention_dropout": Key("attention_dropout", 0.0),
        "init_std": Key("initializer_range", 0.02),
    }
    activations: ClassVar = {
        "gelu": "geglu",
        "gelu_pytorch_tanh": "geglu_tanh",
        "silu": "swiglu",
    }
    required: ClassVar = {"quantization_config": None}
    flags: ClassVar = {
        "norm_bias": False,
        "attention_bias": False,
        "mlp_bias": False,
        "classifier_bias": False,
        "decoder_bias": True,
    }
    special_ids: ClassVar = {
        "pad_token_id": "pad",
        "bos_token_id": "cls",
        "eos_token_id": "sep",
        "cls_token_id": "cls",
        "sep_token_id": "sep",
    }

    prefix = "model."
    backbone_rows = (
        Row("embeddings.tokens.weight", ("embeddings.tok_embeddings.weight",)),
        *affine("embeddings.norm", "embeddings.norm", bias="norm_bias"),
        *(
            row._replace(first_layer=1)
            for row in affine("blocks.{i}.attention_norm", "layers.{i}.attn_norm", bias="norm_bias")
        ),
        *affine(
            "blocks.{i}.attention.query_key_value", "layers.{i}.attn.Wqkv", bias="attention_bias"
        ),
        *affine("blocks.{i}.attention.output", "layers.{i}.attn.Wo", bias="attention_bias"),
        *affine("blocks.{i}.feed_forward_norm", "layers.{i}.mlp_norm", bias="norm_bias"),
        *affine("blocks.{i}.feed_forward.inner", "layers.{i}.mlp.Wi", bias="mlp_bias"),
        *affine("blocks.{i}.feed_forward.outer", "layers.{i}.mlp.Wo", bias="mlp_bias"),
        *affine("final_norm", "final_norm", bias="norm_bias"),
    )
    head_rows = (
        *_transform("head.transform"),
        Row("head.bias", ("decoder.bias",), flag="decoder_bias"),
    )
    task_heads = (
        *(
            TaskHead(
                "ModernBertForSequenceClassification",
                OF_TEXTS,
                (*_transform("head.transform"), *affine("classifier", "classifier")),
                pooling=pooling,
                dropout="classifier_dropout",
                marks={"classifier_pooling": pooling},
            )
            for pooling in POOLINGS
        ),
        TaskHead(
            "ModernBertForTokenClassification",
            ("tagging",),
            (*_transform("transform"), *affine("classifier", "classifier")),
            dropout="classifier_dropout",
        ),
        TaskHead(
            "ModernBertForQuestionAnswering",
            ("span_qa",),
            (*_transform("transform"), *affine("span", "classifier")),
            dropout="classifier_dropout",
        ),
        *similarities("ModernBertModel"),
    )
    decoder = "decoder.weight"
    head_marks = frozenset({"decoder.weight", "decoder.bias", "ModernBertForMaskedLM"})
    unused = r"(head|classifier)\..+"

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return "ModernBertForMaskedLM"

    def further_settings(self, theirs: Settings) -> Settings:
        """Return layers, bias and rotary base; if one of their parts has a bias, all ours have."""
        every = _global_every(theirs)
        local: Settings = {"global_every": every}
        if every > 1:
            base = read_rotary(theirs, "sliding_attention", "local_rope_theta", LOCAL_BASE)
            window = theirs.get("local_attention", 128) // 2
            local |= {"local_window": window, "local_rotary_base": base}
        biases = ("norm_bias", "attention_bias", "mlp_bias")
        return {
            "bias": any(self.flag(theirs, name) for name in biases),
            "rotary_base": read_rotary(theirs, "full_attention", "global_rope_theta", BASE),
            **local,
        }

    def further_keys(self, config: TransformerConfig) -> Settings:
        """Return layers and rotary settings as `transformers` 5 and earlier releases write them."""
        bases = {"full_attention": config.rotary_base}
        bases["sliding_attention"] = config.local_rotary_base
        return {
            "layer_types": _layer_types(config.num_layers, config.global_every),
            "rope_parameters": {
                kind: {"rope_type": "default", "rope_theta": base} for kind, base in bases.items()
            },
            "global_attn_every_n_layers": config.global_every,
            "local_attention": 2 * config.local_window,
            "global_rope_theta": config.rotary_base,
            "local_rope_theta": config.local_rotary_base,
            **dict.fromkeys(("norm_bias", "attention_bias", "mlp_bias"), config.bias),
        }

    def head_settings(self, theirs: Settings) -> Settings:
        """Return activation, norm and bias; the norm is the backbone's."""
        return {
            "activation": _head_activation(theirs),
            "norm_eps": theirs.get("norm_eps", 1e-5),
            "bias": self.flag(theirs, "classifier_bias") or self.flag(theirs, "norm_bias"),
        }

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return theirs; if the head's norm has a bias, all norms have one, which may be zero."""
        same_norm = (head.norm, head.norm_eps) == ("layer", config.norm_eps)
        if head.next_sentence or not same_norm or head.activation not in THEIR_ACTIVATIONS:
            return None
        return {
            "classifier_activation": THEIR_ACTIVATIONS[head.activation],
            "classifier_bias": head.bias,
            "norm_bias": head.bias or config.bias,
            "decoder_bias": True,
        }

    def task_settings(self, theirs: Settings) -> Settings:
        """Return the transform, which has biases where the backbone has them."""
        has_bias = self.further_settings(theirs)["bias"]
        if self.flag(theirs, "classifier_bias") and not has_bias:
            raise ValueError("classifier_bias = true is supported only with norm_bias = true")
        return {"transform": _head_activation(theirs)}

    def task_keys(self, task: Any, config: TransformerConfig) -> Settings:
        """Return the activation of the transform, where there is one."""
        kind = task.config.transform
        keys: Settings = {"classifier_bias": config.bias}
        return keys if kind == "none" else keys | {"classifier_activation": THEIR_ACTIVATIONS[kind]}


def _global_every(theirs: Settings) -> int:
    """Return n, where each n-th layer sees the whole row."""
    types = theirs.get("layer_types")
    if types is None:
        return int(theirs.get("global_attn_every_n_layers", 3))
    behind = types[1:]
    every = 1 + behind.index("full_attention") if "full_attention" in behind else len(types)
    if types and types == _layer_types(len(types), every):
        return every
    raise ValueError("layer_types other than the first layer and every n-th are not supported")


def _layer_types(num_layers: int, every: int) -> list[str]:
    kinds = ("full_attention", "sliding_attention")
    return [kinds[layer % every > 0] for layer in range(num_layers)]


def _head_activation(theirs: Settings) -> str:
    name = theirs.get("classifier_activation", "gelu")
    if name not in HEAD_ACTIVATIONS:
        known = ", ".join(HEAD_ACTIVATIONS)
        raise ValueError(f"classifier_activation = {name!r} is not supported, only {known} are")
    return HEAD_ACTIVATIONS[name]
