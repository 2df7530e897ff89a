"""A BART of random weights whose texts end after some twenty tokens, and sources for it.

Weights that were trained are not needed to measure speed, but lengths that differ are. So a
direction of the states grows with the position, and the end token is what it predicts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import work_folder

__all__ = [
    "BATCH",
    "BEGIN",
    "END",
    "MOST_NEW",
    "NUM_BEAMS",
    "PAD",
    "VOCAB",
    "make_model",
    "model_folder",
    "sources",
]

BEGIN, PAD, END = 0, 1, 2
VOCAB, DIM = 32_000, 512
NUM_SOURCES, BATCH, NUM_BEAMS, MOST_NEW = 1000, 32, 4, 60
LENGTH, SLOPE, PULL = 4, 0.012, 0.5  # of texts; of the direction; of the end token by it


def model_folder() -> Path:
    """Where the model is."""
    return work_folder() / "bart-6x512"


def sources() -> list[list[int]]:
    """Framed sources of 8 to 30 tokens."""
    draw = np.random.default_rng(0)
    lengths = draw.integers(8, 31, NUM_SOURCES)
    return [[BEGIN, *draw.integers(3, VOCAB, length).tolist(), END] for length in lengths]


def make_model() -> Path:
    """Write the model, if it is not there."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    if (model_folder() / "model.safetensors").exists():
        return model_folder()
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"vocab_size": VOCAB, "d_model": DIM, "max_position_embeddings": 128}
    for tower in ("encoder", "decoder"):
        sizes |= {f"{tower}_layers": 6, f"{tower}_attention_heads": 8, f"{tower}_ffn_dim": 4 * DIM}
    config = BartConfig(**sizes, activation_function="relu", forced_bos_token_id=BEGIN)
    config.forced_eos_token_id = None
    model = BartForConditionalGeneration(config).eval()
    direction = torch.nn.functional.normalize(torch.randn(DIM), dim=0)
    with torch.no_grad():
        positions = torch.arange(128 + 2) - 2 - LENGTH
        model.model.decoder.embed_positions.weight += SLOPE * positions[:, None] * direction
        model.model.shared.weight[END] = PULL * direction
    model.save_pretrained(model_folder())
    _save_tokenizer()
    return model_folder()


def _save_tokenizer() -> None:
    """Write a tokenizer beside it, which foretext opens no folder without; nothing reads it."""
    from foretext.corpus import Corpus
    from foretext.tokenizers.hf_files import save_hf_tokenizer
    from foretext.tokenizers.subwords import learn_subwords

    text = model_folder() / "text.txt"
    text.write_text("some words\n", encoding="utf-8")
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = learn_subwords("bpe", {"vocab_size": 300, "special_tokens": special}, Corpus(text))
    save_hf_tokenizer(tokenizer, model_folder(), 128, "roberta", has_segments=False)
