"""The page of one run, from what its folder holds."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.artifact import load_vectors, opened_run, run_vectors
from foretext.progress import MetricsLog
from foretext.recipe import Recipe
from foretext.report.vectors_report import write_vectors_report
from foretext.run_folder import RunFolder
from foretext.task_models import TASK_MODELS

__all__ = ["report_run", "write_report"]

TRIALS = "trials.jsonl"
CORPUS_FACTS = ("tokens", "documents", "held_out_tokens", "vocab_size", "vector_size")


def report_run(
    run: str | Path,
    *,
    title: str | None = None,
    evaluation: Sequence[Mapping[str, Any]] = (),
    neighbors_of: Sequence[str] | None = None,
) -> Path:
    """Write ``report.html`` into a finished run and return its path.

    Args:
        run: the folder.
        title: the headline; the recipe's and the folder's name when None.
        evaluation: a row a test, shown as a table.
        neighbors_of: words to show neighbours of; frequent ones when None.

    Raises:
        VectorFileError: the folder holds no finished run.
        OutputError: the page cannot be written.
    """
    folder = opened_run(run)
    if not folder.finished:
        load_vectors(run)  # says what is there instead
    return write_report(folder, title=title, evaluation=evaluation, neighbors_of=neighbors_of)


def write_report(
    folder: RunFolder,
    *,
    title: str | None = None,
    evaluation: Sequence[Mapping[str, Any]] = (),
    neighbors_of: Sequence[str] | None = None,
) -> Path:
    """Do the same for a run whose other files are written, though it may not be finished."""
    if folder.kind == "autoencoder":
        return _report_autoencoder(folder, title)
    if folder.kind == "fasttext classifier":
        return _report_classifier(folder, title)
    if folder.kind in TASK_MODELS or folder.kind == "linear classifier":
        return _report_task(folder, title)
    if folder.kind == "language model":
        return _report_language_model(folder, title)
    vectors = run_vectors(folder)
    facts = folder.facts()
    write_vectors_report(
        folder.report,
        title=title or f"{facts['recipe']}: {folder.named.resolve().name}",
        settings=Recipe.load(folder.recipe).sections(),
        corpus={name: facts[name] for name in CORPUS_FACTS},
        metrics=MetricsLog(folder.metrics).read(),
        vectors=vectors,
        evaluation=evaluation,
        neighbors_of=neighbors_of,
    )
    return folder.report


def _report_language_model(folder: RunFolder, title: str | None) -> Path:
    from foretext.report.language_model_report import write_language_model_report

    facts = folder.facts()
    write_language_model_report(
        folder.report,
        title=title or f"{facts['recipe']}: {folder.named.resolve().name}",
        facts=facts,
        settings=Recipe.load(folder.recipe).sections(),
        metrics=MetricsLog(folder.metrics).read(),
        samples=MetricsLog(folder.samples).read(),
        plan=_json(folder.plan),
    )
    return folder.report


def _report_autoencoder(folder: RunFolder, title: str | None) -> Path:
    from foretext.codec import Codec
    from foretext.report.autoencoder_report import write_autoencoder_report

    facts = folder.facts()
    write_autoencoder_report(
        folder.report,
        title=title or f"{facts['recipe']}: {folder.named.resolve().name}",
        facts=facts,
        layers=Codec.load(folder.path).network.structure(),
        picture=folder.picture.read_bytes() if folder.picture.is_file() else None,
        settings=Recipe.load(folder.recipe).sections(),
        metrics=MetricsLog(folder.metrics).read(),
    )
    return folder.report


def _report_classifier(folder: RunFolder, title: str | None) -> Path:
    from foretext.report.classifier_report import write_classifier_report

    facts = json.loads(folder.config.read_text(encoding="utf-8"))
    write_classifier_report(
        folder.report,
        title=title or f"{facts['task']} by {facts['base']}: {folder.named.resolve().name}",
        facts=facts,
        settings=tomllib.loads(folder.recipe.read_text(encoding="utf-8")),
        metrics=MetricsLog(folder.metrics).read(),
        trials=MetricsLog(folder.path / TRIALS).read(),
    )
    return folder.report


def _report_task(folder: RunFolder, title: str | None) -> Path:
    from foretext.report.task_card import task_title
    from foretext.report.task_report import write_task_report

    facts = folder.facts()
    write_task_report(
        folder.report,
        title=title or f"{task_title(facts)}: {folder.named.resolve().name}",
        facts=facts,
        settings=tomllib.loads(folder.recipe.read_text(encoding="utf-8")),
        metrics=MetricsLog(folder.metrics).read(),
        examination=_json(folder.examination),
        trials=MetricsLog(folder.path / TRIALS).read(),
    )
    return folder.report


def _json(path: Path) -> Any:
    """What a file holds; None where it is not there."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
