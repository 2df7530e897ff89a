"""The charts of texts that were written: quality and length, and which word looks at which."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from foretext.report.charts import legend_above, specification

__all__ = ["alignment_chart", "alignment_width", "length_chart", "quality_chart"]

HEIGHT = 300  # pixels
CELL, EDGE = 26, 130  # pixels: a cell, and the names beside or below all of them
LONGEST_NAME = 14  # characters of a word

Record = Mapping[str, Any]


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
            x=alt.X("x:O", title="source", axis=_words(source, labelAngle=-60, orient="top")),
            y=alt.Y("y:O", title="output", axis=_words(output)),
            color=alt.Color(
                "weight:Q",
                scale=alt.Scale(type="sqrt", domain=[0, 1], interpolate="rgb"),
                legend=None,
            ),
            tooltip=["output:N", "source:N", alt.Tooltip("weight:Q", format=".0%")],
        )
    )
    return specification(chart, "Alignment", CELL * len(output) + EDGE)


def alignment_width(alignment: Record) -> int:
    """Return the least width of a readable alignment, in pixels."""
    return CELL * len(alignment["source"]) + EDGE


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
        x=alt.X("words:O", title="words of the source", sort=order, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("chrf:Q", title="chrF", scale=alt.Scale(domainMin=0)),
        color=alt.Color(
            "model:N",
            scale=alt.Scale(domain=names),
            legend=legend_above(names) if len(names) > 1 else None,
        ),
        tooltip=[
            "model:N",
            alt.Tooltip("words:O", title="words of the source"),
            alt.Tooltip("chrf:Q", title="chrF", format=".1f"),
            alt.Tooltip("rows:Q", format=","),
        ],
    )
    lines = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=60, opacity=1)
    return specification(lines, "Quality by length", HEIGHT)


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
        x=alt.X("reference:Q", title="words of the reference", scale=whole),
        y=alt.Y("output:Q", title="words of the output", scale=whole),
        tooltip=["reference:Q", "output:Q"],
    )
    ends = [{"x": 0, "y": 0}, {"x": most, "y": most}]
    line = alt.Chart(alt.InlineData(values=ends)).mark_line(strokeDash=[5, 4], opacity=0.6)
    return specification(line.encode(x="x:Q", y="y:Q") + dots, "Lengths", HEIGHT)


def _words(words: Sequence[str], **options: Any) -> Any:
    """Return an axis of places that shows the word at each: words may come twice."""
    import altair as alt

    names = json.dumps([_shortened(word) for word in words])
    limits = {"labelOverlap": False, "labelLimit": EDGE, "grid": False, "ticks": False}
    return alt.Axis(labelExpr=f"{names}[datum.value]", domain=False, **{**limits, **options})


def _shortened(word: str) -> str:
    return word if len(word) <= LONGEST_NAME else f"{word[: LONGEST_NAME - 1]}…"


def _range(record: Record) -> str:
    low, high = record["low"], record["high"]
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
