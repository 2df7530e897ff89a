"""The page of a run that trained a classifier: what it scores, label by label, and how it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.progress import human_seconds
from foretext.report.cells import best_first, table, tile
from foretext.report.page import write_page
from foretext.report.settings import setting_sections
from foretext.report.training_curves import training_curves

__all__ = ["write_classifier_report"]


def write_classifier_report(
    path: Path,
    *,
    title: str,
    facts: Mapping[str, Any],
    settings: Mapping[str, Any],
    metrics: Sequence[Mapping[str, Any]],
    trials: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Write one HTML file that shows a run of a classifier.

    Args:
        path: the file, replaced whole.
        title: the headline.
        facts: of ``config.json``.
        settings: what the user chose; a section a mapping.
        metrics: the lines of metrics.jsonl.
        trials: settings that were tried before, with their scores; the best come first here.

    Raises:
        OutputError: `path` cannot be written.
    """
    parts = [(part, facts[part]) for part in ("test", "valid") if facts.get(part)]
    best = best_first(trials)
    write_page(
        path,
        "classifier.html.j2",
        training_curves(metrics),
        title=title,
        summary=f"{facts['labels']:,} labels from {facts['texts']:,} texts",
        tiles=_tiles(facts, parts),
        labels=[(part, table(_label_rows(figures))) for part, figures in parts],
        trials=table([dict(trial) for trial in best[:20]]),
        num_trials=len(best),
        settings=setting_sections(settings),
    )


def _tiles(
    facts: Mapping[str, Any], parts: Sequence[tuple[str, Mapping[str, Any]]]
) -> list[tuple[str, str]]:
    tiles = [(name, tile(facts[name])) for name in ("texts", "labels", "words")]
    if facts["seconds"] is not None:
        tiles.append(("training time", human_seconds(facts["seconds"])))
    for part, figures in parts:
        tiles += [
            (f"{name.replace('_', ' ')}, {part}", tile(figures[name]))
            for name in ("accuracy", "macro_f1")
        ]
    return tiles


def _label_rows(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a label, the most frequent first."""
    rows = [{"label": label, **shares} for label, shares in figures["labels"].items()]
    return sorted(rows, key=lambda row: (-row["support"], row["label"]))
