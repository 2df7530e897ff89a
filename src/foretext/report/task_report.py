"""The page of a run that learned a task: how good it is, compared with what, and where it errs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.counted import number_of
from foretext.messages import ended, message, sentences, translated
from foretext.metrics.texts import text_units, unit_pattern
from foretext.report.axes import decimals, digits, in_percent
from foretext.report.charts import curve_chart
from foretext.report.comparison_files import LabelCurve
from foretext.report.label_curves import label_chart, label_failures, label_table
from foretext.report.page import (
    PageOptions,
    best_first,
    duration,
    setting_sections,
    table,
    tile,
    write_page,
)
from foretext.report.run_files import Record as RunRecord
from foretext.report.run_files import Trial, read_facts, read_records, read_sections, read_values
from foretext.report.structure import structure_svg
from foretext.report.task_card import (
    POINTS,
    figure_name,
    figure_text,
    measured_models,
    rows_of_labels,
    task_title,
)
from foretext.report.task_charts import (
    FEW_LABELS,
    alignment_chart,
    alignment_width,
    beside_chart,
    confusion_chart,
    length_chart,
    matrix_width,
    quality_chart,
    reliability_chart,
    score_chart,
)
from foretext.report.task_files import Examination, TaskFacts
from foretext.report.training_curves import training_curves, work_unit
from foretext.run_folder import RunFolder

__all__ = ["TextRun", "report_task", "tagged_sentence", "text_parts", "write_task_report"]

Record = Mapping[str, Any]

PARTS = ("test", "valid")  # the first that there is is shown
SHARES = (  # figures up to 1, higher is better, the most important first
    "f1", "precision", "recall", "macro_f1", "exact_match", "accuracy", "spearman", "pearson",
    "ndcg@10", "mrr@10", "recall@1", "recall@10",
)  # fmt: skip
MOST_CONFUSED, MOST_TRIALS = 10, 20  # rows of these tables

Entity = Sequence[Any]  # kind, first token, the first one after it


def report_task(folder: RunFolder, options: PageOptions) -> None:
    """Write the page of a run that learned a task; see `foretext.kinds.Kind.page`."""
    facts = read_facts(folder, TaskFacts)
    write_task_report(
        folder.report,
        title=options.headline(task_title(facts), folder.named),
        facts=facts,
        settings=read_sections(folder.recipe),
        metrics=read_records(folder.metrics, RunRecord),
        examination=read_values(folder.examination, Examination),
        trials=read_records(folder.trials, Trial),
        label_curve=read_values(folder.label_curve, LabelCurve),
    )


def write_task_report(
    path: Path,
    *,
    title: str,
    facts: Record,
    settings: Record,
    metrics: Sequence[Record],
    examination: Record | None = None,
    trials: Sequence[Record] = (),
    label_curve: Record | None = None,
) -> None:
    """Write one HTML file that shows a fine-tuning and opens anywhere, without a network.

    Args:
        path: the file, replaced whole.
        title: the headline.
        facts: of ``config.json``.
        settings: of the run, by section.
        metrics: the lines of metrics.jsonl.
        examination: of ``examination.json``; None: nothing was examined.
        trials: settings that were tried before, with their scores; the best come first here.
        label_curve: of ``label_curve.json``; None: there is none.

    Raises:
        OutputError: `path` cannot be written.
    """
    found = examination or {}
    beside = list(_beside(facts))
    best = best_first(trials)
    labels = None if label_curve is None else LabelCurve.model_validate(label_curve)
    write_page(
        path,
        "task.html.j2",
        _charts(facts, metrics, found, beside) | _label_charts(labels, facts["judged_by"]),
        title=title,
        summary=_summary(facts),
        named=figure_name,
        verdict=facts.get("verdict"),
        remarks=_remarks(facts),
        warnings=facts.get("warnings", []),
        tiles=_tiles(facts),
        beside=_beside_table(facts),
        signatures=_signatures(facts),
        labels=_label_table(facts, found),
        structure=_structure(facts),
        layers=table(_layers(facts)),
        views=table([dict(view) for view in facts.get("views", [])]),
        informative_features=facts.get("informative_features", {}),
        examined=message(f"task.part.{found['part']}_rows", rows=found["rows"]) if found else "",
        said=_said_after,
        is_small="confusion" in found and len(found["confusion"]["labels"]) <= FEW_LABELS,
        matrix_width=matrix_width(found["confusion"]["labels"]) if "confusion" in found else 0,
        calibration_error=found.get("calibration_error"),
        num_errors=found.get("num_errors"),
        num_wrong_sentences=found.get("num_wrong_sentences", 0),
        errors=[_place_last(error) for error in found.get("errors", [])],
        questions=found.get("questions", []),
        sentences=[tagged_sentence(each) for each in found.get("sentences", [])],
        confused=table(_confused(found)),
        tables=list(_tables(found)),
        **text_parts(found),
        by_labels=labels,
        label_table=label_table(labels, facts["judged_by"]),
        label_failures=label_failures(labels),
        figure=figure_name(facts["judged_by"]),
        trials=table([dict(trial) for trial in best[:MOST_TRIALS]]),
        num_trials=len(best),
        settings=setting_sections(settings),
    )


def _structure(facts: Record) -> str:
    """Return a drawing of the network; empty: there is none."""
    layers = [(each["layer"], tuple(each["shape"])) for each in facts.get("structure", [])]
    return structure_svg(layers) if layers else ""


def _label_charts(curve: LabelCurve | None, judged_by: str) -> dict[str, str]:
    words = decimals(1 if judged_by in POINTS else 3)
    chart = label_chart(curve, figure_name(judged_by), words=words)
    return {} if chart is None else {"labels": chart}


def _summary(facts: Record) -> str:
    base = Path(facts["base"]).name
    rows, method = rows_of_labels(facts), translated(facts["method"])
    return message("task.summary", rows=rows, base=base, method=method)


def _said_after(examined: str, *hints: str) -> str:
    """Return which rows were examined, as a sentence before the hints."""
    return sentences([ended(examined), *hints])


def _remarks(facts: Record) -> list[str]:
    """Return what was chosen for the rows, and which rows the kept model learned from."""
    chosen = translated(facts.get("chosen") or "")
    remarks = [ended(f"{chosen[0].upper()}{chosen[1:]}")] if chosen else []
    if rows := facts.get("refit"):
        train = number_of("row", rows["train"])
        remarks.append(message("task.refit", train=train, valid=rows["valid"]))
    return remarks


def _tiles(facts: Record) -> list[tuple[str, str]]:
    """Return what was learned, then the figure `judged_by`, that of the baseline next to it."""
    tiles = [
        (translated(name), tile(facts[name]))
        for name in ("rows", "labels", "parameters")
        if facts[name]
    ]
    tiles.append((message("page.training.time"), duration(facts["seconds"])))
    judged_by = facts["judged_by"]
    figure = figure_name(judged_by)
    for part in PARTS:
        if not facts[part]:
            continue
        said = message(f"task.part.{part}")
        named = message("task.tile.figure", figure=figure, part=said)
        tiles.append((named, _said(judged_by, facts[part])))
        if facts["baseline"] and facts["baseline"][part]:
            theirs = _said(judged_by, facts["baseline"][part])
            tiles.append((message("task.tile.baseline", part=said), theirs))
        if facts["seeds"] and (figures := facts["seeds"][part]):
            deviation = figure_text(judged_by, figures["deviation"])
            number = len(figures["each"])
            spread = message("task.tile.spread", deviation=deviation, number=number, part=said)
            tiles.append((spread, figure_text(judged_by, figures["mean"])))
    return tiles


def _said(name: str, figures: Record) -> str:
    return figure_text(name, figures[name])


def _charts(
    facts: Record, metrics: Sequence[Record], found: Record, beside: Sequence[Record]
) -> dict[str, str]:
    charts = training_curves(metrics) | _text_charts(found)
    figures = curve_chart(
        metrics,
        {f"valid_{name}": figure_name(name) for name in facts["watched"]},
        message("page.training.line_held_out"),
        unit=work_unit(metrics),
        words=digits if set(POINTS) & set(facts["watched"]) else in_percent,
    )
    if figures is not None:
        charts["figures"] = figures
    if beside:
        charts["beside"] = beside_chart(
            beside,
            [name for name, _ in measured_models(facts)],
            highest=100 if facts["judged_by"] in POINTS else 1,
        )
    if "confusion" in found:
        charts["confusion"] = confusion_chart(**found["confusion"])
    if found.get("reliability"):
        charts["reliability"] = reliability_chart(found["reliability"])
    if found.get("points"):
        charts["scores"] = score_chart(found["points"])
    return charts


def _beside(facts: Record) -> Iterator[dict[str, Any]]:
    """Yield the figures of a kind that all models have, on the test rows or on those held out."""
    part = next((part for part in PARTS if facts[part]), None)
    if part is None:
        return
    models = measured_models(facts)
    kind = POINTS if facts["judged_by"] in POINTS else SHARES
    for figure in dict.fromkeys([facts["judged_by"], *kind]):
        if all(of[part] and isfinite(of[part].get(figure, nan)) for _, of in models):
            for name, of in models:
                yield {"figure": figure_name(figure), "model": name, "value": of[part][figure]}


def _beside_table(facts: Record) -> dict[str, list[Any]]:
    """Return a row for each model and part, a column for each figure that is one number."""
    parts = [part for part in PARTS if facts[part]]
    names = dict.fromkeys([facts["judged_by"]] if parts else []) | dict.fromkeys(
        name for part in parts for name, value in facts[part].items() if isinstance(value, float)
    )
    found = table(
        [
            {"model": model, "rows": message(f"task.part.{part}")}
            | {name: of[part].get(name) for name in names}
            for part in parts
            for model, of in measured_models(facts)
            if of[part]
        ]
    )
    for row in found["body"]:
        row[2:] = [_rounded(*each) for each in zip(names, row[2:], strict=True)]
    return {**found, "head": [*found["head"][:2], *map(figure_name, names)]}


def _rounded(name: str, value: float | None) -> float | str | None:
    return value if value is None or name not in POINTS else figure_text(name, value, 4)


def _signatures(facts: Record) -> list[tuple[str, str]]:
    """Return how figures of texts are counted."""
    figures: Record = next((facts[part] for part in PARTS if facts[part]), {})
    return [(figure_name(name), each) for name, each in figures.get("signatures", {}).items()]


def _place_last(error: Record) -> dict[str, Any]:
    """Return a row of errors with the file's name alone, in the last column."""
    rest = {name: value for name, value in error.items() if name != "place"}
    return rest | ({"place": error["place"].split("/")[-1]} if "place" in error else {})


