"""The page of a run that learned document vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretext.base.counted import number_of
from foretext.messages import clauses, message
from foretext.report.page import PageOptions, setting_sections
from foretext.report.run_files import (
    DocumentsFacts,
    Record,
    read_facts,
    read_records,
    read_sections,
)
from foretext.report.training_curves import training_curves
from foretext.report.vectors_report import CORPUS_FACTS, run_tiles
from foretext.run_folder import RunFolder

if TYPE_CHECKING:
    from foretext.vectors.document_vectors import DocumentVectors

__all__ = ["report_documents", "write_documents_report"]

NUM_SHOWN = 8  # documents whose neighbours are listed
NUM_NEIGHBORS = 3

Shown = tuple[str, str]  # name and beginning of a document


def report_documents(folder: RunFolder, options: PageOptions) -> None:
    """Write the page of a run of document vectors; see `foretext.kinds.Kind.page`."""
    from foretext.vectors.document_vectors import DocumentVectors

    facts = read_facts(folder, DocumentsFacts)
    shown = {name: facts[name] for name in CORPUS_FACTS}
    write_documents_report(
        folder.report,
        title=options.headline(facts["recipe"], folder.named),
        settings=read_sections(folder.recipe),
        facts=shown | {message("runs.documents.found_again"): f"{facts['found_again_rate']:.1%}"},
        metrics=read_records(folder.metrics, Record),
        documents=DocumentVectors.load(folder.path),
    )


def write_documents_report(
    path: str | Path,
    *,
    title: str,
    settings: Mapping[str, Any],
    facts: Mapping[str, Any],
    metrics: Sequence[Mapping[str, Any]],
    documents: DocumentVectors,
) -> None:
    """Write one HTML file that shows a run and opens anywhere, without a network.

    Args:
        path: the file, replaced whole.
        title: the headline.
        settings: what the user chose; a section a mapping.
        facts: figures by name, shown as tiles.
        metrics: the lines of metrics.jsonl.
        documents: what was learned.

    Raises:
        OutputError: `path` cannot be written.
    """
    from foretext.report.page import write_page
    from foretext.vectors.best_weights import ending_sentence

    number = number_of("document", len(documents))
    size = message("runs.documents.summary", documents=number, size=documents.vector_size)
    ending = ending_sentence(metrics) if metrics else None
    write_page(
        Path(path),
        "documents.html.j2",
        training_curves(metrics),
        title=title,
        summary=clauses([size, *filter(None, [ending])]),
        tiles=run_tiles(facts, metrics),
        neighbors=_neighbors(documents),
        settings=setting_sections(settings),
    )


def _neighbors(documents: DocumentVectors) -> list[tuple[Shown, list[tuple[Shown, float]]]]:
    """The nearest documents of some that stand at equal distances in the text."""
    if len(documents) < 2:
        return []
    step = max(len(documents) // NUM_SHOWN, 1)
    names = documents.names[::step][:NUM_SHOWN]
    found = documents.neighbors(names, NUM_NEIGHBORS)
    return [
        ((name, documents.beginning(name)), [
            ((other, documents.beginning(other)), cosine) for other, cosine in near
        ])
        for name, near in zip(names, found, strict=True)
    ]  # fmt: skip
