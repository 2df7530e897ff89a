"""DistilBERT (Sanh et al. 2019) as `transformers` stores it."""

from __future__ import annotations

from typing import ClassVar

from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.bert import Bert
from foretext.interop.family import Key, Settings
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Row, affine

__all__ = ["DistilBert"]

LAYER = "transformer.layer.{i}"
NORM_EPS = 1e-12


class DistilBert(Bert):
    """BERT without segments, whose classes for texts have a layer with ReLU on the first state.

    Position vectors are stored with the model, whether they began as sinusoids or not.
    """

    model_type = "distilbert"
    backbone_class = "DistilBertModel"

    fixed: ClassVar = {
        **Bert.fixed,
        "num_segments": 0,
        "norm_eps": NORM_EPS,
        "pooler_activation": "relu",
    }
    keys: ClassVar = {
        "num_layers": Key("n_layers", 6),
        "dim": Key("dim", 768),
        "num_heads": Key("n_heads", 12),
        "feed_forward_dim": Key("hidden_dim", 3072, said_by="hidden_dim"),
        "max_length": Key("max_position_embeddings", 512),
        "activation": Key("activation", "gelu"),
        "dropout": Key("dropout", 0.1),
        "attention_dropout": Key("attention_dropout", 0.1),
        "init_std": Key("initializer_range", 0.02),
    }
    required: ClassVar = {"quantization_config": None}

    prefix = "distilbert."
    backbone_rows = (
        Row("embeddings.tokens.weight", ("embeddings.word_embeddings.weight",)),
        Row("embeddings.positions.weight", ("embeddings.position_embeddings.weight",)),
        *affine("embeddings.norm", "embeddings.LayerNorm"),
        *affine(
            "blocks.{i}.attention.query_key_value",
            f"{LAYER}.attention.q_lin",
            f"{LAYER}.attention.k_lin",
            f"{LAYER}.attention.v_lin",
        ),
        *affine("blocks.{i}.attention.output", f"{LAYER}.attention.out_lin"),
        *affine("blocks.{i}.attention_norm", f"{LAYER}.sa_layer_norm"),
        *affine("blocks.{i}.feed_forward.inner", f"{LAYER}.ffn.lin1"),
        *affine("blocks.{i}.feed_forward.outer", f"{LAYER}.ffn.lin2"),
        *affine("blocks.{i}.feed_forward_norm", f"{LAYER}.output_layer_norm"),
    )
    head_rows = (
        *affine("head.transform.dense", "vocab_transform"),
        *affine("head.transform.norm", "vocab_layer_norm"),
        Row("head.bias", ("vocab_projector.bias",)),
    )
    pair_head_rows = ()
    task_heads = (
        TaskHead(
            "DistilBertForSequenceClassification",
            OF_TEXTS,
            (*affine("head.pooler", "pre_classifier"), *affine("classifier", "classifier")),
            pooling="cls",
            dropout="seq_classif_dropout",
        ),
        TaskHead(
            "DistilBertForTokenClassification", ("tagging",), affine("classifier", "classifier")
        ),
        TaskHead(
            "DistilBertForQuestionAnswering",
            ("span_qa",),
            affine("span", "qa_outputs"),
            dropout="qa_dropout",
        ),
        *similarities("DistilBertModel"),
    )
    decoder = "vocab_projector.weight"
    decoder_twin = None
    head_marks = frozenset({"vocab_transform.weight"})
    unused = r"(distilbert\.)?embeddings\.position_ids|(pre_classifier|classifier|qa_outputs)\..+"

    def further_settings(self, theirs: Settings) -> Settings:
        """Return nothing: each setting has a key."""
        return {}

    def further_keys(self, config: TransformerConfig) -> Settings:
        """Return that position vectors are read, not computed."""
        return {"sinusoidal_pos_embds": False}

    def head_settings(self, theirs: Settings) -> Settings:
        """Return the activation, which is that of the backbone."""
        return {"activation": self.activation(theirs, self.keys["activation"])}
