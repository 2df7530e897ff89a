"""Small bodies of every kind for tests of tasks, and rows that they learn at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from foretext.backbones.lookup import Lookup
from foretext.backbones.pair_reader import PairReader
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.textcnn import TextCNN
from foretext.data.rows import LabelledPair, LabelledText
from foretext.heads.base import TaskBase
from foretext.progress.run_context import RunContext
from foretext.tasks.model import TaskModel
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from tests.networks import ANIMALS, SOUNDS, TIMES, bert, gpt

WORDS = ("the", "in", "every", "again", ".", *ANIMALS, *SOUNDS, *TIMES)
SIGHTED = ("cat", "dog", "hen")  # the labels of texts


def bert_body(tokenizer: SubwordTokenizer) -> TaskBase:
    """A BERT of two layers."""
    return TaskBase(tokenizer, bert(tokenizer).backbone, "full")


def gpt_body(tokenizer: SubwordTokenizer) -> TaskBase:
    """A GPT of two layers with its vocabulary head."""
    model: Any = gpt(tokenizer)
    return TaskBase(tokenizer, model.backbone, "causal", model.objective.head)


def word_body(kind: str) -> TaskBase:
    """A "lookup", "textcnn", "reader" or "recurrent" over the words of the animals."""
    torch.manual_seed(0)
    vocabulary = Vocabulary(["[UNK]", *WORDS], np.ones(len(WORDS) + 1, np.int64))
    tokenizer = WordTokenizer(WordTokenizer.Config(pre_tokenizer="whitespace"), vocabulary)
    size, num_words = {"vector_size": 16}, tokenizer.vocab_size
    backbone: Any
    if kind == "lookup":
        backbone = Lookup(Lookup.Config(**size), num_words)
    elif kind == "textcnn":
        backbone = TextCNN(TextCNN.Config(**size, widths=[1, 3], num_maps=8), num_words)
    elif kind == "reader":
        still = {"dropout": 0.0, "layer_dropout": 0.0}
        backbone = PairReader(PairReader.Config(**size, dim=8, **still), num_words)
    else:
        backbone = Recurrent(Recurrent.Config(**size, dim=8, dropout=0.0), num_words)
    return TaskBase(tokenizer, backbone, "full")


def silent(model: Any) -> Any:
    """A model whose network says nothing, so that the words in its head answer alone."""
    with torch.no_grad():
        for weight in model.head.classifier.parameters():
            weight.zero_()
    return model


def labelled_texts(number: int = 48) -> list[LabelledText]:
    """Sentences; the label is the animal."""
    return [
        LabelledText(_sentence(row), (SIGHTED[row % len(SIGHTED)],), f"rows.tsv:{row + 1}")
        for row in range(number)
    ]


def _sentence(row: int) -> str:
    start = ("the", "every")[row // 3 % 2]
    return f"{start} {SIGHTED[row % len(SIGHTED)]} in the {TIMES[row // 6 % len(TIMES)]} ."


def pair(text_a: str, text_b: str, answer: str | float | None, line: int = 1) -> LabelledPair:
    """One row of a file of pairs."""
    label = answer if isinstance(answer, str) else None
    score = answer if isinstance(answer, float) else None
    return LabelledPair(text_a, text_b, label, score, f"pairs.tsv:{line}")


def learn(
    model: TaskModel, rows: Sequence[Any], folder: Path, *, steps: int, learning_rate: float
) -> None:
    """Train a model on rows, a few seconds at most."""
    config = TrainingConfig(
        steps=steps, learning_rate=learning_rate, batch_examples=16, device="cpu"
    )
    fit(Model(model.base.backbone, model.head), model.examples(rows), config, RunContext(folder))
