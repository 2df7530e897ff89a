"""The names of what a task can be learned on; nothing heavy is imported for them."""

from __future__ import annotations

from typing import Any

from foretext.backbones import BACKBONES
from foretext.base.errors import SettingError

__all__ = ["AUTO", "EMBEDDINGS", "LEARNERS", "OF_TASKS", "SHORT_NAMES", "base_names"]

AUTO = "auto"  # chooses by the rows
EMBEDDINGS = "embeddings"  # learns linear heads on what was pretrained

# Backbones that are better known by another name: the row of BACKBONES, and settings.
SHORT_NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm": ("recurrent", {"kind": "lstm"}),
    "gru": ("recurrent", {"kind": "gru"}),
    "rnn": ("recurrent", {"kind": "rnn"}),
    "transformer-2017": ("encoder_decoder", {"sinusoids": "halves"}),  # as MarianMTModel has it
    "gru-attention": ("seq2seq", {"kind": "gru"}),
    "lstm-attention": ("seq2seq", {"kind": "lstm"}),
}
# What learns without PyTorch.
LEARNERS = {
    AUTO: "foretext.finetuning.auto:AutoLearner",
    EMBEDDINGS: "foretext.finetuning.embeddings:EmbeddingLearner",
    "fasttext": "foretext.finetuning.fasttext:FastTextLearner",
    "linear": "foretext.finetuning.linear:LinearLearner",
}
OF_TASKS = {  # another learner of the same name, by the task
    ("linear", "matching"): "foretext.finetuning.linear:LinearPairLearner",
    ("linear", "tagging"): "foretext.finetuning.linear:LinearTagLearner",
}


def base_names() -> list[str]:
    """Return every name that stands for something to learn on, of all tables.

    Raises:
        SettingError: two tables have the same name.
    """
    names = [*BACKBONES, *SHORT_NAMES, *LEARNERS]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SettingError(
            f"BASE = '{min(twice)}' names two things, in two of the tables BACKBONES, SHORT_NAMES "
            "and LEARNERS; rename one."
        )
    return names
