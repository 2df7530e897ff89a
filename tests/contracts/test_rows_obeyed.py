"""A setting of a task or a classifier that is changed changes what is learned, or the answers.

Every setting that a class of settings has is tried by itself: see `test_obeyed.py`. A run is
learned in two steps, and shows its weights, its losses, its answers and its figures. What it keeps
of its settings, such as its recipe, is not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.config import Config
from foretext.finetuning.bases import learner_class
from foretext.tasks import TASKS, WITHOUT_NETWORK
from foretext.tasks.classification.embeddings.settings import EmbeddingsConfig
from foretext.tasks.classification.linear_storage import LinearConfig
from foretext.tasks.fasttext.config import FastTextClassifierConfig
from foretext.tasks.matching.pair_regression import PairRegressionConfig
from foretext.tasks.tagging.linear_storage import LinearTaggerConfig
from foretext.tasks.task import task_named
from foretext.vectors.word_vectors import WordVectors
from tests.contracts.changed_settings import (
    Settings,
    assert_obeyed,
    digest,
    found_in,
    missing_tests,
    others,
    shown_arrays,
    shown_losses,
)
from tests.contracts.covering import covering, quick_if
from tests.networks import sentences, tokenizer_for
from tests.task_files import TaskFiles, language_model, word_vectors, write_task_files

VECTORS_FILE = "vectors.txt"
FROZEN = ("counted.safetensors", "bert")  # bases of the learner "embeddings", beside its name
LINEAR_PAIRS, LINEAR_TAGS = "linear for matching", "linear for tagging"
TASKS_OF = {LINEAR_PAIRS: "matching", LINEAR_TAGS: "tagging"}
LEARNERS: dict[str, tuple[str, type[Config]]] = {  # by base, the section and its settings
    "linear": ("linear", LinearConfig),
    LINEAR_PAIRS: ("linear", PairRegressionConfig),
    LINEAR_TAGS: ("linear", LinearTaggerConfig),
    "fasttext": ("classifier", FastTextClassifierConfig),
    "embeddings": ("embeddings", EmbeddingsConfig),
}
WRITER = "transformer-2017"
SMALL_WRITER = {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 48}
BASES = {"text_to_text": WRITER}  # of a task; else "bert"
OTHER_BASES = {"task.language_model_weight": "gpt"}
LONG = "the happy dog barks in the morning and every cat purrs again in the evening . " * 3
ASKED = ["The cat in the morning .", "every dog barks: don't", LONG, "a café 42 hen-owl"]
MORE_ROWS = {  # with words of their own, so that no label is as frequent as another
    "classification": "a quagga in the fog\tcat\nan okapi, 7 gnus\tcat\n",
    "matching": "a quagga\tan okapi\tother\t0.0\na gnu\ta yak\tother\t0.0\n",
}
VALUES: dict[str, list[Any]] = {  # where no usual number is another value
    "sentence_vectors: task.dims": [[8]],
    "sentence_vectors: task.pooling": ["max"],
    "task.layers": ["mix"],
    "task.transform": ["relu"],
    "classification: task.bias": [False],
    "matching: task.mode": ["siamese"],
    "task.shared_tokens": [False],
    "span_qa: task.language": ["chinese"],
    "text_to_text: task.min_new_tokens": [30],
    "text_to_text: task.no_repeat_ngram_size": [1],
    "text_to_text: task.judged_by": ["loss"],
    "text_to_text: task.early_stopping": ["never"],
    "classifier.pretrained_vectors": [VECTORS_FILE],
    "linear.features": ["characters"],
    "linear for tagging: linear.max_passes": [2],
    "embeddings.weighting": ["mean"],
    "embeddings.layer": [0],
    "classifier.dim": [16],
    "classifier.bucket": [7],
}
BESIDE: dict[str, Settings] = {  # what a setting needs beside it
    "span_qa: task.keep_empty_windows": {"max_length": 16},
    "text_to_text: task.early_stopping": {"max_new_tokens": 30, "length_penalty": 4.0},
    "classifier.minn": {"maxn": 4},
    "classifier.pretrained_vectors": {"dim": 12},
    "classifier.negative": {"loss": "ns"},
}
BRIEF: Settings = {"steps": 2, "learning_rate": 1e-3}
LONGER = {"text_to_text: task.early_stopping": {"steps": 40, "learning_rate": 1e-2}}  # texts end
WRITTEN = "see tests/tasks/text_to_text/test_network.py"
ELSEWHERE: dict[str, str] = {  # what a moment cannot show, with the reason
    "tagging: task.word_boundaries": "Chinese rows; see tests/heads/test_tagging.py",
    "text_to_text: task.redraw_cross_attention": f"a T5's; {WRITTEN}",
    "text_to_text: task.long_sources": f"a warning or an error; {WRITTEN}",
    "classifier.budget_seconds": "the clock; see tests/tasks/fasttext/test_classifier.py",
    "classifier.label_prefix": "other files; see tests/tasks/fasttext/test_classifier.py",
    "classifier.workers": "threads race; see tests/tasks/fasttext/test_classifier.py",
}


class Rows(NamedTuple):
    """The files of a module, and the models that it starts from."""

    files: TaskFiles
    folder: Path


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    folder = tmp_path_factory.mktemp("rows")
    files = write_task_files(folder)
    for task, more in MORE_ROWS.items():
        with files.train(task).open("a", encoding="utf-8") as file:
            file.write(more)
    for path in (files.train("span_qa"), files.test("span_qa")):
        lengthen(path)
    text = folder / "animals.txt"
    text.write_text(sentences(40), encoding="utf-8")
    for kind, tokenizer in (("bert", "wordpiece"), ("gpt", "bpe")):
        language_model(kind, tokenizer_for(tokenizer, text)).save(folder / kind)
    word_vectors().save(folder / VECTORS_FILE)
    known = word_vectors()
    counts = np.arange(len(known), 0, -1)
    WordVectors(known.index_to_key, known.vectors, counts).save(folder / FROZEN[0])
    return Rows(files, folder)


def lengthen(path: Path) -> None:
    """Give passages more text than a short row holds."""
    squad = json.loads(path.read_text(encoding="utf-8"))
    for paragraph in squad["data"][0]["paragraphs"]:
        paragraph["context"] += f" {LONG}"
    path.write_text(json.dumps(squad), encoding="utf-8")


def configs() -> dict[str, tuple[str, type[Config]]]:
    """The section and the class of settings of each task and learner."""
    return {**{name: ("task", task_named(name).head_config) for name in TASKS}, **LEARNERS}


def fields() -> Iterator[tuple[str, str]]:
    for owner, (section, config) in configs().items():
        for name in config.model_fields:
            if found_in(ELSEWHERE, [owner], f"{section}.{name}") is None:
                yield owner, name


def arrays_of(model: Any) -> dict[str, Any]:
    """The weights of what was learned."""
    if hasattr(model, "head"):
        named = {**model.base.backbone.state_dict(), **model.head.state_dict(prefix="task.")}
        return {name: value.detach().float().numpy() for name, value in named.items()}
    if hasattr(model, "heads"):
        heads = [kept.head for kept in model.heads]
        found = {f"{at}": each for head in heads for at, each in enumerate(head)}
        return {**found, "mixture": np.array([kept.weight for kept in model.heads])}
    if hasattr(model, "model"):
        return {"words": model.model.hidden(ASKED), "outputs": model.model.outputs}
    if hasattr(model, "output_weights"):
        return dict(zip(("weights", "bias"), model.output_weights, strict=True))
    if hasattr(model, "steps"):
        return {"weights": model.weights, "steps": model.steps}
    return {"weights": model.weights, "bias": model.bias, "idf": model.idf}


def task_of(owner: str) -> str:
    """What an owner of settings learns."""
    if owner in LEARNERS:
        return TASKS_OF.get(owner, "classification")
    return owner


def base_of(owner: str) -> str:
    """What a task is learned on."""
    if owner in LEARNERS:
        return "linear" if owner in TASKS_OF else owner
    return BASES.get(owner, "bert")


def shown_run(owner: str, base: str, settings: Settings, training: Settings, rows: Rows) -> str:
    """All that a short run shows."""
    section, _ = configs()[owner]
    task = task_of(owner)
    sections: dict[str, Any] = {section: settings, "finetuning": {"baseline": False}}
    if owner not in LEARNERS:
        sections["training"] = {"precision": "fp32", **training}
    if base == WRITER:
        sections["backbone"] = SMALL_WRITER
    path = rows.folder / base
    files = rows.files
    frozen = [rows.folder / name for name in FROZEN] if owner == "embeddings" else []
    if owner == LINEAR_TAGS:
        frozen = [rows.folder / VECTORS_FILE]
    texts = [f"{word} and the {other}" for word in LONG.split() for other in ("cat", "dog")]
    with TemporaryDirectory(dir=rows.folder) as folder:
        torch.manual_seed(0)
        finetune: Any = ft.finetune  # with a task that is named as it runs
        model = finetune(
            task,
            str(path) if path.is_dir() else base,
            files.train(task),
            Path(folder) / "run",
            valid=files.test(task),
            beside=frozen,
            unlabelled=texts if owner == "embeddings" else None,
            settings=sections,
        )
        losses = shown_losses(Path(folder) / "run" / "metrics.jsonl")
    lines = ["\t".join([each, LONG][: len(model.fields)]) for each in ASKED]
    answers = [json.dumps(each, default=str) for each in model.predictions(lines)]
    return digest(
        [*shown_arrays(arrays_of(model)), *losses, *answers, model.evaluate(files.test(task))]
    )


@cache
def shown(owner: str, base: str, settings: str, training: str, rows: Rows) -> str:
    return shown_run(owner, base, json.loads(settings), json.loads(training), rows)


FIELDS = [*fields()]
QUICK = covering(FIELDS, lambda field: field[1:])  # each name of a setting once


@pytest.mark.parametrize("field", quick_if(FIELDS, QUICK, ": ".join))
def test_a_changed_setting_is_obeyed(field: tuple[str, str], rows: Rows) -> None:
    owner, name = field
    section, kind = configs()[owner]
    setting = f"{section}.{name}"
    base = found_in(OTHER_BASES, [owner], setting) or base_of(owner)
    beside = found_in(BESIDE, [owner], setting) or {}
    training = json.dumps(found_in(LONGER, [owner], setting) or BRIEF)

    def changed(value: Any) -> str:
        value = str(rows.folder / value) if value == VECTORS_FILE else value
        return shown(owner, base, json.dumps({**beside, name: value}), training, rows)

    assert_obeyed(
        f"{owner}: {setting}",
        found_in(VALUES, [owner], setting) or others(kind.checked(dict(beside), section), name),
        shown(owner, base, json.dumps(beside), training, rows),
        changed,
    )


def test_all_without_a_network_are_among_them() -> None:
    tasks = {name: task_of(name) for name in LEARNERS}
    known = {
        learner_class(base_of(name), task).predictor_of(task).kind for name, task in tasks.items()
    }
    assert known == {*WITHOUT_NETWORK}


def test_the_tables_name_settings_that_are_there() -> None:
    there = {
        key
        for owner, (section, config) in configs().items()
        for name in config.model_fields
        for key in (f"{section}.{name}", f"{owner}: {section}.{name}")
    }
    assert not {*VALUES, *BESIDE, *OTHER_BASES, *LONGER, *ELSEWHERE} - there


def test_the_tests_are_there_that_show_the_others() -> None:
    assert not missing_tests(ELSEWHERE.values())
