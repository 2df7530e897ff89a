"""T5 (Raffel et al. 2020), its release 1.1 and mT5 as `transformers` stores them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.backbones.encoder_decoder import EncoderDecoderConfig
from foretext.backbones.transformer import Transformer
from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.buffers import TRANSFORMER_BUFFERS
from foretext.interop.encoder_decoder_family import EncoderDecoderFamily
from foretext.interop.family import PLAIN, Family, Key, Settings
from foretext.interop.task_heads import TaskHead, similarities
from foretext.interop.transfer import Heads, Row, affine, scale
from foretext.nn.feed_forward import GATED
from foretext.objectives.base import Objective
from foretext.objectives.masked_lm import MaskedLM
from foretext.objectives.span_corruption import SpanCorruption

__all__ = ["T5", "T5Encoder"]

LENGTH = 512  # of a row; the network itself has no limit
INNER = "DenseReluDense.wi"  # two matrices where the part is gated: wi_0 and wi_1
ACTIVATIONS = {  # of feed_forward_proj: ours
    "relu": "relu",
    "gated-gelu": "geglu_tanh",
    "gated-gelu_new": "geglu_tanh",
    "gated-silu": "swiglu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "silu": "silu",
}
FIXED = {
    **{name: value for name, value in PLAIN.items() if name != "head_dim"},
    "positions": "relative",
    "scale_embeddings": False,
    "scale_scores": False,
    "num_segments": 0,
    "norm": "rms",
    "norm_position": "pre",
    "embedding_norm": False,
    "first_norm": True,
    "bias": False,
}
KEYS = {
    "num_layers": Key("num_layers", 6),
    "dim": Key("d_model", 512),
    "num_heads": Key("num_heads", 8),
    "head_dim": Key("d_kv", 64, said_by="head_width"),
    "feed_forward_dim": Key("d_ff", 2048, said_by="hidden_dim"),
    "max_length": Key("n_positions", LENGTH),
    "num_buckets": Key("relative_attention_num_buckets", 32),
    "max_distance": Key("relative_attention_max_distance", 128),
    "norm_eps": Key("layer_norm_epsilon", 1e-6),
    "activation": Key("feed_forward_proj", "relu"),
    "attention_dropout": Key("dropout_rate", 0.1),  # they have one rate, and ours below is kept
    "feed_forward_dropout": Key("dropout_rate", 0.1),
    "dropout": Key("dropout_rate", 0.1),
}
REQUIRED = {"is_decoder": False, "quantization_config": None}
SPECIAL_IDS = {"pad_token_id": "pad", "eos_token_id": "end"}


def _tower(ours: str, theirs: str) -> Iterator[Row]:
    """Return the rows of one tower without its token vectors; `ours` is its prefix or empty."""
    blocks = f"{ours}blocks.{{i}}"
    own, last = f"{theirs}.block.{{i}}.layer.0", 2 if theirs == "decoder" else 1
    names = [f"{own}.SelfAttention.{part}" for part in "qkv"]
    table = f"{theirs}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    yield Row(f"{ours}relative.scores.weight", (table,))
    yield affine(f"{blocks}.attention.query_key_value", *names)[0]
    yield scale(f"{blocks}.attention.output", f"{own}.SelfAttention.o")
    yield scale(f"{blocks}.attention_norm", f"{own}.layer_norm")
    if theirs == "decoder":
        cross, there = f"{blocks}.cross.attention", f"{theirs}.block.{{i}}.layer.1"
        names = [f"{there}.EncDecAttention.{part}" for part in "kv"]
        yield scale(f"{cross}.query", f"{there}.EncDecAttention.q")
        yield affine(f"{cross}.key_value", *names)[0]
        yield scale(f"{cross}.output", f"{there}.EncDecAttention.o")
        yield scale(f"{blocks}.cross.norm", f"{there}.layer_norm")
    there = f"{theirs}.block.{{i}}.layer.{last}"
    yield scale(f"{blocks}.feed_forward.inner", f"{there}.{INNER}")
    yield scale(f"{blocks}.feed_forward.outer", f"{there}.DenseReluDense.wo")
    yield scale(f"{blocks}.feed_forward_norm", f"{there}.layer_norm")
    yield scale(f"{ours}final_norm", f"{theirs}.final_layer_norm")


def _length(value: Any, ours: str) -> Any:
    """Return the value of a setting of ours; null is no length there."""
    return LENGTH if ours == "max_length" and value is None else value


def _gated(rows: Iterable[Row], config: TransformerConfig) -> Iterator[Row]:
    """Return rows of which a gated part has two matrices in place of one."""
    for row in rows:
        (name, *_) = row.theirs
        if config.activation in GATED and f"{INNER}." in name:
            names = tuple(name.replace(INNER, f"{INNER}_{part}") for part in range(2))
            yield row._replace(theirs=names)
        else:
            yield row


def _bare(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights without the prefix that classes with a head for a task have."""
    return {name.removeprefix("transformer."): weight for name, weight in weights.items()}


