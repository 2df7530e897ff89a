"""Files of labelled rows on animals, a few of each task, that a small network learns in seconds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from foretext.language_model import LanguageModel
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.vectors.word_vectors import WordVectors
from tests.networks import ANIMALS, SOUNDS, TIMES, bert, gpt
from tests.text_bodies import WORDS

__all__ = [
    "SMALL",
    "TOPICS",
    "TaskFiles",
    "language_model",
    "small_settings",
    "word_vectors",
    "write_task_files",
]

TOPICS = ("cat", "dog", "hen")  # the labels of texts
SMALL: dict[str, dict[str, Any]] = {  # the shape of what is drawn anew
    "textcnn": {"vector_size": 16, "num_maps": 8, "widths": [1, 2]},
    **{kind: {"vector_size": 16, "dim": 8, "dropout": 0.0} for kind in ("rnn", "lstm", "gru")},
    "transformer": {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 48},
}


class TaskFiles(NamedTuple):
    """A file to learn from and one to test on, of each task."""

    folder: Path

    def train(self, task: str) -> Path:
        """60 rows."""
        return self.folder / f"{task}-train{_SUFFIXES[task]}"

    def test(self, task: str) -> Path:
        """18 rows, with other words around what decides."""
        return self.folder / f"{task}-test{_SUFFIXES[task]}"


def small_settings(base: object, **training: Any) -> dict[str, dict[str, Any]]:
    """Two walks over the rows by a small network; `training` says otherwise."""
    chosen = {"epochs": 2.0, "learning_rate": 5e-3, "batch_examples": 16, "precision": "fp32"}
    if training.keys() & {"steps", "budget_seconds"}:
        del chosen["epochs"]
    shape = {"backbone": SMALL[base]} if isinstance(base, str) and base in SMALL else {}
    return {"training": {**chosen, **training}, **shape}


def language_model(kind: str, tokenizer: SubwordTokenizer) -> LanguageModel:
    """A BERT ("wordpiece") or a GPT ("bpe") of two layers that has learned nothing yet."""
    model: Any = (bert if kind == "bert" else gpt)(tokenizer)
    return LanguageModel(tokenizer, model.backbone, model.objective)


def word_vectors() -> WordVectors:
    """Vectors of all words of the animals but "owl", (V, 12)."""
    words = [word for word in WORDS if word != "owl"]
    return WordVectors(words, np.random.default_rng(0).normal(0, 0.1, (len(words), 12)))


def write_task_files(folder: Path) -> TaskFiles:
    """Write them all into `folder`."""
    files = TaskFiles(folder)
    for first, number, place in ((0, 60, files.train), (60, 18, files.test)):
        rows = range(first, first + number)
        place("classification").write_text(_texts(rows), encoding="utf-8")
        place("matching").write_text(_pairs(rows), encoding="utf-8")
        place("tagging").write_text(_sentences(rows), encoding="utf-8")
        place("span_qa").write_text(_questions(rows), encoding="utf-8")
        place("text_to_text").write_text(_rewritten(rows), encoding="utf-8")
        place("sentence_vectors").write_text(_alike(rows), encoding="utf-8")
    return files


_SUFFIXES = {
    "classification": ".tsv",
    "matching": ".tsv",
    "tagging": ".conll",
    "span_qa": ".json",
    "text_to_text": ".tsv",
    "sentence_vectors": ".tsv",
}


def _texts(rows: Sequence[int]) -> str:
    lines = (f"{_sentence(row)}\t{TOPICS[row % 3]}\n" for row in rows)
    return "".join(["text\tlabel\n", *lines])


def _sentence(row: int) -> str:
    start = ("the", "every")[row // 3 % 2]
    end = ".".join(" " * (row // 24 + 1))
    return f"{start} {TOPICS[row % 3]} in the {TIMES[row // 6 % 4]} {end.strip()}"


def _pairs(rows: Sequence[int]) -> str:
    """Pairs that are of the same animal or not; the score is 1 or 0."""
    lines = []
    for row in rows:
        first = ANIMALS[row % 3]
        second = ANIMALS[(row + row // 3 % 2) % 3]
        same = first == second
        lines.append(
            f"the {first} {row}\tevery {second} {row}\t{'same' if same else 'other'}\t{same:.1f}\n"
        )
    return "".join(["text_a\ttext_b\tlabel\tscore\n", *lines])


def _rewritten(rows: Sequence[int]) -> str:
    """Sentences, and the same with the animal last."""
    lines = []
    for row in rows:
        animal, sound, when = ANIMALS[row % 6], SOUNDS[row % 6], TIMES[row // 6 % 4]
        marks = "." * (row // 24 + 1)
        lines.append(f"the {animal} {sound} {marks} {when}\t{when} {marks} {sound} {animal}\n")
    return "".join(["source\ttarget\n", *lines])


def _alike(rows: Sequence[int]) -> str:
    """Pairs of sentences on the same animal, whose words are in another order."""
    lines = []
    for row in rows:
        animal, sound, when = ANIMALS[row % 6], SOUNDS[row % 6], TIMES[row // 6 % 4]
        marks = "." * (row // 24 + 1)
        lines.append(f"the {animal} {sound} {marks} {when}\t{when} {marks} {sound} {animal}\n")
    return "".join(["anchor\tpositive\n", *lines])


def _sentences(rows: Sequence[int]) -> str:
    """Animals are entities of one kind, their sounds of another; two words make some of them."""
    found = []
    for row in rows:
        animal, sound = ANIMALS[row % 6], SOUNDS[row % 6]
        two = row % 4 == 0
        tagged = [("the", "O"), ("happy", "B-PET"), (animal, "I-PET")]
        if not two:
            tagged = [("the", "O"), (animal, "B-PET")]
        tagged += [(sound, "B-NOISE"), ("in", "O"), (TIMES[row % 4], "O"), (str(row), "O")]
        found.append("".join(f"{token} {tag}\n" for token, tag in tagged))
    return "\n".join(found)


def _questions(rows: Sequence[int]) -> str:
    paragraphs = []
    for row in rows:
        animal, sound, when = ANIMALS[row % 6], SOUNDS[row % 6], TIMES[row % 4]
        context = f"the {animal} {sound} in the {when} . {row}"
        answer = {"text": animal, "answer_start": context.index(animal)}
        question = {"id": str(row), "question": f"what {sound}", "answers": [answer]}
        paragraphs.append({"context": context, "qas": [question]})
    return json.dumps({"version": "1.1", "data": [{"title": "pets", "paragraphs": paragraphs}]})
