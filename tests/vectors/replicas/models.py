"""Small models that several processes learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.data.token_file import Tokens
from foretext.progress.run_context import RunContext
from foretext.tokenizers import WordTokenizer
from foretext.vectors import VECTORS

__all__ = ["Text", "learner", "trained"]

SETTINGS = {
    "epochs": 5, "vector_size": 24, "sample": 0.0, "alpha": 0.05, "workers": 1, "processes": 2,
}  # fmt: skip
Text = tuple[WordTokenizer, Tokens]


def learner(text: Text, name: str = "word2vec", **settings: Any) -> Any:
    kind = VECTORS.resolve(name)
    return kind(kind.Config(**{**SETTINGS, **settings}), text[0].vocabulary, text[1])


def trained(text: Text, folder: Path, name: str = "word2vec", **settings: Any) -> Any:
    model = learner(text, name, **settings)
    model.train(RunContext(folder))
    return model
