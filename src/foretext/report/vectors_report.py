"""The page of a run that learned word vectors: how it went, what it scores, what it learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretext.artifact import run_vectors
from foretext.base.counted import number_of
from foretext.messages import clauses, message, translated
from foretext.report.page import PageOptions, duration, label, setting_sections, table, tile
from foretext.report.run_files import Record, VectorsFacts, read_facts, read_records, read_sections
from foretext.report.training_curves import training_curves, work_unit
from foretext.run_folder import RunFolder

if TYPE_CHECKING:
    from foretext.vectors.word_vectors import WordVectors

__all__ = ["CORPUS_FACTS", "report_vectors", "run_tiles", "write_vectors_report"]

CORPUS_FACTS = ("tokens", "documents", "held_out_tokens", "vocab_size", "vector_size")
NUM_MAP_WORDS = 500
NUM_SHOWN_WORDS = 12  # whose neighbours are listed when none are asked for
NUM_NEIGHBORS = 8


def report_vectors(folder: RunFolder, options: PageOptions) -> None:
    """Write the page of a run of word vectors; see `foretext.kinds.Kind.page`."""
    facts = read_facts(folder, VectorsFacts)
    write_vectors_report(
        folder.report,
        title=options.headline(facts["recipe"], folder.named),
        settings=read_sections(folder.recipe),
        corpus={name: facts[name] for name in CORPUS_FACTS},
        metrics=read_records(folder.metrics, Record),
        vectors=run_vectors(folder),
        evaluation=options.evaluation,
        neighbors_of=options.neighbors_of,
        word_map=options.word_map,
        warnings=facts.get("warnings"),
    )


def write_vectors_report(
    path: str | Path,
    *,
    title: str,
    settings: Mapping[str, Any],
    corpus: Mapping[str, Any] | None,
    metrics: Sequence[Mapping[str, Any]],
    vectors: WordVectors,
    evaluation: Sequence[Mapping[str, Any]] = (),
    neighbors_of: Sequence[str] | None = None,
    word_map: bool = True,
    warnings: Sequence[str] | None = None,
    seed: int = 0,
) -> None:
    """Write one HTML file that shows a run of word vectors and opens anywhere, without a network.

    Args:
        path: the file, replaced whole.
        title: the headline, as "word2vec on wiki.txt".
        settings: what the user chose; a section a mapping, or names and values.
        corpus: figures of the text by name, shown as tiles; or None.
        metrics: the lines of metrics.jsonl; the loss may be missing.
        vectors: what was learned, the most frequent words first.
        evaluation: a row a test; every name that occurs becomes a column.
        neighbors_of: words to show neighbours of, unknown ones left out; frequent words if None.
        word_map: whether there is a map of the frequent words.
        warnings: what the run said of its training; None: what vectors and metrics show.
        seed: of the map.

    Raises:
        OutputError: `path` cannot be written.
    """
    from foretext.report.charts import map_chart
    from foretext.report.page import write_page
    from foretext.report.word_map import content_words, word_points

    words = content_words(vectors, NUM_MAP_WORDS)
    points = word_points(vectors, words, seed=seed) if word_map else []
    charts = training_curves(metrics)
    if points:
        charts["map"] = map_chart(points)
    write_page(
        Path(path),
        "vectors.html.j2",
        charts,
        title=title,
        summary=_summary(vectors, metrics, warnings),
        tiles=run_tiles(corpus or {}, metrics),
        evaluation=table([dict(row) for row in evaluation]),
        num_map_words=len(points),
        neighbors=_neighbors(vectors, words[:NUM_SHOWN_WORDS], neighbors_of),
        settings=setting_sections(settings),
    )


def _summary(
    vectors: WordVectors, metrics: Sequence[Mapping[str, Any]], warnings: Sequence[str] | None
) -> str:
    """What was learned; where words are not apart, that they are not; how the training ended."""
    from foretext.vectors.best_weights import ending_sentence
    from foretext.vectors.crowding import crowding_sentence

    words = number_of("word", len(vectors))
    size = message("runs.vectors.summary", words=words, size=vectors.vector_size)
    if warnings is None:
        ending = ending_sentence(metrics) if metrics else None
        crowded = crowding_sentence(vectors, went_past_best=ending is not None)
        warnings = [*filter(None, (crowded, ending))]
    return clauses([size, *map(translated, warnings)])


def run_tiles(
    corpus: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str]]:
    """Return label and figure of each tile: the corpus first, then how the run ended."""
    tiles = [(label(name), tile(value)) for name, value in corpus.items()]
    if not metrics:
        return tiles
    last = metrics[-1]
    if last.get("time"):
        tiles.append((message("page.training.time"), duration(last["time"])))
        if last.get(unit := work_unit(metrics)):
            speed = tile(round(last[unit] / max(last["time"], 1e-3)))
            tiles.append((message("page.training.speed", unit=translated(unit)), speed))
    ends = (
        (message("page.training.loss_at_end"), "loss"),
        (message("page.training.held_out_loss"), "valid_loss"),
    )
    return tiles + [(name, tile(last[field])) for name, field in ends if last.get(field)]


def _neighbors(
    vectors: WordVectors, frequent: Sequence[str], chosen: Sequence[str] | None
) -> list[tuple[str, list[tuple[str, float]]]]:
    words = [word for word in (frequent if chosen is None else chosen) if word in vectors]
    return list(zip(words, vectors.neighbors(words, NUM_NEIGHBORS), strict=True)) if words else []
