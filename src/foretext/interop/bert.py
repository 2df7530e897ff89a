"""BERT (Devlin et al. 2019) as `transformers` stores it."""

from __future__ import annotations

from typing import Any, ClassVar

from foretext.backbones.base import Backbone
from foretext.backbones.transformer import Transformer
from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.buffers import TRANSFORMER_BUFFERS
from foretext.interop.family import PLAIN, Family, Key, Settings
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Heads, Row, affine
from foretext.objectives.base import Objective
from foretext.objectives.masked_lm import MaskedLM
from foretext.objectives.unilm import UniLM

__all__ = ["Bert"]

LAYER = "encoder.layer.{i}"
SELF = f"{LAYER}.attention.self"


class Bert(Family):
    """Post-norm, learned positions, a masked-LM head, with or without next-sentence prediction.

    Biases and segments that our model does not have are stored as zeros.
    """

    model_type = "bert"
    backbone_class = "BertModel"
    frame = "bert"
    backbone: ClassVar[type[Backbone]] = Transformer
    buffers = TRANSFORMER_BUFFERS
    objective: ClassVar[type[Objective]] = MaskedLM
    others: ClassVar[tuple[type[Objective], ...]] = (UniLM,)

    fixed: ClassVar = {
        **PLAIN,
        "scale_embeddings": False,
        "positions": "learned",
        "norm": "layer",
        "norm_position": "post",
        "embedding_norm": True,
        "first_norm": True,
    }
    keys: ClassVar = {
        "num_layers": Key("num_hidden_layers", 12),
        "dim": Key("hidden_size", 768),
        "num_heads": Key("num_attention_heads", 12),
        "feed_forward_dim": Key("intermediate_size", 3072, said_by="hidden_dim"),
        "max_length": Key("max_position_embeddings", 512),
        "norm_eps": Key("layer_norm_eps", 1e-12),
        "activation": Key("hidden_act", "gelu"),
        "dropout": Key("hidden_dropout_prob", 0.1),
        "attention_dropout": Key("attention_probs_dropout_prob", 0.1),
        "init_std": Key("initializer_range", 0.02),
    }
    activations: ClassVar = {
        "gelu": "gelu",
        "gelu_new": "gelu_tanh",
        "gelu_pytorch_tanh": "gelu_tanh",
        "relu": "relu",
    }
    required: ClassVar = {
        "position_embedding_type": "absolute",
        "is_decoder": False,
        "add_cross_attention": False,
        "quantization_config": None,
    }
    special_ids: ClassVar = {"pad_token_id": "pad"}

    prefix = "bert."
    backbone_rows = (
        Row("embeddings.tokens.weight", ("embeddings.word_embeddings.weight",)),
        Row("embeddings.positions.weight", ("embeddings.position_embeddings.weight",)),
        Row("embeddings.segments.weight", ("embeddings.token_type_embeddings.weight",)),
        *affine("embeddings.norm", "embeddings.LayerNorm"),
        *affine(
            "blocks.{i}.attention.query_key_value", f"{SELF}.query", f"{SELF}.key", f"{SELF}.value"
        ),
        *affine("blocks.{i}.attention.output", f"{LAYER}.attention.output.dense"),
        *affine("blocks.{i}.attention_norm", f"{LAYER}.attention.output.LayerNorm"),
        *affine("blocks.{i}.feed_forward.inner", f"{LAYER}.intermediate.dense"),
        *affine("blocks.{i}.feed_forward.outer", f"{LAYER}.output.dense"),
        *affine("blocks.{i}.feed_forward_norm", f"{LAYER}.output.LayerNorm"),
    )
    head_rows = (
        *affine("head.transform.dense", "cls.predictions.transform.dense"),
        *affine("head.transform.norm", "cls.predictions.transform.LayerNorm"),
        Row("head.bias", ("cls.predictions.bias",)),
    )
    pair_head_rows: ClassVar[tuple[Row, ...]] = (
        *affine("next_sentence.pooler", "bert.pooler.dense"),
        # Class 0 is the successor there, 1 here.
        *affine("next_sentence.classifier", "cls.seq_relationship", layout="reversed"),
    )
    task_heads = (
        TaskHead(
            "BertForSequenceClassification",
            OF_TEXTS,
            (*affine("head.pooler", "bert.pooler.dense"), *affine("classifier", "classifier")),
            pooling="cls",
            dropout="classifier_dropout",
        ),
        TaskHead(
            "BertForTokenClassification",
            ("tagging",),
            affine("classifier", "classifier"),
            dropout="classifier_dropout",
        ),
        TaskHead("BertForQuestionAnswering", ("span_qa",), affine("span", "qa_outputs")),
        *similarities("BertModel"),
    )
    decoder = "cls.predictions.decoder.weight"
    decoder_twin: ClassVar[tuple[str, str] | None] = (
        "cls.predictions.bias",
        "cls.predictions.decoder.bias",
    )
    head_marks = frozenset({"cls.predictions.transform.dense.weight"})
    unused = r"(bert\.)?(embeddings\.(position_ids|token_type_ids)|pooler\.dense\.\w+)" + (
        r"|cls\.seq_relationship\.\w+|(classifier|qa_outputs)\..+"
    )

    def head_class(self, head: Any) -> str:
        """Return their class; BertForPreTraining has next-sentence prediction."""
        name = self.backbone_class.removesuffix("Model")
        return f"{name}ForPreTraining" if head.next_sentence else f"{name}ForMaskedLM"

    def heads(self, head: Any) -> Heads:
        """Return the heads of a masked language model."""
        return Heads(head=True, pair_head=head.next_sentence, tied=head.tied)

    def further_settings(self, theirs: Settings) -> Settings:
        """Return the number of segments; their models always have some."""
        return {"num_segments": theirs.get("type_vocab_size", 2)}

    def further_keys(self, config: TransformerConfig) -> Settings:
        """Return one segment, with a vector of zeros, where our model has none."""
        return {"type_vocab_size": max(1, config.num_segments)}

    def head_settings(self, theirs: Settings) -> Settings:
        """Return activation and norm, which are those of the backbone."""
        return {
            "activation": self.activation(theirs, self.keys["activation"]),
            "norm_eps": theirs.get("layer_norm_eps", 1e-12),
        }

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return no keys; None where the head differs from the backbone, or theirs has no pairs.

        Args:
            head: the settings of our objective.
            config: of our backbone.
        """
        if head.next_sentence and not self.pair_head_rows:
            return None
        ours = (head.norm, head.activation, head.norm_eps)
        return {} if ours == ("layer", config.activation, config.norm_eps) else None
