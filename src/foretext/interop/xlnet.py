"""XLNet (Yang et al. 2019) as `transformers` stores it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from foretext.backbones.xlnet import XLNet as Backbone
from foretext.interop.family import Family, Key, Settings
from foretext.interop.task_heads import OF_TEXTS, TaskHead
from foretext.interop.transfer import Heads, Row, affine
from foretext.objectives.permutation_lm import PermutationLM
from foretext.tokenizers.base import Tokenizer

__all__ = ["XLNet"]

LENGTH = 512  # of a row in pretraining; the network itself has no limit, and config.json names none
LAYER = "layer.{i}"
ATTENTION = f"{LAYER}.rel_attn"
SUMMARY = {"summary_type": "last", "summary_use_proj": True, "summary_activation": "tanh"}


def _by_heads(ours: str, *theirs: str, transposed: bool = True) -> Row:
    """Return the row of a matrix that they cut into heads; how many, the settings say."""
    names = tuple(f"{ATTENTION}.{name}" for name in theirs)
    name = f"blocks.{{i}}.attention.{ours}.weight"
    return Row(name, names, "transposed" if transposed else "same", num_heads=1)


class XLNet(Family):
    """Relative attention of two streams, a linear head; models with memory are not supported."""

    model_type = "xlnet"
    backbone_class = "XLNetModel"
    frame = "xlnet"
    backbone = Backbone
    objective = PermutationLM

    fixed: ClassVar = {"cls_segment": True}
    keys: ClassVar = {
        "num_layers": Key("n_layer", 24),
        "dim": Key("d_model", 1024),
        "num_heads": Key("n_head", 16),
        "feed_forward_dim": Key("d_inner", 4096, said_by="hidden_dim"),
        "activation": Key("ff_activation", "gelu"),
        "norm_eps": Key("layer_norm_eps", 1e-12),
        "attention_dropout": Key("dropout", 0.1),  # they have one rate, and ours below is kept
        "dropout": Key("dropout", 0.1),
        "init_std": Key("initializer_range", 0.02),
    }
    activations: ClassVar = {"gelu": "gelu", "gelu_new": "gelu_tanh", "relu": "relu"}
    required: ClassVar = {
        "attn_type": "bi",
        "bi_data": False,
        "clamp_len": -1,
        "same_length": False,
        "untie_r": True,
        "quantization_config": None,
    }
    special_ids: ClassVar = {
        "pad_token_id": "pad",
        "bos_token_id": "start",
        "eos_token_id": "end",
    }

    prefix = "transformer."
    backbone_rows = (
        Row("tokens.weight", ("word_embedding.weight",)),
        Row("query", ("mask_emb",)),
        _by_heads("query_key_value", "q", "k", "v"),
        _by_heads("distance", "r"),
        _by_heads("output", "o", transposed=False),
        Row("blocks.{i}.attention.content_bias", (f"{ATTENTION}.r_w_bias",)),
        Row("blocks.{i}.attention.distance_bias", (f"{ATTENTION}.r_r_bias",)),
        Row("blocks.{i}.attention.segment_bias", (f"{ATTENTION}.r_s_bias",)),
        Row("blocks.{i}.attention.segments", (f"{ATTENTION}.seg_embed",)),
        *affine("blocks.{i}.attention_norm", f"{ATTENTION}.layer_norm"),
        *affine("blocks.{i}.feed_forward.inner", f"{LAYER}.ff.layer_1"),
        *affine("blocks.{i}.feed_forward.outer", f"{LAYER}.ff.layer_2"),
        *affine("blocks.{i}.feed_forward_norm", f"{LAYER}.ff.layer_norm"),
    )
    head_rows = (Row("head.bias", ("lm_loss.bias",)),)
    task_heads = (
        TaskHead(
            "XLNetForSequenceClassification",
            OF_TEXTS,
            (
                *affine("head.pooler", "sequence_summary.summary"),
                *affine("classifier", "logits_proj"),
            ),
            pooling="last",
            dropout="summary_last_dropout",
        ),
        TaskHead("XLNetForTokenClassification", ("tagging",), affine("classifier", "classifier")),
        TaskHead("XLNetForQuestionAnsweringSimple", ("span_qa",), affine("span", "qa_outputs")),
    )
    decoder = "lm_loss.weight"
    head_marks = frozenset({"lm_loss.bias"})
    unused = r"(sequence_summary|logits_proj|classifier|qa_outputs)\..+"

    def suits(self, tokenizer: Tokenizer) -> bool:
        """Whether `[CLS]` stands at the end, where these models look for it."""
        return tokenizer.cls_at_end

    def rows(
        self, config: Any, prefix: str, heads: Heads, theirs: Settings | None = None
    ) -> Iterator[Row]:
        """Return the rows of one model, with full names and its number of heads."""
        for row in super().rows(config, prefix, heads, theirs):
            yield row._replace(num_heads=config.num_heads) if row.num_heads else row

    def head_class(self, head: Any) -> str:
        """Return their class with a language modelling head."""
        return "XLNetLMHeadModel"

    def further_settings(self, theirs: Settings) -> Settings:
        """Return the length of a row.

        Raises:
            ValueError: with half a sentence, it has a memory, or heads of an unusual width.
        """
        for name in ("mem_len", "reuse_len"):
            if theirs.get(name):
                raise ValueError(
                    f"{name} = {theirs[name]!r} is not supported, only null is: foretext reads "
                    "each text without a memory of others; a text by itself has the same states "
                    "with null, so set it there"
                )
        dim, num_heads = (self.read(theirs, self.keys[name]) for name in ("dim", "num_heads"))
        width = theirs.get("d_head")
        if width is not None and width * num_heads != dim:
            raise ValueError(
                f"d_head = {width!r} is not supported with d_model = {dim} and n_head = "
                f"{num_heads}, only d_model / n_head is"
            )
        return {"max_length": LENGTH}

    def further_keys(self, config: Any) -> Settings:
        """Return what all of our models have."""
        return {**self.required, **SUMMARY, "d_head": config.dim // config.num_heads} | {
            "mem_len": None,
            "reuse_len": None,
        }

    def head_settings(self, theirs: Settings) -> Settings:
        """Return nothing: the head has no settings of its own."""
        return {}

    def head_keys(self, head: Any, config: Any) -> Settings | None:
        """Return nothing: the head has no settings of its own."""
        return {}

    def task_settings(self, theirs: Settings) -> Settings:
        """Return our tasks' settings.

        Raises:
            ValueError: with half a sentence, it makes a text's vector in another way.
        """
        for name, value in SUMMARY.items():
            if theirs.get(name, value) != value:
                raise ValueError(f"{name} = {theirs[name]!r} is not supported, only {value!r} is")
        return super().task_settings(theirs)
