"""The charts of a trained task: who is taken for whom, how sure it is, and beside what."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from foretext.messages import message, translated
from foretext.report.axes import (
    bands,
    decimals,
    digits,
    figure,
    in_percent,
    linear,
    shortened,
    text_width,
)
from foretext.report.plot import Plot, said

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
NAME = 125.0  # pixels, of such a name before its number
ROOM = 410.0  # pixels that labels have below a matrix
CELL = 24  # pixels: the least width and height of a cell

HEIGHT = 300  # pixels
WORD_CELL, EDGE = 26, 130  # pixels: a cell, and the names beside or below all of them
WORD = 95.0  # pixels, of a word

LEAST_DOT, LARGEST_DOT = 3.0, 11.0  # pixels: the radius of a point that stands for answers
BAND = 0.8  # share of a row that its bars take
LONG_BAR = 0.85  # share of the chart from which on a bar has its value within

Record = Mapping[str, Any]


def confusion_chart(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> str:
    """Draw a confusion matrix: a row a right label, shaded by its share of the row.

    Args:
        labels: C names, from 2 to about 40.
        counts: (C, C), how often the label of the row was taken for the label of the column.
    """
    rows, columns = _axis_names(labels)
    right, given = (message(f"task.questions.{each}") for each in ("right", "given"))
    height = max(SQUARE_HEIGHT, CELL * len(labels))
    across, up = bands(columns, given), bands(rows, right, is_down=True)
    plot = Plot(across, up, height, message("task.chart.confusion"))
    size = "" if len(labels) <= FEW_LABELS else "small"
    for i, row in enumerate(counts):
        for j, count in enumerate(row):
            share = count / max(sum(row), 1)
            values = {right: labels[i], given: labels[j], message("task.chart.count"): f"{count:,}",
                      message("task.chart.share"): f"{share:.1%}"}  # fmt: skip
            _shade(plot, i, j, share, said(values))
            if count and len(labels) <= MANY_LABELS:
                ink = "strong" if share > STRONG else ""
                plot.text(j + 0.5, i + 0.5, f"{count:,}", kind=f"on-cell {ink} {size}".strip())
    return plot.html()


def matrix_width(labels: Sequence[str]) -> int:
    """Return the least width of a readable confusion matrix, in pixels."""
    return NAMES_WIDTH + CELL * len(labels)


def _shade(plot: Plot, row: int, column: int, share: float, title: str) -> None:
    """Fill a cell. Of a linear scale the confusions that matter, of some hundredths, would not be
    seen.
    """
    opacity = math.sqrt(min(max(share, 0.0), 1.0))
    plot.box(column, column + 1, row, row + 1, title=title, opacity=opacity, kind="cell")


def _axis_names(labels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names of rows and columns; where labels are long, columns have numbers alone."""
    if len(labels) * max(map(text_width, labels)) <= ROOM:
        return list(labels), list(labels)
    columns = [str(number) for number in range(1, len(labels) + 1)]
    rows = [
        f"{shortened(name, NAME)} {number}" for name, number in zip(labels, columns, strict=True)
    ]
    return rows, columns


def reliability_chart(bins: Sequence[Mapping[str, float]]) -> str:
    """Draw accuracy over confidence; the diagonal is a model that is as sure as it should be.

    Args:
        bins: records with ``low high size confidence accuracy``.
    """
    confidence, accuracy = (message(f"task.chart.{each}") for each in ("confidence", "accuracy"))
    across, up = (linear((0, 1), title, in_percent, count=5) for title in (confidence, accuracy))
    plot = Plot(across, up, SQUARE_HEIGHT, message("task.chart.reliability"))
    for each in bins:
        plot.box(each["low"], each["high"], 0, each["accuracy"], opacity=0.3)
    plot.rule((0, 0), (1, 1), kind="dashed")
    most = max((each["size"] for each in bins), default=1) or 1
    for each in bins:
        values = {
            message("task.chart.answers"): f"{each['size']:,}",
            message("task.chart.mean_confidence"): f"{each['confidence']:.1%}",
            accuracy: f"{each['accuracy']:.1%}",
        }
        radius = LEAST_DOT + (LARGEST_DOT - LEAST_DOT) * math.sqrt(each["size"] / most)
        plot.dot(each["confidence"], each["accuracy"], title=said(values), radius=radius)
    return plot.html()


def score_chart(points: Sequence[Sequence[float]]) -> str:
    """Draw given scores over right ones, from pairs (right, given)."""
    right, given = (message(f"task.questions.{each}") for each in ("right", "given"))
    across = linear((each[0] for each in points), right, digits)
    up = linear((each[1] for each in points), given, digits)
    plot = Plot(across, up, SQUARE_HEIGHT, message("task.chart.scores"))
    low, high = max(across.low, up.low), min(across.high, up.high)
    if low < high:  # the answers that are right
        plot.rule((low, low), (high, high), kind="dashed")
    for x, y in points:
        title = said({right: figure(x), given: figure(y)})
        plot.dot(x, y, title=title, kind="faint")
    return plot.html()


