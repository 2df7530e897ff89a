"""Small texts, tokenizers and models, made in a moment, for every test of a network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from foretext.backbones.transformer import Transformer
from foretext.corpus import Corpus
from foretext.data.batch import Inputs
from foretext.data.token_file import Tokens
from foretext.data.token_writer import write_tokens
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.training.model import Model

ANIMALS = ("dog", "cat", "cow", "hen", "pig", "owl")
SOUNDS = ("barks", "purrs", "moos", "clucks", "grunts", "hoots")
TIMES = ("morning", "noon", "evening", "night")
SHAPE = {"num_layers": 2, "dim": 32, "num_heads": 2, "max_length": 32}
GPT = {"num_segments": 0, "norm_position": "pre", "norm_eps": 1e-5, "embedding_norm": False}


def sentences(num_documents: int, seed: int = 0) -> str:
    """Documents about one animal each, three sentences long, that can be learned in a minute."""
    rng = np.random.default_rng(seed)
    documents = []
    for _ in range(num_documents):
        which = rng.integers(len(ANIMALS))
        animal, sound = ANIMALS[which], SOUNDS[which]
        lines = [
            f"the {animal} {sound} in the {rng.choice(TIMES)} .",
            f"every {rng.choice(TIMES)} the {animal} {sound} again .",
            f"a {animal} that {sound} is a happy {animal} .",
        ]
        documents.append("\n".join(lines))
    return "\n\n".join(documents) + "\n"


def tokenizer_for(kind: str, text: Path) -> SubwordTokenizer:
    """A tokenizer with the special tokens of BERT ("wordpiece") or GPT ("bpe")."""
    settings = {"vocab_size": 320 if kind == "bpe" else 120}
    if kind == "bpe":
        settings["special_tokens"] = ["<|endoftext|>"]  # type: ignore[assignment]
    return learn_subwords(kind, settings, Corpus(text))


def encode(text: Path, tokenizer: SubwordTokenizer, folder: Path) -> Tokens:
    """The text as ids, a tenth of it held out."""
    return write_tokens(Corpus(text), tokenizer, folder, valid_rate=0.1)


def bert(tokenizer: SubwordTokenizer, **settings: object) -> Model:
    """A BERT of two layers; `settings` of its objective."""
    torch.manual_seed(0)
    backbone = Transformer(Transformer.Config(**SHAPE), tokenizer.vocab_size)
    config = MaskedLM.Config(**{"row_length": 24, **settings})
    return Model(backbone, MaskedLM(config, backbone, tokenizer))


def gpt(tokenizer: SubwordTokenizer) -> Model:
    """A GPT of two layers."""
    torch.manual_seed(0)
    backbone = Transformer(Transformer.Config(**SHAPE, **GPT), tokenizer.vocab_size)
    return Model(backbone, CausalLM(CausalLM.Config(row_length=24), backbone, tokenizer))


def random_inputs(vocab_size: int, shape: tuple[int, int] = (3, 12), **fields: object) -> Inputs:
    """Some ids, the same ones every time."""
    generator = torch.Generator().manual_seed(5)
    return Inputs(torch.randint(vocab_size, shape, generator=generator), **fields)
