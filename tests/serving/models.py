"""Tiny models of every kind with random weights, made in a moment."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from foretext.backbones.transformer import Transformer
from foretext.data.rows import LabelledPair, LabelledText, TaggedSentence
from foretext.data.rows.questions import Answer, Question
from foretext.data.rows.sentences import SentenceRow
from foretext.heads.base import TaskBase
from foretext.search import SearchIndex
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.model import TaskModel
from foretext.tasks.sentence_vectors.network import SentenceEncoder
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger
from foretext.tokenizers.subwords import learn_subwords
from foretext.vectors.word_vectors import WordVectors
from tests.language_model.models import SENTENCES, Lines, bert, gpt, learned_tokenizer
from tests.search.indexes import made

__all__ = ["NAMES", "TEXTS", "WORDS", "made_models"]

TEXTS = SENTENCES
WORDS = sorted({word for sentence in SENTENCES for word in sentence.split()})
NAMES = (
    "words",
    "causal",
    "masked",
    "classifier",
    "linear",
    "matcher",
    "tagger",
    "reader",
    "writer",
    "sentences",
    "index",
)


def made_models(folder: Path) -> dict[str, Any]:
    """One model of each kind, by the `NAMES`; the index lies in `folder`."""
    from foretext.tasks.classification.linear import LinearClassifier

    linear = LinearClassifier().fit(TEXTS, ["land", "sea", "sea", "land"])
    return {
        "words": word_vectors(),
        "causal": gpt(),
        "masked": bert(),
        "classifier": _task(TextClassifier, _labelled()),
        "linear": linear,
        "matcher": _task(TextMatcher, _pairs()),
        "tagger": _task(Tagger, _tagged()),
        "reader": _task(SpanReader, _questions()),
        "writer": writer(),
        "sentences": _task(SentenceEncoder, _sentences()),
        "index": index(folder),
    }


def word_vectors() -> WordVectors:
    """Vectors of the words of the texts, (V, 16)."""
    vectors = np.random.default_rng(0).standard_normal((len(WORDS), 16)).astype(np.float32)
    return WordVectors(WORDS, vectors, np.arange(len(WORDS), 0, -1))


def index(folder: Path) -> SearchIndex:
    """An index of some lines; see `tests.search.indexes`."""
    return made(folder)


def writer() -> Any:
    """A model that writes a text for a text."""
    from foretext.backbones import BACKBONES
    from foretext.data.rows import ParallelText
    from foretext.tasks.text_to_text.network import TextWriter

    settings = {"vocab_size": 320, "special_tokens": ["<pad>", "</s>", "<unk>"]}
    tokenizer = learn_subwords("bpe", settings, Lines())
    component = BACKBONES.resolve("seq2seq")
    torch.manual_seed(0)
    shape = {"kind": "gru", "dim": 32, "vector_size": 32, "dropout": 0.0}
    backbone = component(component.Config(**shape), tokenizer.vocab_size)
    base = TaskBase(tokenizer, backbone, "causal")
    rows = [ParallelText(text, text, f"rows:{line}") for line, text in enumerate(TEXTS, 1)]
    return TextWriter.begin(base, TextWriter.task.head_config(max_length=24), rows)


def _task(kind: type[TaskModel], rows: list[Any]) -> TaskModel:
    return kind.begin(_base(), kind.task.head_config(), rows)


@cache
def _base() -> TaskBase:
    tokenizer = learned_tokenizer("wordpiece")
    torch.manual_seed(0)
    shape = Transformer.Config(num_layers=2, dim=32, num_heads=2, max_length=48)
    return TaskBase(tokenizer, Transformer(shape, tokenizer.vocab_size), "full")


def _labelled() -> list[LabelledText]:
    labels = ("land", "sea", "sea", "land")
    return [
        LabelledText(text, (label,), f"rows:{line}")
        for line, (text, label) in enumerate(zip(TEXTS, labels, strict=True), 1)
    ]


def _pairs() -> list[LabelledPair]:
    return [
        LabelledPair(text, other, str(int(text == other)), None, f"rows:{line}")
        for text in TEXTS
        for line, other in enumerate(TEXTS, 1)
    ]


def _tagged() -> list[TaggedSentence]:
    tags = {"king": "B-PER", "queen": "B-PER", "captain": "B-PER", "castle": "B-LOC"}
    return [
        TaggedSentence(
            tuple(text.split()),
            tuple(tags.get(word, "O") for word in text.split()),
            "rows.conll",
            tuple(range(1, len(text.split()) + 1)),
        )
        for text in TEXTS
    ]


def _questions() -> list[Question]:
    return [
        Question(str(line), "who ?", text, (Answer("the", text.index("the")),), "", f"rows:{line}")
        for line, text in enumerate(TEXTS, 1)
    ]


def _sentences() -> list[SentenceRow]:
    return [SentenceRow(text, text, None, None, f"rows:{line}") for line, text in enumerate(TEXTS)]
