"""Marian's models of translation (Junczys-Dowmunt et al. 2018) as `transformers` stores them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.backbones.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from foretext.interop.bart import Bart, bart_layers
from foretext.interop.buffers import ROUNDED, Holds
from foretext.interop.config_file import read_vocab_size
from foretext.interop.encoder_decoder_family import EncoderDecoderFamily
from foretext.interop.family import PLAIN, Family, Settings
from foretext.interop.transfer import Heads, Row
from foretext.nn.positions import sinusoids
from foretext.objectives.base import Objective
from foretext.objectives.prefix_lm import PrefixLM

__all__ = ["Marian"]

BIAS = "final_logits_bias"
SHARED = "share_encoder_decoder_embeddings"


def _are_sinusoids(buffer: Tensor, config: Any) -> bool:
    """Whether a table of positions is the one that is computed here, sines in the first half."""
    table = sinusoids(config.max_length, config.dim, "halves")
    same = buffer.shape == table.shape
    return same and torch.allclose(buffer.float(), table, rtol=0.0, atol=ROUNDED)


class Marian(EncoderDecoderFamily):
    """The Transformer of 2017: post-norm, sinusoids in halves, a head with a bias.

    Source and target have one vocabulary or two. Biases that our model lacks are stored as zeros.
    """

    model_type = "marian"
    backbone_class = "MarianModel"
    frame = "t5"
    objective: ClassVar[type[Objective]] = PrefixLM  # reads and writes texts as Marian does

    fixed: ClassVar = {
        **PLAIN,
        "positions": "sinusoidal",
        "sinusoids": "halves",
        "num_segments": 0,
        "norm": "layer",
        "norm_position": "post",
        "norm_eps": 1e-5,
        "embedding_norm": False,
        "first_norm": True,
    }
    keys: ClassVar = Bart.keys
    decoder_layers = "decoder_layers"
    copies = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    activations: ClassVar = {
        "gelu": "gelu",
        "gelu_new": "gelu_tanh",
        "relu": "relu",
        "swish": "silu",
        "silu": "silu",
    }
    required: ClassVar = {  # most of them stand in files of earlier releases only
        "is_decoder": False,
        "normalize_before": False,
        "normalize_embedding": False,
        "add_final_layer_norm": False,
        "static_position_embeddings": True,
        "add_bias_logits": False,
        "quantization_config": None,
    }
    special_ids: ClassVar = {"pad_token_id": "pad", "eos_token_id": "end"}

    prefix = "model."
    backbone_rows = (
        Row("encoder.embeddings.tokens.weight", ("shared.weight",)),
        *bart_layers("encoder"),
        *bart_layers("decoder"),
    )
    head_rows = (Row("head.bias", (BIAS,), "row"),)
    head_marks = frozenset({"lm_head.weight", BIAS, "MarianMTModel"})
    buffers: ClassVar[Mapping[str, Holds]] = {
        r"(model\.)?(encoder|decoder)\.embed_positions\.weight": _are_sinusoids
    }
    unused = r"(model\.)?(encoder|decoder)\.embed_positions\.weight"

    def fits(self, backbone: Backbone, objective: Objective | None = None) -> bool:
        """Whether a model of ours is of these classes; it may have two vocabularies."""
        return Family.fits(self, backbone, objective)

    def head_class(self, head: Any) -> str:
        """Return their class."""
        return "MarianMTModel"

    def renamed(self, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return weights with the bias of the head, which some files lack, as zeros."""
        weights = super().renamed(weights)
        tokens = self.head_vectors(weights)
        if BIAS not in weights and tokens is not None:
            weights[BIAS] = torch.zeros(1, len(tokens))
        return weights

    def head_vectors(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        """Return the vectors of the target's tokens."""
        return weights.get("model.decoder.embed_tokens.weight", weights.get(self.embedding))

    def rows(
        self,
        config: EncoderDecoderConfig,
        prefix: str,
        heads: Heads,
        theirs: Settings | None = None,
    ) -> Iterator[Row]:
        """Return the rows of one model; two vocabularies have names of their own."""
        for row in super().rows(config, prefix, heads, theirs):
            if row.theirs[0].endswith("shared.weight") and not (theirs or {}).get(SHARED, True):
                for tower in ("encoder", "decoder"):
                    ours = f"backbone.{tower}.embeddings.tokens.weight"
                    yield Row(ours, (f"{prefix}{tower}.embed_tokens.weight",))
            else:
                yield row

    def build(self, config: Any, theirs: Settings, path: Path) -> Backbone:
        """Return our backbone with the sizes of one vocabulary or of two.

        Raises:
            ModelFileError: the config.json at `path` does not say them.
        """
        size = read_vocab_size(theirs, path)
        if theirs.get(SHARED, True):
            return EncoderDecoder.build(config, size)
        target = read_vocab_size(theirs, path, "decoder_vocab_size")
        return EncoderDecoder.build(config, target, source_vocab_size=size)

    def size_keys(self, backbone: Backbone) -> Settings:
        """Return the sizes of the vocabularies, and whether there is one for both sides."""
        size = cast(EncoderDecoder, backbone).source_vocab_size
        return {
            "vocab_size": size or backbone.vocab_size,
            "decoder_vocab_size": backbone.vocab_size,
            SHARED: size is None,
        }

    def head_settings(self, theirs: Settings) -> Settings:
        """Return that the head has a bias."""
        return {"bias": True}
