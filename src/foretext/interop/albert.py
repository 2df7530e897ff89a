"""ALBERT (Lan et al. 2020) as `transformers` stores it."""

from __future__ import annotations

from typing import Any, ClassVar

from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.bert import Bert
from foretext.interop.family import Key, Settings
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Row, affine

__all__ = ["Albert"]

LAYER = "encoder.albert_layer_groups.{i}.albert_layers.0"


class Albert(Bert):
    """BERT with narrow embeddings and one layer's weights for all layers.

    The head that tells in which order two texts stood is left out: foretext has no such objective.
    """

    model_type = "albert"
    backbone_class = "AlbertModel"

    fixed: ClassVar = {
        name: value
        for name, value in Bert.fixed.items()
        if name not in ("embedding_dim", "share_layers")
    }
    keys: ClassVar = {
        **Bert.keys,
        "embedding_dim": Key("embedding_size", 128),
        "dim": Key("hidden_size", 4096),
        "num_heads": Key("num_attention_heads", 64),
        "feed_forward_dim": Key("intermediate_size", 16384, said_by="hidden_dim"),
        "activation": Key("hidden_act", "gelu_new"),
        "dropout": Key("hidden_dropout_prob", 0.0),
        "attention_dropout": Key("attention_probs_dropout_prob", 0.0),
    }
    required: ClassVar = {**Bert.required, "num_hidden_groups": 1, "inner_group_num": 1}
    special_ids: ClassVar = {"pad_token_id": "pad", "bos_token_id": "cls", "eos_token_id": "sep"}

    prefix = "albert."
    backbone_rows = (
        *Bert.backbone_rows[:5],  # the embeddings
        *affine("embeddings.projection", "encoder.embedding_hidden_mapping_in"),
        *affine(
            "blocks.{i}.attention.query_key_value",
            f"{LAYER}.attention.query",
            f"{LAYER}.attention.key",
            f"{LAYER}.attention.value",
        ),
        *affine("blocks.{i}.attention.output", f"{LAYER}.attention.dense"),
        *affine("blocks.{i}.attention_norm", f"{LAYER}.attention.LayerNorm"),
        *affine("blocks.{i}.feed_forward.inner", f"{LAYER}.ffn"),
        *affine("blocks.{i}.feed_forward.outer", f"{LAYER}.ffn_output"),
        *affine("blocks.{i}.feed_forward_norm", f"{LAYER}.full_layer_layer_norm"),
    )
    head_rows = (
        *affine("head.transform.dense", "predictions.dense"),
        *affine("head.transform.norm", "predictions.LayerNorm"),
        Row("head.bias", ("predictions.bias",)),
    )
    pair_head_rows = ()
    task_heads = (
        TaskHead(
            "AlbertForSequenceClassification",
            OF_TEXTS,
            (*affine("head.pooler", "albert.pooler"), *affine("classifier", "classifier")),
            pooling="cls",
            dropout="classifier_dropout_prob",
        ),
        TaskHead(
            "AlbertForTokenClassification",
            ("tagging",),
            affine("classifier", "classifier"),
            dropout="classifier_dropout_prob",
        ),
        TaskHead("AlbertForQuestionAnswering", ("span_qa",), affine("span", "qa_outputs")),
        *similarities("AlbertModel"),
    )
    decoder = "predictions.decoder.weight"
    decoder_twin = ("predictions.bias", "predictions.decoder.bias")
    head_marks = frozenset({"predictions.dense.weight"})
    unused = r"(albert\.)?(embeddings\.(position_ids|token_type_ids)|pooler\.\w+)" + (
        r"|(sop_classifier|classifier|qa_outputs)\..+"
    )

    def allows(self, config: TransformerConfig) -> bool:
        """Whether embeddings have a map, and all layers the same weights."""
        shares = config.share_layers or config.num_layers == 1
        return super().allows(config) and shares and config.embedding_dim is not None

    def num_layers(self, config: TransformerConfig, row: Row) -> int:
        """Return the number of layers that have weights of their own."""
        return 1

    def further_settings(self, theirs: Settings) -> Settings:
        """Return the number of segments, and whether there are layers that share weights."""
        if theirs.get("embedding_size", 128) is None:
            raise ValueError("embedding_size = null is no width")
        shares = self.our_value(theirs, "num_layers") > 1
        return {**super().further_settings(theirs), "share_layers": shares}

    def further_keys(self, config: TransformerConfig) -> Settings:
        """Return segments, and the groups of layers that share weights."""
        return {**super().further_keys(config), "num_hidden_groups": 1, "inner_group_num": 1}

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return no keys; None where their head is another one."""
        # Their output weights are as wide as embeddings, ours only where they are the same.
        return super().head_keys(head, config) if head.tied else None
