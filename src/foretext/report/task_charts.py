"""The charts of a trained task: who is taken for whom, how sure it is, and beside what."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from foretext.messages import message
from foretext.report.charts import legend_above, specification

__all__ = [
    "alignment_chart",
    "alignment_width",
    "beside_chart",
    "confusion_chart",
    "length_chart",
    "matrix_width",
    "quality_chart",
    "reliability_chart",
    "score_chart",
]

FEW_LABELS = 14  # of which a confusion matrix has room beside another chart
MANY_LABELS = 25  # from which on its cells have no room for counts
STRONG = 0.35  # share of a row from which on a cell is dark
SQUARE_HEIGHT = 340  # pixels, of a chart that has another one beside it
NAMES_WIDTH = 190  # pixels, of names beside a matrix and its edges
LONGEST_NAME = 18  # characters of such a name
ROOM = 60  # characters that labels have below a matrix
CELL = 24  # pixels: the least width and height of a cell

HEIGHT = 300  # pixels
WORD_CELL, EDGE = 26, 130  # pixels: a cell, and the names beside or below all of them
LONGEST_WORD = 14  # characters of a word

Record = Mapping[str, Any]


def confusion_chart(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Draw a confusion matrix: a row a right label, shaded by its share of the row.

    Args:
        labels: C names, from 2 to about 40.
        counts: (C, C), how often the label of the row was taken for the label of the column.
    """
    import altair as alt

    rows, columns = _axis_names(labels)
    cells = [
        {
            "right": labels[i], "given": labels[j], "row": rows[i], "column": columns[j],
            "count": count, "share": share, "strong": share > STRONG,
        }
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        for share in [count / max(sum(row), 1)]
    ]  # fmt: skip
    across = alt.Axis(grid=False, labelAngle=0, labelOverlap=False)
    down = alt.Axis(grid=False, labelLimit=0)  # names are short already
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X("column:N", title=message("task.questions.given"), sort=columns, axis=across),
        y=alt.Y("row:N", title=message("task.questions.right"), sort=rows, axis=down),
        tooltip=[
            alt.Tooltip("right:N", title=message("task.questions.right")),
            alt.Tooltip("given:N", title=message("task.questions.given")),
            alt.Tooltip("count:Q", title=message("task.chart.count"), format=","),
            alt.Tooltip("share:Q", title=message("task.chart.share"), format=".1%"),
        ],
    )
    # Of a linear scale the confusions that matter, of some hundredths, would not be seen.
    shades = alt.Scale(type="sqrt", domain=[0, 1], interpolate="rgb")
    chart = base.mark_rect(cornerRadius=2).encode(
        color=alt.Color("share:Q", scale=shades, legend=None)
    )
    if len(labels) <= MANY_LABELS:
        inks = alt.Scale(domain=[False, True], range="ordinal")
        numbers = base.transform_filter("datum.count > 0").mark_text(
            fontSize=12 if len(labels) <= FEW_LABELS else 10
        )
        numbers = numbers.encode(
            text=alt.Text("count:Q", format=","),
            color=alt.Color("strong:N", scale=inks, legend=None),
        )
        chart = (chart + numbers).resolve_scale(color="independent")
    return specification(
        chart, message("task.chart.confusion"), max(SQUARE_HEIGHT, CELL * len(labels))
    )


def matrix_width(labels: Sequence[str]) -> int:
    """Return the least width of a readable confusion matrix, in pixels."""
    return NAMES_WIDTH + CELL * len(labels)


