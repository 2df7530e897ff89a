"""Folders of finished runs, made by hand: every file that a page is made from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from foretext.backbones.autoencoder import LinearAutoencoder
from foretext.language_model.codec import Codec
from foretext.tokenizers import Vocabulary, WordTokenizer
from foretext.vectors.word_vectors import WordVectors
from tests.report.task_facts import LABELS, facts, spread

KINDS = ("vectors", "language model", "autoencoder", "classifier", "labels", "tags", "questions")
EVIL = "</script><script>alert(1)</script><!--\u2028"

Records = Sequence[Mapping[str, Any]]
TASKS = {"labels": "classification", "tags": "tagging", "questions": "span_qa"}
NETWORK = [
    {"time": 1.0 * n, "step": n, "epoch": n / 2, "tokens": 100 * n, "tokens_per_second": 100,
     "learning_rate": 1e-3, "loss": 2.0 / n, "valid_loss": 1.0, "valid_accuracy": 0.5, "mfu": 0.3}
    for n in (1, 2)
]  # fmt: skip
WORDS = [
    {"time": 1.0 * n, "epoch": 1.0 * n, "words": 10 * n, "words_per_second": 10,
     "learning_rate": 0.02, "loss": 3.0, "valid_loss": None}
    for n in (1, 2)
]  # fmt: skip
SAMPLES = [
    {"valid_loss": 1.0, "samples": [
        {"text": EVIL, "hidden": EVIL, "answers": [[EVIL, 0.5], ["b", 0.25]]},
        {"text": "a prompt", "answers": [EVIL]},
    ]}
]  # fmt: skip
TRIALS = [{"trial": 1, "score": 0.5, "dim": 8}, {"trial": 2, "score": None, "dim": EVIL}]
BIN = {"low": 0.5, "high": 0.6, "size": 4, "confidence": 0.55, "accuracy": 0.5}
EXAMINATIONS = {
    "labels": {
        "part": "test", "rows": 40, "learned": {"no": 700, "yes": 500}, "num_errors": 10,
        "confusion": {"labels": ["no", EVIL], "counts": [[9, 1], [15, 15]]},
        "confused": [{"right": EVIL, "given": "no", "count": 15}],
        "reliability": [BIN], "calibration_error": 0.05, "points": [[0.0, 0.5], [1.0, 0.9]],
        "errors": [{"text": EVIL, "right": "yes", "probability": 0.9, "place": "/home/me/a.csv:3"}],
    },
    "tags": {
        "part": "valid", "rows": 9, "learned": {"PER": 3}, "num_errors": 1,
        "num_wrong_sentences": 1,
        "tables": [{"title": EVIL, "hint": EVIL, "rows": [{"kind": EVIL, "right": 2}]}],
        "sentences": [{"errors": 1, "tokens": ["Ann", EVIL], "right": ["B-PER", "O"],
                       "given": ["B-PER", EVIL], "place": "a.conll:4",
                       "spans": {"right": [["PER", 0, 1]], "given": [[EVIL, 0, 2]]}}],
    },
    "questions": {
        "part": "test", "rows": 5, "learned": {}, "num_errors": 1,
        "tables": [{"title": "Kinds", "rows": [{"question word": EVIL, "questions": 5}]}],
        "questions": [{"question": "who ?", "passage": [[EVIL, "right"]], "right": ["Ann"],
                       "given": "", "probability": 0.5, "f1": 0.0, "place": "a.json:q"}],
    },
}  # fmt: skip
MEASURED = {"texts": 40, "accuracy": 0.75, "macro_f1": 0.7, "f1": 0.6, "labels": LABELS}
WORSE = {"texts": 40, "accuracy": 0.5, "macro_f1": 0.4, "f1": 0.5}
CONFIGS: dict[str, dict[str, Any]] = {
    "vectors": {
        "foretext": "0.1.0", "kind": "word vectors", "recipe": EVIL, "tokens": 100,
        "documents": 3, "held_out_tokens": 0, "vocab_size": 3, "vector_size": 4,
    },
    "language model": {"foretext": {"facts": {
        "kind": "language model", "recipe": "masked_lm", "parameters": 9, "vocab_size": 8,
        "tokens": 90, "documents": 3, "held_out_tokens": 9, "steps": 2,
    }}},
    "autoencoder": {
        "foretext": "0.1.0", "kind": "autoencoder", "recipe": "linear", "examples": 9,
        "held_out_examples": 1, "loss": 0.5, "valid_loss": None, "components_loss": 0.5,
        "seconds": 1.0,
    },
    "classifier": facts(
        kind="fasttext classifier", base="fasttext", words=5, valid=MEASURED, test=None,
        baseline=None,
    ),
}  # fmt: skip
for kind, task in TASKS.items():
    CONFIGS[kind] = facts(
        task, base=EVIL, judged_by="f1", valid=MEASURED, test=MEASURED,
        network={"valid": WORSE, "test": WORSE},
        baseline={"name": EVIL, "seconds": 0.1, "valid": WORSE, "test": WORSE},
        seeds={"seeds": [1, 2, 3], "valid": spread(0.5), "test": []},
        majority={"name": EVIL, "seconds": 0.0, "valid": WORSE, "test": WORSE},
        verdict={"best": None, "against": "majority", "sentence": EVIL, "command": EVIL},
        warnings=[EVIL], informative_features={EVIL: [EVIL]},
    )  # fmt: skip
RECIPE = "[run]\ntask = 'any'\n[training]\nepochs = 2\nwidths = [1, 2]\nname = '</script>'\n"


def make_run(folder: Path, kind: str) -> Path:
    """Write a finished run of one of the `KINDS`."""
    folder.mkdir()
    config = CONFIGS[kind]
    if kind == "vectors":
        words = ["ship", "sea", EVIL]
        WordVectors(words, np.eye(3, 4, dtype=np.float32), np.array([3, 2, 1])).save(
            folder / "vectors.safetensors"
        )
        vocabulary = Vocabulary(["[UNK]", "ship", "sea"], np.ones(3, np.int64))
        settings = WordTokenizer.Config(pre_tokenizer="whitespace", min_count=1)
        WordTokenizer(settings, vocabulary).save(folder / "tokenizer.json")
    if kind == "autoencoder":
        network = LinearAutoencoder(LinearAutoencoder.Config(dim=2), (2, 2))
        config = {**config, **Codec(network).save(folder)}
        (folder / "reconstructions.png").write_bytes(b"\x89PNG")
    if kind in EXAMINATIONS:
        (folder / "examination.json").write_text(json.dumps(EXAMINATIONS[kind]))
    if kind == "language model":
        write_records(folder / "samples.jsonl", SAMPLES)
        plan = {"budget_seconds": 60.0, "parameters": 8, "loss": 1.5, "steps": EVIL}
        (folder / "plan.json").write_text(json.dumps(plan))
    if kind in ("classifier", *TASKS):
        write_records(folder / "trials.jsonl", TRIALS)
    counts_words = kind in ("vectors", "classifier")
    write_records(folder / "metrics.jsonl", WORDS if counts_words else NETWORK)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "recipe.toml").write_text(RECIPE)
    return folder


def write_records(path: Path, records: Records) -> None:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def changed(value: Any, new: Any) -> Iterator[tuple[str, Any]]:
    """Every place within a JSON value, and the value with `new` there."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name, {**value, name: new}
            for place, other in changed(inner, new):
                yield f"{name}.{place}", {**value, name: other}
    if isinstance(value, list):
        for at, inner in enumerate(value):
            yield str(at), [*value[:at], new, *value[at + 1 :]]
            for place, other in changed(inner, new):
                yield f"{at}.{place}", [*value[:at], other, *value[at + 1 :]]
