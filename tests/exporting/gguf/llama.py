"""Small models of every shape that llama.cpp computes, and llama.cpp itself, where it is there."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.language_model import LanguageModel
from foretext.tokenizers.subwords import learn_subwords
from tests.language_model import models

__all__ = ["MODELS", "NPM", "in_llama_cpp", "model_of"]

NPM = Path(__file__).parents[3] / "build" / "llama" / "node_modules"
ROBERTA = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
ROTARY = {"norm": "rms", "positions": "rotary", "activation": "swiglu", "dim": 32}

in_llama_cpp = pytest.mark.skipif(
    not shutil.which("node") or not (NPM / "node-llama-cpp").is_dir(),
    reason="node, or node-llama-cpp in build/llama, is missing; `make clients`",
)


def _encoder(kind: str, settings: dict[str, Any], **facts: Any) -> LanguageModel:
    tokenizer = learn_subwords(kind, {"min_count": 1, **settings}, models.Lines())
    torch.manual_seed(3)
    shape = {"num_layers": 2, "dim": 32, "num_heads": 2, "max_length": 32, "init_std": 0.3}
    segments = 1 if kind == "bpe" else 2
    config = Transformer.Config(**shape, num_segments=segments)
    backbone = Transformer(config, tokenizer.vocab_size)
    given: Any = {"visibility": "full", "device": "cpu", **facts}
    return LanguageModel(tokenizer, backbone, None, **given)


SENTENCES = {"is_sentence_encoder": True, "normalize": True, "text_length": 24}
MODELS = {  # the second word of an architecture is its variant
    "bert": models.bert,
    "bert uncased": lambda: _encoder(
        "wordpiece", {"vocab_size": 140, "lowercase": True, "strip_accents": True}
    ),
    "bert cased": lambda: _encoder("wordpiece", {"vocab_size": 140, "lowercase": False}),
    "bert sentences": lambda: _encoder("wordpiece", {"vocab_size": 140}, **SENTENCES),
    "bert cls": lambda: _encoder("wordpiece", {"vocab_size": 140}, **SENTENCES, pooling="cls"),
    "bert roberta": lambda: _encoder("bpe", {"vocab_size": 330, "special_tokens": ROBERTA}),
    "gpt2": models.gpt,
    "gpt2 tied": lambda: models.gpt(tied=True),
    "llama": lambda: models.gpt(bias=False, **ROTARY),
    "llama biased": lambda: models.gpt(tied=True, **ROTARY),
}


@cache
def model_of(name: str) -> LanguageModel:
    """Return a model whose biases are no zeros, in float32."""
    model = MODELS[name]()
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for part, weights in model.backbone.named_parameters():
            if part.endswith("bias"):
                weights.copy_(0.2 * torch.randn(weights.shape, generator=generator))
    model.use_precision("fp32")
    return model
