"""Labelled texts, short and long ones, and classifiers, for what is measured of both."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import data_folder, work_folder
from benchmarks.language_models import make_model

__all__ = [
    "MAX_LENGTH",
    "POOLING",
    "TEXTS",
    "LabelledTexts",
    "classifier_folder",
    "make_classifier",
]


class LabelledTexts(NamedTuple):
    """A data set, and how much is read of its texts where they are learned."""

    name: str
    ending: str  # of its files
    max_length: int

    def rows(self, split: str, num: int) -> list[tuple[str, str]]:
        """Labels and texts of `num` rows from all over the file."""
        path = data_folder() / self.name / f"{split}.{self.ending}.xz"
        with lzma.open(path, "rt", encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
        return [(fields[0], fields[-1]) for fields in lines[:: len(lines) // num][:num]]


TEXTS = (LabelledTexts("r8", "txt", 128), LabelledTexts("imdb", "tsv", 256))

POOLING = "cls"  # the only one that transformers' class for labels has
MAX_LENGTH = 256  # tokens that a classifier reads of any text
NUM_LEARNED = 1_600  # texts that it has learned from


def classifier_folder(size: str) -> Path:
    """Where the classifier of a size is kept."""
    return work_folder() / f"classifier-{size}"


def make_classifier(size: str) -> Path:
    """Make a classifier of r8's labels from random weights, unless it is there."""
    from foretext import finetune

    folder = classifier_folder(size)
    if (folder / "config.json").is_file():
        return folder
    rows = TEXTS[0].rows("train", NUM_LEARNED)
    train = work_folder() / "classifier-rows.txt"
    train.write_text("".join(f"{label}\t{text}\n" for label, text in rows), encoding="utf-8")
    finetune(
        "classification", make_model(f"bert-{size}"), train, folder, overwrite=True,
        settings={
            "task": {"max_length": MAX_LENGTH, "pooling": POOLING},
            "training": {"epochs": 2, "learning_rate": 1e-3},
            "finetuning": {"baseline": False},
        },
    )  # fmt: skip
    return folder
