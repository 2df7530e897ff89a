"""DeBERTa of the second and third release (He et al. 2021, 2023) as `transformers` stores it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from torch import Tensor

from foretext.backbones.deberta import Deberta, DebertaConfig
from foretext.interop.bert import Bert
from foretext.interop.buffers import TRANSFORMER_BUFFERS
from foretext.interop.family import Family, Key, Settings
from foretext.interop.task_heads import OF_TEXTS, TaskHead, similarities
from foretext.interop.transfer import Row, affine
from foretext.objectives.masked_lm import MaskedLM

__all__ = ["DebertaV2"]

SELF = "encoder.layer.{i}.attention.self"
COMPARED = {"c2p", "p2c"}  # contents with positions, and positions with contents
POOLER_ACTIVATION = "gelu"
OF_GENERATORS, OF_DISCRIMINATORS = "lm_predictions.", "mask_predictions."
TRAINED_HEADS = {  # names of the authors' own head: those of their successor's
    r"lm_predictions\.lm_head\.(dense|LayerNorm)\.": r"cls.predictions.transform.\1.",
    r"lm_predictions\.lm_head\.bias": "cls.predictions.bias",
}
FLAGS = {  # settings of ours, as theirs say these things in many ways
    "embeddings.positions.weight": "absolute_positions",
    "embeddings.segments.weight": "num_segments",
}


def _flagged(flag: str, rows: Iterable[Row]) -> Iterator[Row]:
    """Return rows of weights that a setting of ours asks for."""
    return (row._replace(flag=flag) for row in rows)


def _renamed_maps(row: Row) -> Row:
    """Return a row of BERT's with the names that the maps of attention have here."""
    names = (re.sub(r"(self\.(query|key|value))\.", r"\1_proj.", name) for name in row.theirs)
    return row._replace(theirs=tuple(names))


