"""The page of a comparison: what to use, how good each candidate is, and what it costs."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.errors import OutputError
from foretext.base.files import refuse_name
from foretext.base.parsing import parse_json
from foretext.base.replacement import REPLACEMENT
from foretext.messages import has_message, message, translated
from foretext.progress import human_bytes
from foretext.report.axes import decimals
from foretext.report.comparison_costs import DISK, FIT, GROUPS, USE, Costed, cost_chart, is_drawn
from foretext.report.comparison_curves import drawn_points, learning_chart, loss_chart, time_rows
from foretext.report.comparison_files import (
    COMPARED,
    ComparedCandidate,
    ComparisonFacts,
    Disagreement,
    read_comparison,
)
from foretext.report.comparison_table import (
    cost_rows,
    group_name,
    interval_scale,
    leader_rows,
    left_out,
    ranks,
)
from foretext.report.label_curves import label_chart, label_failures, label_table
from foretext.report.page import budget, duration, table, tile, words_of, write_page
from foretext.report.task_card import POINTS, figure_name, figure_text

__all__ = ["Answer", "agreement", "answers", "report_comparison", "write_comparison_report"]

TITLES = {"span_qa": "Question answering"}  # of tasks whose names say less
REPORT = "report.html"
PARTS = ("valid", "test")

Content = Mapping[str, Any]

FEWEST_CANDIDATES = 2  # of a picture that compares them
FEWEST_POINTS = 2  # of a curve that is drawn

Row = dict[str, Any]


def report_comparison(folder: str | Path) -> Path:
    """Write ``report.html`` into the folder of a finished comparison again, and return its path.

    Raises:
        OutputError: ``compare.json`` is missing or damaged, or the page cannot be written.
    """
    path = Path(folder) / REPORT
    write_comparison_report(read_comparison(folder), path)
    return path


def write_comparison_report(content: Content, path: Path) -> None:
    """Write one HTML file that shows a comparison and opens anywhere, without a network.

    Args:
        content: of ``compare.json``; see `ComparisonFacts`.
        path: the file, replaced whole.

    Raises:
        OutputError: `content` is of another form, or `path` cannot be written.
    """
    refuse_name(path)
    source = str(path.with_name(COMPARED))
    facts: ComparisonFacts = parse_json(json.dumps(content), source, OutputError, ComparisonFacts)
    folder = path.parent.parent if path.parent.name == REPLACEMENT else path.parent
    losses = {f"loss-{n}": own for n, own in enumerate(_loss_charts(facts.candidates))}
    charts = _comparison_charts(facts) | {place: chart for place, (_, chart) in losses.items()}
    write_page(
        path,
        "comparison.html.j2",
        charts,
        title=_title(facts, folder),
        summary=_summary(facts),
        recommendation=facts.recommendation,
        command=_command(facts, folder),
        warnings=facts.warnings,
        notes=facts.notes,
        tiles=_tiles(facts),
        figure=figure_name(facts.judged_by),
        part=_part(facts.part),
        leaders=leader_rows(facts),
        left_out=left_out(facts.candidates),
        scale=_scale(facts),
        remarks=[(each.name, said) for each in facts.candidates for said in each.warnings],
        groups=_groups(facts.candidates),
        costs=_of_numbers(cost_rows(facts.candidates)),
        figures=_of_numbers(_figure_rows(facts)),
        forecasts=_of_numbers(_forecast_rows(facts), num_texts=1),
        labels=facts.label_curve,
        label_table=label_table(facts.label_curve, facts.judged_by),
        label_failures=label_failures(facts.label_curve),
        losses=[(name, place) for place, (name, _) in losses.items()],
        times=time_rows(facts.candidates),
        shared=table(_shared_rows(facts)),
        agreement=agreement(facts),
        disagreements=[(each, answers(each)) for each in facts.disagreements],
        settings=_settings(facts),
    )


def _title(facts: ComparisonFacts, folder: Path) -> str:
    name = facts.task.rpartition(":")[2]
    words = words_of(name)
    said = translated(TITLES.get(name, words[:1].upper() + words[1:]))
    return message("comparison.title", task=said, name=facts.data or folder.resolve().name)


def _part(part: str) -> str:
    """Return what the rows of a part are called."""
    return message(f"comparison.part.{part}")


def _summary(facts: ComparisonFacts) -> str:
    tried = sum(bool(each.rounds) for each in facts.candidates)
    rows = facts.rows.get(facts.part, 0)
    return message(
        "comparison.summary",
        tried=tried,
        budget=budget(facts.budget_seconds),
        figure=figure_name(facts.judged_by),
        rows=rows,
        part=_part(facts.part),
    )


def _command(facts: ComparisonFacts, folder: Path) -> str | None:
    """Return the command that answers texts by the model that was kept."""
    if facts.best is None:
        return None
    return f"foretext predict {shlex.quote(str(folder / facts.best))} INPUT"


def _tiles(facts: ComparisonFacts) -> list[tuple[str, str]]:
    """Return the figure of the candidate to use, and what the comparison had and used."""
    named = facts.recommendation.name if facts.recommendation else None
    chosen = next((each for each in facts.candidates if each.name == named), None)
    tiles = []
    if chosen is not None and chosen.test is not None:
        figure, part = figure_name(facts.judged_by), _part(facts.part)
        said = message("comparison.tile.figure", figure=figure, name=chosen.name, part=part)
        tiles.append((said, figure_text(facts.judged_by, chosen.test.value)))
    if chosen is not None and chosen.seconds is not None:
        tiles.append((message("comparison.tile.fit"), _whole(duration(chosen.seconds.fit))))
    tiles += [(_rows_tile(part), tile(rows)) for part, rows in facts.rows.items() if rows]
    used = message("comparison.tile.used", budget=budget(facts.budget_seconds))
    return [*tiles, (used, _whole(duration(facts.used_seconds)))]


def _rows_tile(part: str) -> str:
    if part == "train":
        return message("comparison.tile.train")
    return message("comparison.tile.rows", part=_part(part) if part in PARTS else part)


def _whole(time: str) -> str:
    """Return a time whose numbers stay on the line of their units."""
    return re.sub(r"(\d) ", "\\1\u00a0", time)


def _scale(facts: ComparisonFacts) -> tuple[str, str] | None:
    """Return what stands at both ends of the scale of intervals."""
    ends = interval_scale(facts)
    return ends and (figure_text(facts.judged_by, ends[0]), figure_text(facts.judged_by, ends[1]))


def _groups(candidates: Sequence[ComparedCandidate]) -> list[tuple[int, str]]:
    """Return number and name of the groups of candidates that took part."""
    found = {each.group for each in candidates if each.rounds}
    return [(number, group_name(group)) for number, group in enumerate(GROUPS, 1) if group in found]


def _of_numbers(rows: list[dict[str, Any]], *, num_texts: int = 0) -> dict[str, list[Any]]:
    """Return a table of names and of figures as text, which stand to the right.

    Args:
        rows: of the table.
        num_texts: columns at the end that are no figures.
    """
    found = table(rows)
    num_figures = len(found["head"]) - 1 - num_texts
    return {**found, "numeric": [False, *[True] * num_figures, *[False] * num_texts]}


def _settings(facts: ComparisonFacts) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Return how the comparison was made, as tables under headlines."""
    machine = [
        (_setting(name), human_bytes(value) if name == "memory" else int(value))
        for name, value in facts.machine.items()
    ]
    return [
        (_setting("comparison"), [(_setting("rounds"), facts.rounds),
                                  (_setting("seeds"), facts.seeds), ("foretext", facts.foretext)]),
        *([(_setting("machine"), machine)] if machine else []),
    ]  # fmt: skip


