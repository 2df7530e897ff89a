"""The page of one run, from what its folder holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.artifact import holds_comparison, load_vectors, opened_run, run_vectors
from foretext.base.errors import ModelFileError, OutputError
from foretext.base.files import is_regular_file, refuse_name
from foretext.base.parsing import read_bytes
from foretext.report.comparison_report import report_comparison
from foretext.report.run_files import (
    AutoencoderFacts,
    DocumentsFacts,
    LanguageModelFacts,
    Moment,
    NetworkRecord,
    Record,
    Trial,
    VectorsFacts,
    read_facts,
    read_records,
    read_sections,
    read_values,
)
from foretext.report.vectors_report import write_vectors_report
from foretext.run_folder import RunFolder
from foretext.tasks import is_predictor

__all__ = ["report_folder", "report_run", "write_report"]

CORPUS_FACTS = ("tokens", "documents", "held_out_tokens", "vocab_size", "vector_size")
FOUND_AGAIN = "found_again_rate"


def report_folder(folder: str | Path) -> Path:
    """Write ``report.html`` into a finished run or comparison again, and return its path.

    Raises:
        ForetextError: as of `report_run` and `report_comparison`.
    """
    if holds_comparison(folder):
        return report_comparison(folder)
    return report_run(folder)


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
        ModelFileError: it holds a model, but no run, or a file of the run is damaged.
        OutputError: metrics, samples, trials, plan or examination are damaged, or the page cannot
            be written.
    """
    folder = opened_run(run)
    if not folder.finished:
        load_vectors(run)  # says what is there instead
    if not folder.begun:
        raise ModelFileError(
            f"{folder.named} holds a model, but no run of foretext; there is nothing to report."
        )
    return write_report(folder, title=title, evaluation=evaluation, neighbors_of=neighbors_of)


def write_report(
    folder: RunFolder,
    *,
    title: str | None = None,
    evaluation: Sequence[Mapping[str, Any]] = (),
    neighbors_of: Sequence[str] | None = None,
    word_map: bool = True,
) -> Path:
    """Do the same for a run whose other files are written, though it may not be finished.

    Without `word_map` the page of word vectors has no map, which takes most of its time.
    """
    refuse_name(folder.report)
    kind = folder.written_kind()
    if kind == "autoencoder":
        return _report_autoencoder(folder, title)
    if is_predictor(kind):
        return _report_task(folder, title)
    if kind == "language model":
        return _report_language_model(folder, title)
    if folder.documents.is_file():
        return _report_documents(folder, title)
    vectors = run_vectors(folder)
    facts = read_facts(folder, VectorsFacts)
    write_vectors_report(
        folder.report,
        title=title or f"{facts['recipe']}: {_name(folder)}",
        settings=read_sections(folder.recipe),
        corpus={name: facts[name] for name in CORPUS_FACTS},
        metrics=read_records(folder.metrics, Record),
        vectors=vectors,
        evaluation=evaluation,
        neighbors_of=neighbors_of,
        word_map=word_map,
    )
    return folder.report


def _report_documents(folder: RunFolder, title: str | None) -> Path:
    from foretext.report.documents_report import write_documents_report
    from foretext.vectors.document_vectors import DocumentVectors

    facts = read_facts(folder, DocumentsFacts)
    shown = {name: facts[name] for name in CORPUS_FACTS}
    write_documents_report(
        folder.report,
        title=title or f"{facts['recipe']}: {_name(folder)}",
        settings=read_sections(folder.recipe),
        facts=shown | {"nearest to their own text": f"{facts[FOUND_AGAIN]:.1%}"},
        metrics=read_records(folder.metrics, Record),
        documents=DocumentVectors.load(folder.path),
    )
    return folder.report


def _report_language_model(folder: RunFolder, title: str | None) -> Path:
    from foretext.report.language_model_report import write_language_model_report

    facts = read_facts(folder, LanguageModelFacts)
    write_language_model_report(
        folder.report,
        title=title or f"{facts['recipe']}: {_name(folder)}",
        facts=facts,
        settings=read_sections(folder.recipe),
        metrics=read_records(folder.metrics, NetworkRecord),
        samples=read_records(folder.samples, Moment),
        plan=read_values(folder.plan),
    )
    return folder.report


def _report_autoencoder(folder: RunFolder, title: str | None) -> Path:
    from foretext.language_model.codec import Codec
    from foretext.report.autoencoder_report import write_autoencoder_report

    facts = read_facts(folder, AutoencoderFacts)
    has_picture = is_regular_file(folder.picture)
    write_autoencoder_report(
        folder.report,
        title=title or f"{facts['recipe']}: {_name(folder)}",
        facts=facts,
        layers=Codec.read(folder.path).network.structure(),
        picture=read_bytes(folder.picture, OutputError) if has_picture else None,
        settings=read_sections(folder.recipe),
        metrics=read_records(folder.metrics, NetworkRecord),
    )
    return folder.report


def _report_task(folder: RunFolder, title: str | None) -> Path:
    from foretext.report.task_card import task_title
    from foretext.report.task_files import Examination, TaskFacts
    from foretext.report.task_report import write_task_report

    facts = read_facts(folder, TaskFacts)
    write_task_report(
        folder.report,
        title=title or f"{task_title(facts)}: {_name(folder)}",
        facts=facts,
        settings=read_sections(folder.recipe),
        metrics=read_records(folder.metrics, Record),
        examination=read_values(folder.examination, Examination),
        trials=read_records(folder.trials, Trial),
    )
    return folder.report


def _name(folder: RunFolder) -> str:
    return folder.named.resolve().name
