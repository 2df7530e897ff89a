"""The charts of a corpus: how its vocabulary grows, and how long its texts are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretext.report.charts import number_axis, specification

__all__ = ["growth_chart", "lengths_chart"]

TITLES = {
    "least": "shortest",
    "p05": "5 %",
    "p25": "25 %",
    "median": "median",
    "p75": "75 %",
    "p95": "95 %",
    "most": "longest",
}
ROW_HEIGHT = 46  # pixels, of one kind of length


def growth_chart(growth: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    """Draw distinct words over tokens read, from records of ``tokens`` and ``distinct_words``."""
    import altair as alt

    chart = alt.Chart(alt.InlineData(values=list(growth)))
    chart = chart.mark_line(point=alt.OverlayMarkDef(size=36), strokeWidth=2).encode(
        x=alt.X("tokens:Q", title="tokens read", axis=number_axis("~s", grid=False)),
        y=alt.Y("distinct_words:Q", title="distinct words", axis=number_axis("~s")),
        tooltip=[
            alt.Tooltip("tokens:Q", format=","),
            alt.Tooltip("distinct_words:Q", title="distinct words", format=","),
        ],
    )
    return specification(chart, "Growth of the vocabulary", 240)


def lengths_chart(lengths: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Draw quantiles of lengths in tokens: a line from 5 to 95 %, a bar from 25 to 75 %.

    Args:
        lengths: from a name (document, sentence) to ``p05 p25 median p75 p95``.
    """
    import altair as alt

    rows = [{"text": name, **_drawn(quantiles), **quantiles} for name, quantiles in lengths.items()]
    scale = alt.Scale(type="log", nice=False)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("text:N", title=None, sort=list(lengths), axis=alt.Axis(grid=False)),
        tooltip=[
            alt.Tooltip("text:N", title="tokens of a"),
            *(alt.Tooltip(f"{name}:Q", title=title, format=",") for name, title in TITLES.items()),
        ],
    )
    axis = alt.Axis(title="tokens", format="~s", tickCount=6)
    most = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("p05_drawn:Q", scale=scale, axis=axis), x2="p95_drawn:Q"
    )
    half = base.mark_bar(height=16, cornerRadius=3, opacity=0.85).encode(
        x="p25_drawn:Q", x2="p75_drawn:Q"
    )
    middle = base.mark_tick(height=16, thickness=3).encode(x="median_drawn:Q")
    return specification(most + half + middle, "Lengths", ROW_HEIGHT * len(rows))


def _drawn(quantiles: Mapping[str, float]) -> dict[str, float]:
    """Return the places of the quantiles on a logarithmic axis, which has no zero."""
    return {f"{name}_drawn": max(quantiles[name], 1) for name in list(TITLES)[1:-1]}