def _setting(name: str) -> str:
    key = f"comparison.settings.{name}"
    return message(key) if has_message(key) else name


def _comparison_charts(facts: ComparisonFacts) -> dict[str, str]:
    """Return pictures of quality against cost, and of the learning curves: those that there are."""
    name = figure_name(facts.judged_by)
    figures = decimals(1 if facts.judged_by in POINTS else 3)
    charts = {}
    for key, cost, of, words in (
        ("fit", FIT, _fit_seconds, duration),
        ("use", USE, lambda each: each.milliseconds_per_row, lambda value: f"{value:.3g} ms"),
        ("disk", DISK, lambda each: each.disk_bytes, human_bytes),
    ):
        costed = list(_costed(facts.candidates, of, words))
        if len(costed) >= FEWEST_CANDIDATES:
            charts[key] = cost_chart(costed, cost, name, words=figures)
    scores = learning_chart(
        facts.candidates,
        message("comparison.curves.axis", figure=name),
        words=figures,
    )
    labels = label_chart(facts.label_curve, name, words=figures)
    found = {"scores": scores, "labels": labels}
    return charts | {key: chart for key, chart in found.items() if chart is not None}


def _loss_charts(
    candidates: Sequence[ComparedCandidate],
) -> Iterator[tuple[str, str]]:
    """Yield name and loss of each candidate that was pretrained, of its last round."""
    for each in candidates:
        curves = [drawn_points(found.pretraining_curve) for found in each.rounds]
        drawn = [curve for curve in curves if len(curve) >= FEWEST_POINTS]
        if drawn:
            yield each.name, loss_chart(each.name, drawn[-1])


