"""Small networks with random weights, and tokenizers learned from a few sentences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from foretext.backbones.recurrent import Recurrent
from foretext.backbones.transformer import Transformer
from foretext.language_model import LanguageModel
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.electra import Electra
from foretext.objectives.masked_lm import MaskedLM
from foretext.objectives.unilm import UniLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

__all__ = ["SENTENCES", "Lines", "bert", "electra", "gpt", "learned_tokenizer", "lstm", "unilm"]

SENTENCES = [
    "the king and the queen live in a castle by the sea",
    "a ship sails from the harbour to the island",
    "the captain of the ship sees an island in the sea",
    "the queen of the island has a ship and a castle",
]
MAX_LENGTH = 32


class Lines:
    """The sentences as a corpus of documents."""

    bytes_read = 0
    fingerprint = "sentences"

    def blocks(self, size: int = 1) -> Iterator[str]:
        yield "".join(f"{sentence}\n\n" for sentence in SENTENCES)


@cache
def learned_tokenizer(kind: str) -> SubwordTokenizer:
    """A tokenizer of 90 tokens or so; `kind` is "wordpiece", "bpe" or "word"."""
    settings: dict[str, Any] = {"vocab_size": 120, "min_count": 1}
    if kind == "bpe":
        settings |= {"vocab_size": 320, "special_tokens": ["<|endoftext|>"]}
    if kind == "word":
        settings |= {"special_tokens": ["<unk>", "<eos>"], "pre_tokenizer": "whitespace"}
    return learn_subwords(kind, settings, Lines())


def bert(seed: int = 0, *, next_sentence: bool = False, **settings: Any) -> LanguageModel:
    """A masked language model of two layers, with weights far from zero."""
    tokenizer = learned_tokenizer("wordpiece")
    backbone = _backbone(seed, tokenizer, **settings)
    config = MaskedLM.Config(next_sentence=next_sentence)
    return LanguageModel(tokenizer, backbone, MaskedLM(config, backbone, tokenizer), device="cpu")


def electra(seed: int = 0) -> LanguageModel:
    """A detector of replaced tokens, of two layers, with its generator."""
    tokenizer = learned_tokenizer("wordpiece")
    backbone = _backbone(seed, tokenizer)
    objective = Electra(Electra.Config(), backbone, tokenizer)
    return LanguageModel(tokenizer, backbone, objective, device="cpu")


def gpt(
    seed: int = 0, *, tied: bool = False, row_length: int | None = None, **settings: Any
) -> LanguageModel:
    """A causal language model of two layers, shaped as GPT-2; untied, it does not repeat itself."""
    tokenizer = learned_tokenizer("bpe")
    shape = {
        "norm_position": "pre",
        "num_segments": 0,
        "embedding_norm": False,
        "activation": "gelu_tanh",
        "norm_eps": 1e-5,
    }
    backbone = _backbone(seed, tokenizer, **{**shape, **settings})
    config = CausalLM.Config(tied=tied, row_length=row_length)
    objective = CausalLM(config, backbone, tokenizer)
    return LanguageModel(tokenizer, backbone, objective, device="cpu")


def lstm(**settings: Any) -> LanguageModel:
    """A language model of words with an LSTM, whose state goes on from row to row."""
    tokenizer = learned_tokenizer("word")
    torch.manual_seed(0)
    shape = {"vector_size": 16, "dim": 16, "num_layers": 2, "bidirectional": False, "dropout": 0.0}
    backbone = Recurrent(Recurrent.Config(**shape), tokenizer.vocab_size)
    config = CausalLM.Config(**{"row_length": 8, "carry_state": True, **settings})
    return LanguageModel(tokenizer, backbone, CausalLM(config, backbone, tokenizer), device="cpu")


def unilm(seed: int = 0, *, row_length: int | None = None, **settings: Any) -> LanguageModel:
    """A unified language model of two layers; its head is its own, so that it repeats nothing."""
    tokenizer = learned_tokenizer("wordpiece")
    backbone = _backbone(seed, tokenizer, **{"num_segments": 6, **settings})
    config = UniLM.Config(tied=False, row_length=row_length)
    objective = UniLM(config, backbone, tokenizer)
    torch.nn.init.normal_(objective.head.weight, std=0.3)
    return LanguageModel(tokenizer, backbone, objective, device="cpu", precision="fp32")


def _backbone(seed: int, tokenizer: SubwordTokenizer, **settings: Any) -> Transformer:
    torch.manual_seed(seed)
    shape = {"num_layers": 2, "dim": 16, "num_heads": 2, "max_length": MAX_LENGTH, "init_std": 0.3}
    return Transformer(Transformer.Config(**{**shape, **settings}), tokenizer.vocab_size)