def _tables(found: Record) -> Iterator[tuple[str, str, dict[str, list[Any]]]]:
    """Yield headline, hint and table of each of the task's own tables that has rows."""
    for each in found.get("tables", []):
        if each["rows"]:
            rows = [_translated_cells(row) for row in each["rows"]]
            yield translated(each["title"]), translated(each.get("hint", "")), table(_renamed(rows))


def _translated_cells(row: Record) -> dict[str, Any]:
    """Return a row of a table whose first cell, which says what the row is of, may be ours."""
    return {name: translated(value) if name == "fault" else value for name, value in row.items()}


def _confused(found: Record) -> list[dict[str, Any]]:
    """Return how often labels were confused, the number first: it is seen on a narrow screen."""
    pairs = found.get("confused", [])[:MOST_CONFUSED]
    return [
        {"times": each["count"], "right": each["right"], "given": each["given"]} for each in pairs
    ]


def _renamed(rows: Sequence[Record]) -> list[dict[str, Any]]:
    return [{figure_name(column): value for column, value in row.items()} for row in rows]


def _layers(facts: Record) -> list[dict[str, Any]]:
    """Return how much of each layer is read, where that was learned."""
    return [
        {"layer": name, "weight": weight} for name, weight in facts.get("layer_weights", {}).items()
    ]