class T5(EncoderDecoderFamily):
    """Pre-norm by root mean square, relative buckets, no biases.

    The first release has ReLU and one matrix for token vectors and head, before which states are
    divided by √D; since 1.1 it is gated and the head has weights of its own. mT5 (Xue et al. 2021)
    is T5 1.1 in many languages; it is saved as `t5`.

    Args:
        model_type: its name there.
        begin: what the names of its classes begin with.
        newer: whether it is always as since release 1.1.
    """

    frame = "t5"
    objective: ClassVar[type[Objective]] = SpanCorruption

    fixed: ClassVar = FIXED
    keys: ClassVar = KEYS
    activations: ClassVar = ACTIVATIONS
    required: ClassVar = REQUIRED
    special_ids: ClassVar = SPECIAL_IDS
    decoder_layers = "num_decoder_layers"
    copies = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    prefix = ""
    backbone_rows = (
        Row("encoder.embeddings.tokens.weight", ("shared.weight",)),
        *_tower("encoder.", "encoder"),
        *_tower("decoder.", "decoder"),
    )
    head_rows = ()
    head_marks = frozenset(
        {
            "lm_head.weight",
            "T5ForConditionalGeneration",
            "T5WithLMHeadModel",
            "MT5ForConditionalGeneration",
        }
    )
    unused = r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight" + (
        r"|(classification_head|classifier|qa_outputs)\..+"
    )

    def __init__(self, model_type: str = "t5", begin: str = "T5", *, newer: bool = False) -> None:
        self.model_type, self.backbone_class = model_type, f"{begin}Model"
        self.newer = newer

    def our_value(self, theirs: Settings, ours: str) -> Any:
        """Return the value of a setting of our backbone that has a key."""
        usual = {"feed_forward_proj": "gated-gelu"} if self.newer else {}
        return _length(super().our_value({**usual, **theirs}, ours), ours)

    def rows(
        self, config: TransformerConfig, prefix: str, heads: Heads, theirs: Settings | None = None
    ) -> Iterator[Row]:
        """Return the rows of one model."""
        return _gated(super().rows(config, prefix, heads, theirs), config)

    def renamed(self, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return weights under one name each."""
        return super().renamed(_bare(weights))

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return "T5ForConditionalGeneration"

    def head_settings(self, theirs: Settings) -> Settings:
        """Return whether states are divided; files of earlier releases do not say it."""
        if self.newer:
            return {"scale_states": False}
        tied = theirs.get("tie_word_embeddings") is not False
        return {"scale_states": bool(theirs.get("scale_decoder_outputs", tied))}

    def head_keys(self, head: Any, config: EncoderDecoderConfig) -> Settings | None:
        """Return whether states are divided; None where they are and the head is not tied."""
        if head.bias or (head.scale_states and not head.tied):
            return None
        return {"scale_decoder_outputs": head.scale_states}

    @property
    def variants(self) -> tuple[Family, ...]:
        """T5, and its encoder by itself."""
        return self, T5Encoder()

    def variant(self, theirs: Settings) -> Family:
        """Return the one of a config.json."""
        (name, *_) = theirs.get("architectures") or ("",)
        encoder = T5Encoder()
        return encoder if name.removeprefix("M") in encoder.classes else self


class T5Encoder(Family):
    """The encoder of T5 by itself: a Transformer that tasks read rows with."""

    model_type = "t5"
    backbone_class = "T5EncoderModel"
    frame = "t5"
    buffers = TRANSFORMER_BUFFERS
    backbone: ClassVar[type[Backbone]] = Transformer
    objective: ClassVar[type[Objective]] = MaskedLM  # a head that T5 does not have

    fixed: ClassVar = {**FIXED, "num_segments": 0}
    keys: ClassVar = KEYS
    activations: ClassVar = ACTIVATIONS
    required: ClassVar = REQUIRED
    special_ids: ClassVar = SPECIAL_IDS
    prefix = ""
    backbone_rows = (
        Row("embeddings.tokens.weight", ("shared.weight",)),
        *_tower("", "encoder"),
    )
    head_rows = ()
    task_heads = (
        TaskHead(
            "T5ForTokenClassification",
            ("tagging",),
            affine("classifier", "classifier"),
            dropout="classifier_dropout",
        ),
        *similarities("T5EncoderModel"),
    )
    decoder = "lm_head.weight"
    head_marks = frozenset()
    unused = r"decoder\..+|lm_head\.weight|(classification_head|classifier|qa_outputs)\..+"

    @property
    def classes(self) -> frozenset[str]:
        """Their classes that have no decoder."""
        return frozenset({self.backbone_class, *(head.their_class for head in self.task_heads)})

    def our_value(self, theirs: Settings, ours: str) -> Any:
        """Return the value of a setting of our backbone that has a key."""
        return _length(super().our_value(theirs, ours), ours)

    def rows(
        self, config: TransformerConfig, prefix: str, heads: Heads, theirs: Settings | None = None
    ) -> Iterator[Row]:
        """Return the rows of one model."""
        return _gated(super().rows(config, prefix, heads, theirs), config)

    def renamed(self, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return weights whose token vectors have one name."""
        weights = _bare(weights)
        copy = weights.pop("encoder.embed_tokens.weight", None)
        return weights if copy is None else {"shared.weight": copy, **weights}

    def head_class(self, head: Any) -> str:
        """Return no class: there is none."""
        raise NotImplementedError(self.backbone_class)

    def further_settings(self, theirs: Settings) -> Settings:
        """Return nothing: each setting has a key."""
        return {}

    def further_keys(self, config: TransformerConfig) -> Settings:
        """Return that there is no decoder."""
        return {"is_encoder_decoder": False, "use_cache": False}

    def head_settings(self, theirs: Settings) -> Settings:
        """Return nothing: there is no head."""
        return {}

    def head_keys(self, head: Any, config: TransformerConfig) -> Settings | None:
        """Return None: there is no head."""
        return None
