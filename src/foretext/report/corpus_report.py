"""The page of the corpus doctor: what a text is, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.messages import commas, message
from foretext.progress import human_bytes
from foretext.report.axes import bands, linear, logarithmic, short
from foretext.report.page import label, table, tile
from foretext.report.plot import Plot, said

__all__ = ["growth_chart", "lengths_chart", "write_corpus_report"]

NUM_BARS = 12  # scripts and frequent words shown
NUM_FILES = 20  # listed
COUNTS = ("num_files", "documents", "sentences", "tokens", "distinct_words", "characters")

QUANTILES = ("least", "p05", "p25", "median", "p75", "p95", "most")
ROW_HEIGHT = 46  # pixels, of one kind of length
GROWTH_HEIGHT = 240


def write_corpus_report(path: str | Path, report: Mapping[str, Any], *, title: str) -> None:
    """Write one HTML file that shows what the corpus doctor found.

    Args:
        path: the file, replaced whole.
        report: a `CorpusReport` as plain values.
        title: the headline, as a rule the corpus's name.

    Raises:
        OutputError: `path` cannot be written.
    """
    from foretext.report.page import write_page

    lengths = {
        message(f"corpus.lengths.{each}"): report[f"{each}_lengths"]
        for each in ("document", "sentence")
    }
    write_page(
        Path(path),
        "corpus.html.j2",
        {"growth": growth_chart(report["growth"]), "lengths": lengths_chart(lengths)},
        title=title,
        summary=_summary(report),
        tiles=[(label(name), tile(report[name])) for name in COUNTS],
        problems=report["problems"],
        settings=_options(report["settings"]),
        lengths=table([{"of a": name, **row} for name, row in lengths.items()]),
        coverage=table([_covered(row) for row in report["coverage"]]),
        alphabets=_bars(report["scripts"].items()),
        frequent=_bars((each["word"], each["rate"]) for each in report["frequent_words"]),
        duplicates=[
            (kind, report[f"{kind}_duplicates"])
            for kind in ("exact", "near")
            if report[f"{kind}_duplicates"]["duplicates"]
        ],
        prospects=[(each["objective"], each["sentence"]) for each in report["prospects"]],
        files=table([dict(file) for file in report["files"][:NUM_FILES]]),
        num_unlisted=report["num_files"] - min(len(report["files"]), NUM_FILES),
    )


def _summary(report: Mapping[str, Any]) -> str:
    """Return size, formats and encoding in one line."""
    size = [] if report["bytes"] is None else [human_bytes(report["bytes"])]
    packed = [name for name in report["compressions"] if name != "none"]
    return commas([*size, *report["formats"], *packed, report["encoding"]])


def _options(settings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the settings that suit the text as options, a line for each section."""
    return [
        " ".join(
            f"--set {section}.{name}={str(value).lower() if value is False else value}"
            for name, value in values.items()
        )
        for section, values in settings.items()
    ]


def _covered(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "min_count": row["min_count"],
        message("corpus.coverage.words_kept"): row["words"],
        message("corpus.coverage.tokens_kept"): row["tokens"],
        message("corpus.coverage.share"): f"{row['token_rate']:.1%}",
    }


def _bars(rates: Iterable[tuple[str, float]]) -> list[tuple[str, float, str]]:
    """Return name, length in percent of the longest, and the share as text of the largest rates."""
    largest = sorted(rates, key=lambda rate: -rate[1])[:NUM_BARS]
    return [
        (name, 100 * rate / largest[0][1], f"{rate:.2%}" if rate >= 5e-5 else "< 0.01%")
        for name, rate in largest
    ]


def growth_chart(growth: Sequence[Mapping[str, int]]) -> str:
    """Draw distinct words over tokens read, from records of ``tokens`` and ``distinct_words``."""
    points = [(each["tokens"], each["distinct_words"]) for each in growth]
    words = message("corpus.growth.words")
    across = linear([0, *(x for x, _ in points)], message("corpus.growth.tokens"), short,
                    count=8, nice=False, has_grid=False)  # fmt: skip
    up = linear([0, *(y for _, y in points)], words, short)
    plot = Plot(across, up, GROWTH_HEIGHT, message("corpus.growth.description"))
    if points:
        plot.line(points)
    for x, y in points:
        plot.dot(x, y, title=said({label("tokens"): f"{x:,}", words: f"{y:,}"}))
    return plot.html()


def lengths_chart(lengths: Mapping[str, Mapping[str, float]]) -> str:
    """Draw quantiles of lengths in tokens: a line from 5 to 95 %, a bar from 25 to 75 %.

    Args:
        lengths: from a name (document, sentence) to ``p05 p25 median p75 p95``.
    """
    drawn = [_drawn(quantiles) for quantiles in lengths.values()]
    least, most = min(each["p05"] for each in drawn), max(each["p95"] for each in drawn)
    across = logarithmic(least, max(most, 2 * least), message("corpus.lengths.tokens"), short)
    rows = bands(list(lengths), is_down=True)
    plot = Plot(across, rows, ROW_HEIGHT * len(drawn), message("corpus.lengths.description"))
    for row, (name, quantiles) in enumerate(lengths.items()):
        values = {message("corpus.lengths.tokens_of_a"): name} | {
            message(f"corpus.lengths.{each}"): f"{quantiles[each]:,}" for each in QUANTILES
        }
        at, middle = drawn[row], row + 0.5
        plot.rule((at["p05"], middle), (at["p95"], middle), 1)
        plot.box(at["p25"], at["p75"], row + 0.33, row + 0.67, title=said(values))
        plot.rule((at["median"], row + 0.33), (at["median"], row + 0.67), kind="median")
    return plot.html()


def _drawn(quantiles: Mapping[str, float]) -> dict[str, float]:
    """Return the places of the quantiles on a logarithmic axis, which has no zero."""
    return {name: max(quantiles[name], 1) for name in QUANTILES[1:-1]}