def _label_table(facts: Record, found: Record) -> dict[str, list[Any]]:
    """Return a row for each label, the most frequent first."""
    figures: Record = next((facts[part] for part in PARTS if facts[part]), {})
    if "labels" not in figures:
        return table([])
    learned = found.get("learned", {})
    rows, support = [], figure_name("support")
    for name, shares in figures["labels"].items():
        row = {
            "label": name or "entity",
            **{figure_name(share): each for share, each in shares.items()},
        }
        if learned:
            row[translated("in training")] = learned.get(name or "entity", 0)
        rows.append(row)
    return table(sorted(rows, key=lambda row: (-row[support], row["label"])))


class Run(NamedTuple):
    """Tokens of an entity, or between entities."""

    text: str
    kind: str  # "": of no entity
    is_right: bool  # whether the other side has the same entity


def tagged_sentence(sentence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sentence with its runs on both sides, "right" and "given".

    Where tags are of no entities, there are no sides: each token has its two tags.
    """
    found = {**sentence, "place": sentence["place"].split("/")[-1], "sides": {}}
    spans = sentence.get("spans")
    if spans is not None:
        tokens, pairs = sentence["tokens"], (("right", "given"), ("given", "right"))
        found["sides"] = {
            side: list(_runs(tokens, spans[side], spans[other])) for side, other in pairs
        }
    return found


def _runs(
    tokens: Sequence[str], entities: Sequence[Entity], others: Sequence[Entity]
) -> Iterator[Run]:
    blank = "" if all(len(token) == 1 for token in tokens) else " "  # Chinese, by characters
    known, end = {tuple(other) for other in others}, 0
    for kind, start, stop in entities:
        if end < start:
            yield Run(blank.join(tokens[end:start]), "", True)
        yield Run(blank.join(tokens[start:stop]), kind, (kind, start, stop) in known)
        end = stop
    if end < len(tokens):
        yield Run(blank.join(tokens[end:]), "", True)


class TextRun(NamedTuple):
    """Neighbouring words of an output that the reference has, or that it does not have."""

    text: str
    is_known: bool


def text_parts(found: Record) -> dict[str, Any]:
    """Return what the template shows of examined texts, of ``examination.json``."""
    return {
        "samples": [_marked(each) for each in found.get("samples", [])],
        "worst_texts": [_marked(each) for each in found.get("worst_texts", [])],
        "faulty_texts": [
            {**each, "texts": [_marked(text) for text in each["texts"]]}
            for each in found.get("faulty_texts", [])
        ],
        "alignments": [
            {"name": name, "width": alignment_width(each), "layer": each["layer"]}
            for name, each in _alignments(found)
        ],
    }


def _text_charts(found: Record) -> dict[str, str]:
    """Return the charts of examined texts by their names."""
    charts = {name: alignment_chart(each) for name, each in _alignments(found)}
    if found.get("quality"):
        charts["quality"] = quality_chart(found["quality"])
    if found.get("text_lengths"):
        charts["lengths"] = length_chart(found["text_lengths"])
    return charts


def _alignments(found: Record) -> Iterator[tuple[str, Record]]:
    for number, each in enumerate(found.get("alignments", []), 1):
        yield f"alignment-{number}", each


def _marked(row: Record) -> dict[str, Any]:
    """Return a row whose outputs are cut where their words begin or end to be right."""
    known = set(text_units(row["reference"]))
    runs = {
        name: _text_runs(row[name], known)
        for name in ("output", "baseline")
        if row[name] is not None
    }
    return {**row, "runs": runs, "place": row["place"].split("/")[-1]}


def _text_runs(text: str, known: set[str]) -> list[TextRun]:
    """Return the whole text in runs; marks and blanks go with what stands before them."""
    ends: list[tuple[int, bool]] = []  # where a run begins
    for unit in unit_pattern().finditer(text):
        is_known = unit[0].lower() in known
        if not ends or ends[-1][1] != is_known:
            ends.append((unit.start() if ends else 0, is_known))
    if not ends:
        return [TextRun(text, True)] if text else []
    starts = [start for start, _ in ends]
    spans: Sequence[tuple[int, int]] = list(zip(starts, [*starts[1:], len(text)], strict=True))
    return [TextRun(text[a:b], is_known) for (a, b), (_, is_known) in zip(spans, ends, strict=True)]