def beside_chart(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], *, highest: int = 1
) -> str:
    """Draw bars of figures, those of several models beside each other.

    Args:
        rows: records with ``figure``, ``model`` and ``value``.
        names: of the models, in their order.
        highest: value that a figure can have: 1, or 100 of figures in points.
    """
    figures = list(dict.fromkeys(row["figure"] for row in rows))
    lowest = min(0.0, *(row["value"] for row in rows))
    across = linear((lowest, highest), "", in_percent if highest == 1 else digits, count=5)
    plot = Plot(across, bands(figures, is_down=True), 40 + 24 * len(rows),
                message("task.chart.beside"))  # fmt: skip
    plot.legend(names)
    written = decimals(3 if highest == 1 else 1)
    thick = BAND / len(names)
    for row in rows:
        number, value = names.index(row["model"]), row["value"]
        top = figures.index(row["figure"]) + (1 - BAND) / 2 + number * thick
        values = {message("task.chart.model"): row["model"],
                  message("task.chart.figure"): row["figure"],
                  message("task.chart.value"): f"{value:.4f}"}  # fmt: skip
        plot.box(0, value, top, top + thick, number + 1, title=said(values), gap=2.0)
        is_long = across.position(value) > LONG_BAR
        anchor, kind = ("end", "strong") if is_long else ("start", "")
        shift = (-5.0 if is_long else 5.0, 0.0)
        middle = top + thick / 2
        plot.text(value, middle, written(value), shift=shift, anchor=anchor, kind=kind)
    return plot.html()


def alignment_chart(alignment: Record) -> str:
    """Draw how much each word of an output takes from each word of its source.

    Args:
        alignment: ``source``, ``output``: words; ``weights``: (output words, source words).
    """
    source, output = alignment["source"], alignment["output"]
    titles = [message(f"task.texts.{each}") for each in ("source", "output")]
    across = bands([shortened(word, WORD) for word in source], titles[0])
    up = bands([shortened(word, WORD) for word in output], titles[1], is_down=True)
    height = WORD_CELL * len(output)
    plot = Plot(across, up, height, message("task.chart.alignment"), is_above=True)
    for y, row in enumerate(alignment["weights"]):
        for x, weight in enumerate(row):
            values = {titles[1]: output[y], titles[0]: source[x],
                      message("task.chart.weight"): f"{weight:.0%}"}  # fmt: skip
            _shade(plot, y, x, weight, said(values))
    return plot.html()


def alignment_width(alignment: Record) -> int:
    """Return the least width of a readable alignment, in pixels."""
    return WORD_CELL * len(alignment["source"]) + EDGE


def quality_chart(bins: Sequence[Record]) -> str:
    """Draw chrF over the length of sources, a line a model.

    Args:
        bins: records with ``low high rows model chrf``, the shortest sources first.
    """
    names = list(dict.fromkeys(each["model"] for each in bins))
    order = list(dict.fromkeys(map(_range, bins)))
    up = linear((0, *(each["chrf"] for each in bins)), "chrF", digits)
    across = bands(order, message("task.chart.source_words"))
    plot = Plot(across, up, HEIGHT, message("task.chart.quality"))
    if len(names) > 1:
        plot.legend([translated(name) for name in names])
    for color, name in enumerate(names, 1):
        own = [(order.index(_range(each)) + 0.5, each) for each in bins if each["model"] == name]
        plot.line([(x, each["chrf"]) for x, each in own], color)
        for x, each in own:
            values = {
                message("task.chart.model"): translated(name),
                across.title: _range(each),
                "chrF": f"{each['chrf']:.1f}",
                message("task.chart.rows"): f"{each['rows']:,}",
            }
            plot.dot(x, each["chrf"], color, title=said(values), radius=4.5)
    return plot.html()


def length_chart(lengths: Sequence[Sequence[int]]) -> str:
    """Draw the words of outputs over those of their references.

    Args:
        lengths: pairs (reference, output).
    """
    most = max(1, *(max(pair) for pair in lengths))
    across, up = (
        linear((0, most), message(f"task.chart.{each}_words"), digits)
        for each in ("reference", "output")
    )
    plot = Plot(across, up, HEIGHT, message("task.chart.lengths"))
    plot.rule((0, 0), (most, most), kind="dashed")
    for reference, output in lengths:
        values = {message("task.texts.reference"): f"{reference}",
                  message("task.texts.output"): f"{output}"}  # fmt: skip
        plot.dot(reference, output, title=said(values), kind="faint")
    return plot.html()


def _range(record: Record) -> str:
    low, high = record["low"], record["high"]
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