class DebertaV2(Family):
    """Post-norm, contents compared with distances, a masked-LM head.

    The authors' discriminators, which DeBERTaV3's folders contain, have no head here: the masked-LM
    head that lies beside them was not trained with them.
    """

    model_type = "deberta-v2"
    backbone_class = "DebertaV2Model"
    frame = "bert"
    backbone = Deberta
    buffers = TRANSFORMER_BUFFERS
    objective = MaskedLM

    fixed: ClassVar = {}
    keys: ClassVar = {
        **Bert.keys,
        "num_layers": Key("num_hidden_layers", 24),
        "dim": Key("hidden_size", 1536),
        "num_heads": Key("num_attention_heads", 24),
        "feed_forward_dim": Key("intermediate_size", 6144, said_by="hidden_dim"),
        "shared_maps": Key("share_att_key", False),
        "absolute_positions": Key("position_biased_input", True),
        "num_segments": Key("type_vocab_size", 0),
        "norm_eps": Key("layer_norm_eps", 1e-7),
    }
    activations: ClassVar = Bert.activations
    required: ClassVar = {"conv_groups": 1, "quantization_config": None}
    special_ids: ClassVar = {"pad_token_id": "pad"}

    prefix = "deberta."
    backbone_rows = (
        *(row._replace(flag=FLAGS.get(row.ours)) for row in map(_renamed_maps, Bert.backbone_rows)),
        Row(
            "embeddings.projection.weight", ("embeddings.embed_proj.weight",), flag="embedding_dim"
        ),
        Row("distances.weight", ("encoder.rel_embeddings.weight",)),
        *_flagged("distance_norm", affine("distance_norm", "encoder.LayerNorm")),
        *_flagged(
            "shared_maps",
            affine(
                "blocks.{i}.attention.distance_query_key",
                f"{SELF}.pos_query_proj",
                f"{SELF}.pos_key_proj",
            ),
        ),
        *_flagged("convolution_width", affine("convolution.convolution", "encoder.conv.conv")),
        *_flagged("convolution_width", affine("convolution.norm", "encoder.conv.LayerNorm")),
    )
    head_rows = Bert.head_rows
    task_heads = (
        TaskHead(
            "DebertaV2ForSequenceClassification",
            OF_TEXTS,
            (*affine("head.pooler", "pooler.dense"), *affine("classifier", "classifier")),
            pooling="cls",
            dropout="cls_dropout",
        ),
        TaskHead(
            "DebertaV2ForTokenClassification", ("tagging",), affine("classifier", "classifier")
        ),
        TaskHead("DebertaV2ForQuestionAnswering", ("span_qa",), affine("span", "qa_outputs")),
        *similarities("DebertaV2Model"),
    )
    decoder = Bert.decoder
    decoder_twin = Bert.decoder_twin
    head_marks = Bert.head_marks
    unused = r"(deberta\.)?embeddings\.(position_ids|position_embeddings\.weight)" + (
        r"|(cls|lm_predictions|mask_predictions|pooler|classifier|qa_outputs)\..+"
    )

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return "DebertaV2ForMaskedLM"

    def renamed(self, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the authors' masked-LM head under the names that `transformers` writes today."""
        if any(name.startswith(OF_DISCRIMINATORS) for name in weights):
            return weights
        return {_renamed(name): weight for name, weight in weights.items()}

    def flag(self, theirs: Settings, name: str) -> bool:
        """Return whether a setting of ours asks for a weight; shared maps need none."""
        value = self.ours(theirs)[name]
        return not value if name == "shared_maps" else bool(value)

    def further_settings(self, theirs: Settings) -> Settings:
        """Return width of embeddings, distances and convolution."""
        _check(theirs)
        width = theirs.get("conv_kernel_size", 0)
        longest = theirs.get("max_relative_positions", -1)
        buckets = theirs.get("position_buckets", -1)
        embedding, dim = theirs.get("embedding_size"), self.our_value(theirs, "dim")
        settings: Settings = {
            "embedding_dim": None if embedding == dim else embedding,
            "num_buckets": buckets if buckets > 0 else None,
            "max_distance": longest if longest > 0 else None,
            "distance_norm": "layer_norm"
            in re.split(r"[|\s]+", theirs.get("norm_rel_ebd", "none")),
            "convolution_width": width if width > 0 else None,
        }
        if width > 0:
            settings["convolution_activation"] = theirs.get("conv_act", "tanh")
        return settings

    def further_keys(self, config: DebertaConfig) -> Settings:
        """Return the same as theirs, and their pooler of tasks."""
        keys: Settings = {
            "relative_attention": True,
            "pos_att_type": "p2c|c2p",
            "embedding_size": config.embedding_dim or config.dim,
            "position_buckets": config.num_buckets or -1,
            "max_relative_positions": config.max_distance or -1,
            "norm_rel_ebd": "layer_norm" if config.distance_norm else "none",
            "pooler_dropout": 0,
            "pooler_hidden_act": POOLER_ACTIVATION,
            "pooler_hidden_size": config.dim,
            "legacy": True,
        }
        if config.convolution_width is None:
            return keys
        convolution = {"conv_kernel_size": config.convolution_width}
        return keys | convolution | {"conv_act": config.convolution_activation}

    def head_settings(self, theirs: Settings) -> Settings:
        """Return activation and norm, which are those of the backbone."""
        return {
            "activation": self.activation(theirs, self.keys["activation"]),
            "norm_eps": theirs.get("layer_norm_eps", 1e-7),
        }

    def head_keys(self, head: Any, config: DebertaConfig) -> Settings | None:
        """Return no keys; None where the head differs from the backbone."""
        ours = (head.next_sentence, head.bias, head.norm, head.activation, head.norm_eps)
        same = (False, True, "layer", config.activation, config.norm_eps)
        return {} if ours == same else None

    def task_settings(self, theirs: Settings) -> Settings:
        """Return no transform; the layer on the first position has an activation of its own."""
        name = theirs.get("pooler_hidden_act", POOLER_ACTIVATION)
        if name != POOLER_ACTIVATION:
            raise ValueError(
                f"pooler_hidden_act = {name!r} is not supported, only {POOLER_ACTIVATION!r} is"
            )
        return super().task_settings(theirs)


def _renamed(name: str) -> str:
    for pattern, new in TRAINED_HEADS.items():
        name = re.sub(pattern, new, name)
    return name


def _check(theirs: Settings) -> None:
    """Refuse attention of another kind.

    Raises:
        ValueError: with half a sentence, which setting.
    """
    if not theirs.get("relative_attention", False):
        raise ValueError("relative_attention = false is not supported, only true is")
    found = theirs.get("pos_att_type")
    parts = found.lower().split("|") if isinstance(found, str) else found or ()
    if {part.strip() for part in parts} != COMPARED:
        raise ValueError(f"pos_att_type = {found!r} is not supported, only 'p2c|c2p' is")
    heads, dim = theirs.get("num_attention_heads", 24), theirs.get("hidden_size", 1536)
    width = theirs.get("attention_head_size", dim // heads)
    if width * heads != dim:
        raise ValueError(
            f"attention_head_size = {width} is not supported, only hidden_size / "
            f"num_attention_heads = {dim // heads} is"
        )
