"""Small T5s and BARTs with random weights, made in a moment."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch

from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.corpus import Corpus
from foretext.language_model import LanguageModel
from foretext.objectives import OBJECTIVES
from foretext.objectives.sequence_to_sequence import SequenceToSequence
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.training.model import Model

SHAPE = {"num_layers": 2, "dim": 32, "num_heads": 2, "max_length": 64, "dropout": 0.0}
T5 = {"positions": "relative", "norm": "rms", "norm_position": "pre", "bias": False}
BART = {"positions": "learned", "embedding_norm": True, "scale_embeddings": False}
SPECIAL_TOKENS = {
    "span_corruption": ["<pad>", "</s>", "<unk>"],
    "text_infilling": ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
    "prefix_lm": ["<pad>", "</s>", "<unk>"],
}
NUM_SENTINELS = 12


@cache
def tokenizer_of(objective: str, text: Path) -> SubwordTokenizer:
    """A tokenizer with the special tokens of an objective."""
    sentinels = NUM_SENTINELS if objective == "span_corruption" else 0
    special = {"special_tokens": SPECIAL_TOKENS[objective], "num_sentinels": sentinels}
    kind, size = ("bpe", 320) if objective == "text_infilling" else ("unigram", 120)
    return learn_subwords(kind, {"vocab_size": size, **special}, Corpus(text))


def model_of(
    objective: str, tokenizer: SubwordTokenizer, **settings: object
) -> Model[SequenceToSequence]:
    """A model with weights so large that every token matters; `settings` of its objective."""
    torch.manual_seed(0)
    positions = BART if objective == "text_infilling" else T5
    shape = EncoderDecoder.Config(**{**SHAPE, **positions, "init_std": 0.2})
    backbone = EncoderDecoder(shape, tokenizer.vocab_size)
    component = OBJECTIVES.resolve(objective)
    config = component.Config(**{"row_length": 32, **settings})
    return Model(backbone, component(config, backbone, tokenizer)).eval()


def in_use(objective: str, text: Path) -> LanguageModel:
    """A language model with random weights, without copies in other number formats."""
    tokenizer = tokenizer_of(objective, text)
    model = model_of(objective, tokenizer)
    return LanguageModel(tokenizer, model.backbone, model.objective, precision="fp32")
