"""The page of a run that learned a task: how good it is, beside what, and where it errs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any

from foretext.progress import human_seconds
from foretext.report.cells import best_first, label, table, tile
from foretext.report.charts import curve_chart
from foretext.report.page import write_page
from foretext.report.settings import setting_sections
from foretext.report.task_card import measured_models
from foretext.report.task_charts import (
    FEW_LABELS,
    beside_chart,
    confusion_chart,
    reliability_chart,
    score_chart,
)
from foretext.report.training_curves import training_curves, work_unit

__all__ = ["write_task_report"]

Record = Mapping[str, Any]

PARTS = {"test": "test", "valid": "held out"}
SHARES = (  # figures up to 1 of which more is better, the most telling first
    "f1", "precision", "recall", "macro_f1", "exact_match", "accuracy", "spearman", "pearson",
)  # fmt: skip
CURVES = {  # what is watched while a task is learned, beside the figure that counts
    "classification": ("macro_f1",),
    "matching": ("f1", "pearson"),
    "tagging": ("precision", "recall"),
    "span_qa": ("exact_match",),
}
ORIGINS = {
    "pretrained": "pretrained",
    "vectors": "on static word vectors",
    "scratch": "drawn anew",
    "linear": "TF-IDF and logistic regression",
}
TABLES = {  # of an examination, and how many of their rows are shown
    "confused": 10, "entities": None, "by_question_word": None, "by_answer": None,
}  # fmt: skip
MOST_TRIALS = 20


def write_task_report(
    path: Path,
    *,
    title: str,
    facts: Record,
    settings: Record,
    metrics: Sequence[Record],
    examination: Record | None = None,
    trials: Sequence[Record] = (),
) -> None:
    """Write one HTML file that shows a fine-tuning and opens anywhere, without a network.

    Args:
        path: the file, replaced whole.
        title: the headline.
        facts: of ``config.json``.
        settings: of the run, by section.
        metrics: the lines of metrics.jsonl.
        examination: what `foretext.evaluation.task_examination` found; None: nothing was examined.
        trials: settings that were tried before, with their scores; the best come first here.

    Raises:
        OutputError: `path` cannot be written.
    """
    found = examination or {}
    beside = list(_beside(facts))
    best = best_first(trials)
    write_page(
        path,
        "task.html.j2",
        _charts(facts, metrics, found, beside),
        title=title,
        summary=_summary(facts),
        tiles=_tiles(facts),
        beside=_beside_table(facts),
        labels=_label_table(facts, found),
        examined=f"{found['rows']:,} {PARTS[found['part']]} rows" if found else "",
        is_small="confusion" in found and len(found["confusion"]["labels"]) <= FEW_LABELS,
        calibration_error=found.get("calibration_error"),
        num_errors=found.get("num_errors"),
        num_wrong_sentences=found.get("num_wrong_sentences", 0),
        errors=found.get("errors", []),
        sentences=found.get("sentences", []),
        **{name: table(_rows(found, name)) for name in TABLES},
        trials=table([dict(trial) for trial in best[:MOST_TRIALS]]),
        num_trials=len(best),
        settings=setting_sections(settings),
    )


def _summary(facts: Record) -> str:
    labels = f" of {facts['labels']:,} labels" if facts["labels"] else ""
    origin = ORIGINS[facts["origin"]]
    return f"{facts['rows']:,} rows{labels}, learned on {Path(facts['base']).name}, {origin}"


def _tiles(facts: Record) -> list[tuple[str, str]]:
    """What was learned, then the figure that counts, beside the baseline's."""
    tiles = [(name, tile(facts[name])) for name in ("rows", "labels", "parameters") if facts[name]]
    tiles.append(("training time", human_seconds(facts["seconds"])))
    judged_by = facts["judged_by"]
    for part, said in PARTS.items():
        if not facts[part]:
            continue
        tiles.append((f"{_said(judged_by)}, {said}", f"{facts[part][judged_by]:.3f}"))
        if facts["baseline"] and facts["baseline"][part]:
            beside = facts["baseline"][part][judged_by]
            tiles.append((f"of the baseline, {said}", f"{beside:.3f}"))
        if facts["seeds"] and (figures := facts["seeds"][part]):
            spread = f"± {figures['deviation']:.3f}, mean of {len(figures['each'])} seeds, {said}"
            tiles.append((spread, f"{figures['mean']:.3f}"))
    return tiles


def _charts(
    facts: Record, metrics: Sequence[Record], found: Record, beside: Sequence[Record]
) -> dict[str, dict[str, Any]]:
    charts = training_curves(metrics)
    names = dict.fromkeys([facts["judged_by"], *CURVES[facts["task"]]])
    figures = curve_chart(
        metrics,
        {f"valid_{name}": _said(name) for name in names},
        "held out",
        unit=work_unit(metrics),
        number_format=".0%",
        legend="bottom-right",
    )
    if figures is not None:
        charts["figures"] = figures
    if beside:
        charts["beside"] = beside_chart(beside, [name for name, _ in measured_models(facts)])
    if "confusion" in found:
        charts["confusion"] = confusion_chart(**found["confusion"])
    if found.get("reliability"):
        charts["reliability"] = reliability_chart(found["reliability"])
    if found.get("points"):
        charts["scores"] = score_chart(found["points"])
    return charts


def _beside(facts: Record) -> Iterator[dict[str, Any]]:
    """The shares that all models have, on the test rows or on those held out."""
    part = next((part for part in PARTS if facts[part]), None)
    if part is None:
        return
    models = measured_models(facts)
    for figure in dict.fromkeys([facts["judged_by"], *SHARES]):
        if all(of[part] and isfinite(of[part].get(figure, nan)) for _, of in models):
            for name, of in models:
                yield {"figure": _said(figure), "model": name, "value": of[part][figure]}


def _beside_table(facts: Record) -> dict[str, list[Any]]:
    """A row a figure that is one number, a column a model and the rows that it was measured on."""
    parts = [part for part in PARTS if facts[part]]
    names = dict.fromkeys(
        name for part in parts for name, value in facts[part].items() if isinstance(value, float)
    )
    return table(
        [
            {"": _said(name)}
            | {
                f"{model}, {PARTS[part]}": (of[part] or {}).get(name)
                for part in parts
                for model, of in measured_models(facts)
            }
            for name in names
        ]
    )


def _rows(found: Record, name: str) -> list[dict[str, Any]]:
    rows = found.get(name, [])[: TABLES[name]]
    return [{_said(column): value for column, value in row.items()} for row in rows]


def _label_table(facts: Record, found: Record) -> dict[str, list[Any]]:
    """A row a label, the most frequent first, with the rows that it was learned from."""
    figures: Record = next((facts[part] for part in PARTS if facts[part]), {})
    if "labels" not in figures:
        return table([])
    learned = found.get("learned", {})
    rows = []
    for name, shares in figures["labels"].items():
        row = {"label": name or "entity", **{_said(share): each for share, each in shares.items()}}
        if learned:
            row["in training"] = learned.get(name or "entity", 0)
        rows.append(row)
    return table(sorted(rows, key=lambda row: (-row["support"], row["label"])))


def _said(figure: str) -> str:
    """The name of a figure as people write it."""
    names = {"f1": "F1", "spearman": "Spearman", "pearson": "Pearson"}
    return " ".join(names.get(word, word) for word in label(figure).split())
