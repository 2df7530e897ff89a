"""Small models of every kind that is exported, with weights that are drawn, kept in folders."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import foretext as ft
from foretext.language_model import LanguageModel
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
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
    "marked matcher": ("bert", "matching", "labels", PAIR | {"shared_tokens": True}),
    "siamese": ("bert", "matching", "labels", {"mode": "siamese"}),
    "both orders": ("gpt2", "matching", "labels", {"bias": False}),
    "tagger": ("bert", "tagging", "tags", {}),
    "crf": ("bert", "tagging", "tags", {"crf": True}),
    "gpt tagger": ("gpt2", "tagging", "tags", {"crf": True}),
    "bilstm": ("bert", "tagging", "tags", {"lstm_dim": 4}),
    "reader": ("bert", "span_qa", "spans", {"shared_tokens": True}),
    "llama reader": ("llama", "span_qa", "spans", {}),
    "long texts": ("bert", "classification", "labels", {"long_texts": "tail"}),
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


@cache
def tokenizer(kind: str, folder: Path) -> SubwordTokenizer:
    """Learn a tokenizer from a few sentences."""
    text = folder / f"{kind}.txt"
    text.write_text(sentences(200), encoding="utf-8")
    return tokenizer_for(kind, text)
