"""BART (Lewis et al. 2020) as `transformers` stores it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from foretext.interop.buffers import is_zero
from foretext.interop.encoder_decoder_family import EncoderDecoderFamily
from foretext.interop.family import PLAIN, Key
from foretext.interop.own_settings import own_part
from foretext.interop.transfer import Row, affine
from foretext.objectives.base import Objective
from foretext.objectives.text_infilling import TextInfilling

__all__ = ["Bart", "bart_layers"]

OFFSET = 2  # of positions, whose first vectors no program reads


def bart_layers(tower: str) -> Iterator[Row]:
    """Return the rows of the layers of "encoder" or "decoder"."""
    ours, theirs = f"{tower}.blocks.{{i}}", f"{tower}.layers.{{i}}"
    names = [f"{theirs}.self_attn.{part}_proj" for part in "qkv"]
    yield from affine(f"{ours}.attention.query_key_value", *names)
    yield from affine(f"{ours}.attention.output", f"{theirs}.self_attn.out_proj")
    yield from affine(f"{ours}.attention_norm", f"{theirs}.self_attn_layer_norm")
    if tower == "decoder":
        cross, there = f"{ours}.cross.attention", f"{theirs}.encoder_attn"
        yield from affine(f"{cross}.query", f"{there}.q_proj")
        yield from affine(f"{cross}.key_value", f"{there}.k_proj", f"{there}.v_proj")
        yield from affine(f"{cross}.output", f"{there}.out_proj")
        yield from affine(f"{ours}.cross.norm", f"{theirs}.encoder_attn_layer_norm")
    yield from affine(f"{ours}.feed_forward.inner", f"{theirs}.fc1")
    yield from affine(f"{ours}.feed_forward.outer", f"{theirs}.fc2")
    yield from affine(f"{ours}.feed_forward_norm", f"{theirs}.final_layer_norm")


def _embeddings(tower: str) -> Iterator[Row]:
    positions = f"{tower}.embed_positions.weight"
    yield Row(f"{tower}.embeddings.positions.weight", (positions,), num_unused=OFFSET)
    yield from affine(f"{tower}.embeddings.norm", f"{tower}.layernorm_embedding")


class Bart(EncoderDecoderFamily):
    """Post-norm, learned positions, one matrix for all token vectors and the head.

    Biases that our model does not have are stored as zeros.
    """

    model_type = "bart"
    backbone_class = "BartModel"
    frame = "roberta"
    objective: ClassVar[type[Objective]] = TextInfilling

    fixed: ClassVar = {
        **PLAIN,
        "positions": "learned",
        "num_segments": 0,
        "norm": "layer",
        "norm_position": "post",
        "norm_eps": 1e-5,
        "embedding_norm": True,
        "first_norm": True,
    }
    keys: ClassVar = {
        "num_layers": Key("encoder_layers", 12),
        "dim": Key("d_model", 1024),
        "num_heads": Key("encoder_attention_heads", 16, copies=("decoder_attention_heads",)),
        "feed_forward_dim": Key(
            "encoder_ffn_dim", 4096, copies=("decoder_ffn_dim",), said_by="hidden_dim"
        ),
        "max_length": Key("max_position_embeddings", 1024),
        "scale_embeddings": Key("scale_embedding", False),
        "activation": Key("activation_function", "gelu"),
        "dropout": Key("dropout", 0.1),
        "attention_dropout": Key("attention_dropout", 0.0),
        "feed_forward_dropout": Key("activation_dropout", 0.0),
        "init_std": Key("init_std", 0.02),
    }
    decoder_layers = "decoder_layers"
    copies = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    activations: ClassVar = {
        "gelu": "gelu",
        "gelu_new": "gelu_tanh",
        "gelu_pytorch_tanh": "gelu_tanh",
        "relu": "relu",
        "swish": "silu",
        "silu": "silu",
    }
    required: ClassVar = {  # most of them stand in files of earlier releases only
        "is_decoder": False,
        "normalize_before": False,
        "normalize_embedding": True,
        "add_final_layer_norm": False,
        "static_position_embeddings": False,
        "add_bias_logits": False,
        "extra_pos_embeddings": OFFSET,
        "quantization_config": None,
    }
    special_ids: ClassVar = {"pad_token_id": "pad", "bos_token_id": "cls", "eos_token_id": "end"}

    prefix = "model."
    backbone_rows = (
        Row("encoder.embeddings.tokens.weight", ("shared.weight",)),
        *_embeddings("encoder"),
        *bart_layers("encoder"),
        *_embeddings("decoder"),
        *bart_layers("decoder"),
    )
    head_rows = ()
    head_marks = frozenset({"lm_head.weight", "final_logits_bias", "BartForConditionalGeneration"})
    buffers: ClassVar = {r"final_logits_bias": is_zero}
    unused = r"final_logits_bias|(model\.)?(encoder|decoder)\.version|(model\.)?lm_head\.weight" + (
        r"|(model\.)?(classification_head|qa_outputs)\..+"
    )

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return "BartForConditionalGeneration"

    def has_head(self, theirs: Any, weights: Any) -> bool:
        """Whether there is a head: it has no weights of its own, so a bare `BartModel` has one."""
        bare = (theirs.get("architectures") or [None])[0] == self.backbone_class
        return super().has_head(theirs, weights) or (bare and not own_part(theirs))