def _axis_names(labels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names of rows and columns; where labels are long, columns have numbers alone."""
    if len(labels) * max(map(len, labels)) <= ROOM:
        return list(labels), list(labels)
    rows = [f"{_shortened(name)} {number}" for number, name in enumerate(labels, 1)]
    return rows, [str(number) for number in range(1, len(labels) + 1)]


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def reliability_chart(bins: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Draw accuracy over confidence; the diagonal is a model that is as sure as it should be.

    Args:
        bins: records with ``low high size confidence accuracy``.
    """
    import altair as alt

    whole = alt.Scale(domain=[0, 1])
    percent = alt.Axis(format=".0%", tickCount=5)
    confidence, accuracy = (message(f"task.chart.{each}") for each in ("confidence", "accuracy"))
    bars = alt.Chart(alt.InlineData(values=[dict(each) for each in bins]))
    bars = bars.mark_bar(opacity=0.3).encode(
        x=alt.X("low:Q", title=confidence, scale=whole, axis=percent, bin="binned"),
        x2="high:Q",
        y=alt.Y("accuracy:Q", title=accuracy, scale=whole, axis=percent),
    )
    dots = alt.Chart(alt.InlineData(values=[dict(each) for each in bins]))
    dots = dots.mark_circle(opacity=0.95).encode(
        x=alt.X("confidence:Q", title=confidence, scale=whole, axis=percent),
        y=alt.Y("accuracy:Q", title=accuracy, scale=whole, axis=percent),
        size=alt.Size("size:Q", scale=alt.Scale(type="sqrt", range=[25, 420]), legend=None),
        tooltip=[
            alt.Tooltip("size:Q", title=message("task.chart.answers"), format=","),
            alt.Tooltip("confidence:Q", title=message("task.chart.mean_confidence"), format=".1%"),
            alt.Tooltip("accuracy:Q", title=accuracy, format=".1%"),
        ],
    )
    return specification(
        bars + _diagonal(0, 1) + dots, message("task.chart.reliability"), SQUARE_HEIGHT
    )


def score_chart(points: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Draw given scores over right ones, from pairs (right, given)."""
    import altair as alt

    values = [{"right": right, "given": given} for right, given in points]
    low, high = (bound(each[0] for each in points) for bound in (min, max))
    dots = alt.Chart(alt.InlineData(values=values)).mark_circle(size=38, opacity=0.45)
    dots = dots.encode(
        x=alt.X("right:Q", title=message("task.questions.right"), scale=alt.Scale(zero=False)),
        y=alt.Y("given:Q", title=message("task.questions.given"), scale=alt.Scale(zero=False)),
        tooltip=[
            alt.Tooltip(f"{each}:Q", title=message(f"task.questions.{each}"), format=".3~f")
            for each in ("right", "given")
        ],
    )
    return specification(_diagonal(low, high) + dots, message("task.chart.scores"), SQUARE_HEIGHT)


def beside_chart(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], *, highest: int = 1
) -> dict[str, Any]:
    """Draw bars of figures, those of several models beside each other.

    Args:
        rows: records with ``figure``, ``model`` and ``value``.
        names: of the models, in their order.
        highest: value that a figure can have: 1, or 100 of figures in points.
    """
    import altair as alt

    figures = list(dict.fromkeys(row["figure"] for row in rows))
    series = alt.Scale(domain=list(names))
    lowest = min(0.0, *(row["value"] for row in rows))
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(
        y=alt.Y("figure:N", title=None, sort=figures, axis=alt.Axis(grid=False, labelLimit=200)),
        yOffset=alt.YOffset("model:N", sort=list(names)),
        x=alt.X(
            "value:Q",
            title=None,
            scale=alt.Scale(domain=[lowest, highest]),
            axis=alt.Axis(format=".0%" if highest == 1 else "d", tickCount=5),
        ),
        tooltip=[
            alt.Tooltip("model:N", title=message("task.chart.model")),
            alt.Tooltip("figure:N", title=message("task.chart.figure")),
            alt.Tooltip("value:Q", title=message("task.chart.value"), format=".4f"),
        ],
    )
    bars = base.mark_bar(cornerRadiusEnd=3).encode(
        color=alt.Color(
            "model:N",
            scale=series,
            legend=legend_above(names, symbolType="square"),
        )
    )
    text = alt.Text("value:Q", format=".3f" if highest == 1 else ".1f")
    values = base.mark_text(align="left", dx=5).encode(text=text)
    return specification(bars + values, message("task.chart.beside"), 40 + 24 * len(rows))


def _diagonal(low: float, high: float) -> Any:
    import altair as alt

    ends = [{"x": low, "y": low}, {"x": high, "y": high}]
    line = alt.Chart(alt.InlineData(values=ends)).mark_line(strokeDash=[5, 4], opacity=0.6)
    return line.encode(x="x:Q", y="y:Q")


def alignment_chart(alignment: Record) -> dict[str, Any]:
    """Draw how much each word of an output takes from each word of its source.

    Args:
        alignment: ``source``, ``output``: words; ``weights``: (output words, source words).
    """
    import altair as alt

    source, output = alignment["source"], alignment["output"]
    cells = [
        {"x": x, "y": y, "source": source[x], "output": output[y], "weight": weight}
        for y, row in enumerate(alignment["weights"])
        for x, weight in enumerate(row)
    ]
    chart = (
        alt.Chart(alt.InlineData(values=cells))
        .mark_rect(cornerRadius=2)
        .encode(
            x=alt.X(
                "x:O",
                title=message("task.texts.source"),
                axis=_words(source, labelAngle=-60, orient="top"),
            ),
            y=alt.Y("y:O", title=message("task.texts.output"), axis=_words(output)),
            color=alt.Color(
                "weight:Q",
                scale=alt.Scale(type="sqrt", domain=[0, 1], interpolate="rgb"),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("output:N", title=message("task.texts.output")),
                alt.Tooltip("source:N", title=message("task.texts.source")),
                alt.Tooltip("weight:Q", title=message("task.chart.weight"), format=".0%"),
            ],
        )
    )
    return specification(chart, message("task.chart.alignment"), WORD_CELL * len(output) + EDGE)


def alignment_width(alignment: Record) -> int:
    """Return the least width of a readable alignment, in pixels."""
    return WORD_CELL * len(alignment["source"]) + EDGE


def quality_chart(bins: Sequence[Record]) -> dict[str, Any]:
    """Draw chrF over the length of sources, a line a model.

    Args:
        bins: records with ``low high rows model chrf``, the shortest sources first.
    """
    import altair as alt

    rows = [{**each, "words": _range(each)} for each in bins]
    names = list(dict.fromkeys(row["model"] for row in rows))
    order = list(dict.fromkeys(row["words"] for row in rows))
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "words:O",
            title=message("task.chart.source_words"),
            sort=order,
            axis=alt.Axis(labelAngle=0),
        ),
        y=alt.Y("chrf:Q", title="chrF", scale=alt.Scale(domainMin=0)),
        color=alt.Color(
            "model:N",
            scale=alt.Scale(domain=names),
            legend=legend_above(names) if len(names) > 1 else None,
        ),
        tooltip=[
            alt.Tooltip("model:N", title=message("task.chart.model")),
            alt.Tooltip("words:O", title=message("task.chart.source_words")),
            alt.Tooltip("chrf:Q", title="chrF", format=".1f"),
            alt.Tooltip("rows:Q", title=message("task.chart.rows"), format=","),
        ],
    )
    lines = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=60, opacity=1)
    return specification(lines, message("task.chart.quality"), HEIGHT)


def length_chart(lengths: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Draw the words of outputs over those of their references.

    Args:
        lengths: pairs (reference, output).
    """
    import altair as alt

    values = [{"reference": reference, "output": output} for reference, output in lengths]
    most = max(max(pair) for pair in lengths)
    whole = alt.Scale(domain=[0, max(most, 1)], nice=True)
    dots = alt.Chart(alt.InlineData(values=values)).mark_circle(size=38, opacity=0.4)
    dots = dots.encode(
        x=alt.X("reference:Q", title=message("task.chart.reference_words"), scale=whole),
        y=alt.Y("output:Q", title=message("task.chart.output_words"), scale=whole),
        tooltip=[
            alt.Tooltip("reference:Q", title=message("task.texts.reference")),
            alt.Tooltip("output:Q", title=message("task.texts.output")),
        ],
    )
    ends = [{"x": 0, "y": 0}, {"x": most, "y": most}]
    line = alt.Chart(alt.InlineData(values=ends)).mark_line(strokeDash=[5, 4], opacity=0.6)
    return specification(
        line.encode(x="x:Q", y="y:Q") + dots, message("task.chart.lengths"), HEIGHT
    )


def _words(words: Sequence[str], **options: Any) -> Any:
    """Return an axis of places that shows the word at each: words may come twice."""
    import altair as alt

    names = json.dumps([_shortened_word(word) for word in words])
    limits = {"labelOverlap": False, "labelLimit": EDGE, "grid": False, "ticks": False}
    return alt.Axis(labelExpr=f"{names}[datum.value]", domain=False, **{**limits, **options})


def _shortened_word(word: str) -> str:
    return word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…"


def _range(record: Record) -> str:
    low, high = record["low"], record["high"]
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
