"""Random language models of some shapes, and sentences, made once for what is measured of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import data_folder, work_folder
from benchmarks.inputs import enwiki_text
from foretext.base.sizes import SIZES

__all__ = ["SHAPES", "VOCAB_SIZE", "make_model", "model_folder", "sentences", "write_model"]

SHAPES: dict[str, dict[str, Any]] = {
    "minilm": {"num_layers": 6, "dim": 384, "num_heads": 12, "max_length": 512},
    "bert-mini": {**SIZES["mini"]._asdict(), "max_length": 512},
    "bert-small": {**SIZES["small"]._asdict(), "max_length": 512},
    "gpt": {
        "num_layers": 6,
        "dim": 320,
        "num_heads": 5,
        "max_length": 512,
        "num_segments": 0,
        "norm_position": "pre",
        "norm_eps": 1e-5,
        "embedding_norm": False,
        "activation": "gelu_tanh",
    },
}
VOCAB_SIZE = 8_000
ENWIKI = {"minilm": (30_000, 100_000_000)}  # vocabulary and bytes of those that learn it of enwiki


def sentences(num: int) -> list[str]:
    """The first sentences of WikiText-2 with more than twenty characters."""
    from foretext.corpus import Corpus

    found: list[str] = []
    for document in Corpus(_text()):
        found += [part for part in re.split(r"\n|(?<= [.!?]) ", document) if len(part) > 20]
        if len(found) >= num:
            break
    return found[:num]


def model_folder(kind: str) -> Path:
    """Where the model of a kind is kept."""
    return work_folder() / f"random-{kind}"


def make_model(kind: str) -> Path:
    """Make one of `SHAPES`, with a tokenizer of WikiText-2 or enwiki, if it is missing."""
    vocab_size, num_bytes = ENWIKI.get(kind, (VOCAB_SIZE, 0))
    text = partial(enwiki_text, num_bytes) if num_bytes else _text
    return write_model(model_folder(kind), kind, text, vocab_size)


def write_model(
    folder: Path, kind: str, text: Callable[[], Path], vocab_size: int = VOCAB_SIZE
) -> Path:
    """Write one of `SHAPES` into a folder, with a tokenizer of a text, if it is missing."""
    import torch

    from foretext.backbones.transformer import Transformer
    from foretext.corpus import Corpus
    from foretext.language_model import LanguageModel
    from foretext.objectives.causal_lm import CausalLM
    from foretext.objectives.masked_lm import MaskedLM
    from foretext.tokenizers.subwords import learn_subwords

    if (folder / "config.json").is_file():
        return folder
    name, settings = "wordpiece", dict[str, Any](vocab_size=vocab_size)
    if kind == "gpt":
        name, settings = "bpe", settings | {"special_tokens": ["<|endoftext|>"]}
    tokenizer = learn_subwords(name, settings, Corpus(text()))
    torch.manual_seed(0)
    backbone = Transformer(Transformer.Config.checked(SHAPES[kind], kind), tokenizer.vocab_size)
    # A GPT whose head is tied to random token vectors would repeat the last token for ever.
    objective = (
        CausalLM(CausalLM.Config.checked({"tied": False}, kind), backbone, tokenizer)
        if kind == "gpt"
        else MaskedLM(MaskedLM.Config.checked({}, kind), backbone, tokenizer)
    )
    LanguageModel(tokenizer, backbone, objective).save(folder)
    return folder


def _text() -> Path:
    return data_folder() / "wikitext-2" / "train.txt.xz"
