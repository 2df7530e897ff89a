"""Small models of every kind that is exported, with weights that are drawn, kept in folders."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import torch

import foretext as ft
from foretext.backbones.attention_backbone import AttentionBackbone
from foretext.backbones.deberta import Deberta
from foretext.backbones.elmo import Elmo
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.textcnn import TextCNN
from foretext.backbones.xlnet import XLNet
from foretext.corpus import Corpus
from foretext.heads.base import TaskBase
from foretext.language_model import LanguageModel
from foretext.tokenizers.alphabet import Alphabet
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.word_tokenizer import WordTokenizer
from tests.language_model import models
from tests.networks import sentences, tokenizer_for

__all__ = ["TASKS", "saved_model"]

PAIR = {"mode": "pair"}
# Shape of the backbone, task, what was found in its rows, settings of the head.
TASKS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "classifier": ("bert", "classification", "labels", {"pooling": "mean"}),
    "calibrated": ("bert", "classification", "labels", {"pooling": "mean"}),
    "label sets": ("albert", "classification", "label sets", {}),
    "modernbert": ("modernbert", "classification", "labels", {"pooling": "mean"}),
    "gpt classifier": ("gpt2", "classification", "labels", {"bias": False}),
    "matcher": ("bert", "matching", "labels", PAIR),
    "score": ("bert", "matching", "score", PAIR),
    "plain matcher": ("bert", "matching", "labels", {}),
    "plain reader": ("bert", "span_qa", "spans", {}),
    "marked matcher": ("bert", "matching", "labels", PAIR | {"shared_tokens": True}),
    "siamese": ("bert", "matching", "labels", {"mode": "siamese"}),
    "both orders": ("gpt2", "matching", "labels", {"bias": False}),
    "tagger": ("bert", "tagging", "tags", {}),
    "crf": ("bert", "tagging", "tags", {"crf": True}),
    "gpt tagger": ("gpt2", "tagging", "tags", {"crf": True}),
    "bilstm": ("bert", "tagging", "tags", {"lstm_dim": 4}),
    "reader": ("bert", "span_qa", "spans", {"shared_tokens": True}),
    "llama reader": ("llama", "span_qa", "spans", {}),
    "abstaining reader": (
        "bert",
        "span_qa",
        "spans or none",
        {"shared_tokens": True, "stride": 5, "num_best": 6},
    ),
    "long texts": ("bert", "classification", "labels", {"long_texts": "tail"}),
}
# Of networks over whole words: backbone, its settings, task, what was found, settings of the head.
OVER_WORDS: dict[str, tuple[type[Any], dict[str, Any], str, str, dict[str, Any]]] = {
    "textcnn": (TextCNN, {"num_maps": 4}, "classification", "labels", {}),
    "bilstm classifier": (Recurrent, {"dim": 6}, "classification", "labels", {"pooling": "mean"}),
    "gru classifier": (
        Recurrent,
        {"dim": 6, "kind": "gru", "num_layers": 2, "bigrams": 64},
        "classification",
        "label sets",
        {"pooling": "attention"},
    ),
    "word siamese": (Recurrent, {"dim": 6}, "matching", "score", {"mode": "siamese"}),
    "elmo": (Elmo, {}, "classification", "labels", {}),
    "jieba classifier": (TextCNN, {"num_maps": 4}, "classification", "labels", {}),
    "bilstm tagger": (Recurrent, {"dim": 6}, "tagging", "tags", {"crf": True}),
    "spelling tagger": (Recurrent, {"dim": 6, "characters": "cnn"}, "tagging", "tags", {}),
    "lstm spelling tagger": (Recurrent, {"dim": 6, "characters": "lstm"}, "tagging", "tags", {}),
}


ATTENDING: dict[str, tuple[type[AttentionBackbone], dict[str, Any]]] = {  # of other families
    "deberta": (Deberta, {"num_buckets": 8, "convolution_width": 3}),
    "xlnet": (XLNet, {}),
}


def saved_model(name: str, folder: Path) -> Path:
    """Write the model of a name into a folder, and return where it is."""
    target = folder / name.replace(" ", "-")
    if name == "encoder":
        models.bert().save(target)
    elif name == "gpt":
        models.gpt().save(target)
    elif name == "lstm":
        models.lstm().save(target)
    elif "sentence encoder" in name:
        wide = {"dim": 64, "num_heads": 4, "init_std": 0.05}  # for which 8 bits are enough
        bert = models.bert(**(wide if "wide" in name else {}))
        pooling = "cls" if "cls" in name else "mean"
        parts: Any = {"pooling": pooling, "normalize": True, "is_sentence_encoder": True}
        LanguageModel(bert.tokenizer, bert.backbone, None, text_length=24, **parts).save(target)
    elif name == "static":
        models.bert().save(folder / "teacher")
        ft.distill(folder / "teacher", target, quiet=True)
    elif name in ATTENDING:
        save_classifier(*ATTENDING[name], target, folder)
    elif name in OVER_WORDS:
        save_over_words(name, target, folder)
    else:
        from tests.interop.test_tasks_there import saved

        shape, task, found, settings = TASKS[name]
        kind = "wordpiece" if "bert" in shape else "bpe"
        saved(target, tokenizer(kind, folder), shape, task, found, settings)
        if name == "calibrated":
            model = ft.load(target)
            model.temperature = 0.25
            model.save(target)
    return target


def save_classifier(
    kind: type[AttentionBackbone], shape: dict[str, Any], target: Path, folder: Path
) -> None:
    """Save a classifier of one layer, over sub-words."""
    subwords = tokenizer("wordpiece", folder)
    small = {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 32, "init_std": 0.3}
    torch.manual_seed(0)
    backbone = kind.build(kind.Config(**small, **shape), subwords.vocab_size)
    base = TaskBase(subwords, backbone, "full")
    save_task_on(base, "classification", "labels", {"pooling": "mean"}, target)


def save_task_on(
    base: TaskBase, task: str, found: str, settings: dict[str, Any], target: Path, **more: Any
) -> None:
    """Put a head with drawn weights on a base, and save both."""
    from tests.interop.test_tasks_there import FOUND, MODELS, shaken

    model = MODELS[task]
    head = model.task.head(model.task.head_config(**settings), base, **(FOUND[found] | more))
    model(base, shaken(head), device="cpu", precision="fp32").save(target)


def save_over_words(name: str, target: Path, folder: Path) -> None:
    """Save a network over whole words."""
    kind, shape, task, found, settings = OVER_WORDS[name]
    text = folder / "words.txt"
    text.write_text(sentences(200), encoding="utf-8")
    words = WordTokenizer.learn(WordTokenizer.Config(min_count=1), Corpus(text))
    if "jieba" in name:
        config = WordTokenizer.Config(min_count=1, pre_tokenizer="chinese_words")
        words = WordTokenizer(config, words.vocabulary)
    letters = Alphabet.of(words.tokens[1:]).characters
    torch.manual_seed(0)
    size = {} if kind is Elmo else {"vector_size": 8}
    shaped = kind.Config(**{**size, **shape})
    backbone = kind.build(shaped, words.vocab_size, num_characters=Alphabet(letters).num_ids)
    backbone.spell(words.tokens)
    base = TaskBase(words, backbone, "split" if kind is Elmo else "full")
    more = {"characters": letters} if task == "tagging" else {}
    save_task_on(base, task, found, settings, target, **more)


@cache
def tokenizer(kind: str, folder: Path) -> SubwordTokenizer:
    """Learn a tokenizer from a few sentences."""
    text = folder / f"{kind}.txt"
    text.write_text(sentences(200), encoding="utf-8")
    return tokenizer_for(kind, text)