def _fit_seconds(each: ComparedCandidate) -> float | None:
    return each.seconds.fit if each.seconds else None


def _costed(
    candidates: Sequence[ComparedCandidate],
    of: Callable[[ComparedCandidate], float | None],
    words: Callable[[float], str],
) -> Iterator[Costed]:
    """Yield the candidates that have a figure and a cost."""
    places = ranks(candidates)
    for each in candidates:
        cost = of(each)
        if each.name in places and each.test is not None and cost and is_drawn(cost):
            yield Costed(
                places[each.name], each.name, each.group, each.test.value, cost, words(cost)
            )


class Answer(NamedTuple):
    """An answer to a row, and who gives it."""

    text: str
    is_right: bool
    names: list[str]


def _figure_rows(facts: ComparisonFacts) -> list[Row]:
    """Return a row for each candidate, with every figure that is one number and no count."""
    measured = {each.name: _numbers(each.test.figures) for each in facts.candidates if each.test}
    names = dict.fromkeys(name for own in measured.values() for name in own)
    shown = [
        name for name in names if not all(_is_count(own.get(name)) for own in measured.values())
    ]
    return [
        {message("comparison.column.candidate"): candidate}
        | {figure_name(name): figure_text(name, own[name], 4) for name in shown if name in own}
        for candidate, own in measured.items()
    ]


def _forecast_rows(facts: ComparisonFacts) -> list[Row]:
    """Return a row for each forecast; scores are those of held-out rows."""
    name = facts.judged_by
    return [
        {
            message("comparison.column.candidate"): each.name,
            message("comparison.forecast.now"): figure_text(name, found.value - found.gain),
            message("comparison.forecast.forecast"): figure_text(name, found.value),
            message("comparison.forecast.gain"): f"+{figure_text(name, found.gain)}",
            message("comparison.forecast.after"): budget(found.seconds),
            message("comparison.forecast.by"): translated(found.from_),
        }
        for each in facts.candidates
        if (found := each.forecast) is not None
    ]


def _shared_rows(facts: ComparisonFacts) -> list[Row]:
    """Return what was done once, how long it took, and whom it served."""
    return [
        {"work": translated(each.what), "time": duration(each.seconds), "served": each.candidates}
        for each in facts.shared
    ]


def agreement(facts: ComparisonFacts) -> str:
    """Return how many rows candidates agree on, in a sentence; "": that was not counted."""
    found = facts.agreement
    if found is None:
        return ""
    counts = {"all": found.all, "none": found.none, "some": found.some}
    return message("comparison.disagree.agreement", **counts)


def answers(row: Disagreement) -> list[Answer]:
    """Return the answers to a row, the right one first, then those that most candidates give."""
    named: dict[str, list[str]] = {}
    for name, text in row.answers.items():
        named.setdefault(text, []).append(name)
    found = [Answer(text, text == row.right, names) for text, names in named.items()]
    return sorted(found, key=lambda answer: (not answer.is_right, -len(answer.names)))


def _numbers(figures: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in figures.items() if isinstance(value, float)}


def _is_count(value: float | None) -> bool:
    """Whether a figure may be a number of rows: it is whole and more than a share."""
    return value is None or (value > 1 and value % 1 == 0)
