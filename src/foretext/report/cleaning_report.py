"""The page of a cleaned corpus: what is kept, and what was dropped and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.base.counted import number_of
from foretext.messages import commas, has_message, message
from foretext.progress import human_bytes
from foretext.report.page import duration, percent, table, tile, words_of

__all__ = ["write_cleaning_report"]

NUM_BARS = 25  # reasons and languages shown

Facts = Mapping[str, Any]


def write_cleaning_report(path: Path, facts: Facts, *, title: str) -> None:
    """Write one HTML file that shows what became of a corpus.

    Args:
        path: the file, replaced whole.
        facts: of ``clean.json``, as plain values.
        title: the headline, as a rule the corpus's name.

    Raises:
        OutputError: `path` cannot be written.
    """
    from foretext.report.page import write_page

    write_page(
        path,
        "cleaning.html.j2",
        {},
        title=title,
        summary=_summary(facts),
        tiles=_tiles(facts),
        warnings=facts["warnings"],
        reasons=_bars(facts["reasons"], facts["read"]["documents"]),
        languages=_bars(facts["languages"], facts["kept"]["documents"]),
        language_by=facts["language_by"],
        examples=[
            (_named(reason), table([_example(row) for row in rows]))
            for reason, rows in sorted(
                facts["examples"].items(), key=lambda item: -facts["reasons"][item[0]]
            )
        ],
        changes=table([dict(change) for change in facts["changes"]]),
        num_changed=facts["changed"],
        masked=commas(f"{kind} {count:,}" for kind, count in facts["masked"].items()),
        settings=[(section, values.items()) for section, values in facts["settings"].items()],
    )


def _summary(facts: Facts) -> str:
    size = [] if facts["bytes"] is None else [human_bytes(facts["bytes"])]
    done = message("corpus.cleaned.summary", time=duration(facts["seconds"]))
    return commas([*size, number_of("file", facts["files"]), done])


def _tiles(facts: Facts) -> list[tuple[str, str]]:
    read, kept = facts["read"], facts["kept"]
    return [
        (message("corpus.cleaned.documents_read"), tile(read["documents"])),
        (message("corpus.cleaned.documents_kept"), tile(kept["documents"])),
        (message("corpus.cleaned.of_documents"), percent(kept["documents"] / read["documents"])),
        (
            message("corpus.cleaned.of_characters"),
            percent(kept["characters"] / max(read["characters"], 1)),
        ),
        (message("corpus.cleaned.documents_changed"), tile(facts["changed"])),
        (message("corpus.cleaned.placeholders"), tile(sum(facts["masked"].values()))),
    ]


def _bars(counts: Mapping[str, int], total: int) -> list[tuple[str, float, str]]:
    """Return name, length in percent of the longest, and count and share as text."""
    largest = sorted(counts.items(), key=lambda item: -item[1])[:NUM_BARS]
    return [
        (_named(name), 100 * count / largest[0][1], f"{count:,} ({percent(count / total)})")
        for name, count in largest
    ]


def _example(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dropped document as a row of a table."""
    return {
        "place": _place(row),
        "figure": row.get("figure"),
        "threshold": row.get("threshold"),
        "found": row.get("found"),
        "twin": _twin(row.get("twin")),
        "begins": row["beginning"],
    }


def _twin(twin: Any) -> str | None:
    return _place(twin) if isinstance(twin, Mapping) else twin


def _place(row: Mapping[str, Any]) -> str:
    unit = "row" if "row" in row else "line"
    return message(f"findings.place.{unit}", file=row["file"], line=row[unit])


def _named(reason: str) -> str:
    """Return what a reason is called; a quality rule, a setting, keeps its name."""
    key = f"corpus.reason.{reason}"
    return message(key) if has_message(key) else words_of(reason)
