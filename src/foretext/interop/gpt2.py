"""GPT-2 (Radford et al. 2019) as `transformers` stores it."""

from __future__ import annotations

from typing import Any, ClassVar

from foretext.backbones.base import Backbone
from foretext.backbones.transformer import Transformer
from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.buffers import TRANSFORMER_BUFFERS
from foretext.interop.family import PLAIN, Family, Key, Settings
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Row, affine
from foretext.objectives.causal_lm import CausalLM

__all__ = ["GPT2"]


class GPT2(Family):
    """Pre-norm, learned positions. The matrices are stored transposed.

    Biases that our model does not have are stored as zeros.
    """

    model_type = "gpt2"
    backbone_class = "GPT2Model"
    frame = "gpt"
    backbone: ClassVar[type[Backbone]] = Transformer
    buffers = TRANSFORMER_BUFFERS
    objective = CausalLM

    fixed: ClassVar = {
        **PLAIN,
        "scale_embeddings": False,
        "positions": "learned",
        "num_segments": 0,
        "norm": "layer",
        "norm_position": "pre",
        "embedding_norm": False,
        "first_norm": True,
    }
    keys: ClassVar = {
        "num_layers": Key("n_layer", 12),
        "dim": Key("n_embd", 768),
        "num_heads": Key("n_head", 12),
        "feed_forward_dim": Key("n_inner", None, said_by="hidden_dim"),
        "max_length": Key("n_positions", 1024),
        "norm_eps": Key("layer_norm_epsilon", 1e-5),
        "activation": Key("activation_function", "gelu_new"),
        "dropout": Key("resid_pdrop", 0.1, copies=("embd_pdrop",)),
        "attention_dropout": Key("attn_pdrop", 0.1),
        "init_std": Key("initializer_range", 0.02),
    }
    activations: ClassVar = {
        "gelu_new": "gelu_tanh",
        "gelu_pytorch_tanh": "gelu_tanh",
        "gelu": "gelu",
        "relu": "relu",
    }
    required: ClassVar = {
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False,
        "quantization_config": None,
    }
    special_ids: ClassVar = {"pad_token_id": "pad", "bos_token_id": "start", "eos_token_id": "end"}

    prefix = "transformer."
    backbone_rows = (
        Row("embeddings.tokens.weight", ("wte.weight",)),
        Row("embeddings.positions.weight", ("wpe.weight",)),
        *affine("blocks.{i}.attention_norm", "h.{i}.ln_1"),
        *affine("blocks.{i}.attention.query_key_value", "h.{i}.attn.c_attn", layout="transposed"),
        *affine("blocks.{i}.attention.output", "h.{i}.attn.c_proj", layout="transposed"),
        *affine("blocks.{i}.feed_forward_norm", "h.{i}.ln_2"),
        *affine("blocks.{i}.feed_forward.inner", "h.{i}.mlp.c_fc", layout="transposed"),
        *affine("blocks.{i}.feed_forward.outer", "h.{i}.mlp.c_proj", layout="transposed"),
        *affine("final_norm", "ln_f"),
    )
    head_rows = ()
    task_heads = (
        TaskHead(
            "GPT2ForSequenceClassification",
            OF_TEXTS,
            (Row("classifier.weight", ("score.weight",)),),
            pooling="last",
        ),
        TaskHead(
            "GPT2ForTokenClassification",
            ("tagging",),
            affine("classifier", "classifier"),
            dropout="classifier_dropout",
        ),
        TaskHead("GPT2ForQuestionAnswering", ("span_qa",), affine("span", "qa_outputs")),
        *similarities("GPT2Model"),
    )
    decoder = "lm_head.weight"
    head_marks = frozenset({"lm_head.weight", "GPT2LMHeadModel", "GPT2DoubleHeadsModel"})
    unused = r"(transformer\.)?h\.\d+\.attn\.(bias|masked_bias)" + (
        r"|(score|classifier|qa_outputs|multiple_choice_head)\..+"
    )

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return "GPT2LMHeadModel"

    def further_settings(self, theirs: Settings) -> Settings:
        """Return nothing: each setting has a key."""
        return {}

    def further_keys(self, config: TransformerConfig) -> Settings:
        """Return nothing: each setting has a key."""
        return {}

    def head_settings(self, theirs: Settings) -> Settings:
        """Return nothing: the head has no settings of its own."""
        return {}

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return nothing for a full softmax, which has no settings; they have no adaptive one."""
        return {} if head.softmax == "full" else None
