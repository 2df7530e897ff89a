"""One HTML file that needs nothing else: no network, no folder beside it.

Charts are SVG, which no script draws; the map of words alone has one, for its search. A content
security policy forbids the browser to fetch anything and to run any other script, whatever a word
of the corpus may look like.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from foretext.base.files import atomic_file
from foretext.messages import TAGS, language, message, translated
from foretext.progress import human_count

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

__all__ = [
    "PageOptions",
    "best_first",
    "budget",
    "cell",
    "coded",
    "duration",
    "label",
    "load_libraries",
    "page_html",
    "percent",
    "setting_sections",
    "table",
    "tile",
    "words_of",
    "write_page",
]

MAP = "map"  # the chart that has a script
LARGE = 100_000  # numbers from here on are rounded in tiles


class PageOptions(NamedTuple):
    """What a user says of the page of a run."""

    title: str | None = None  # the headline; None: recipe and folder
    evaluation: Sequence[Mapping[str, Any]] = ()  # a row a test, of word vectors
    neighbors_of: Sequence[str] | None = None  # words; None: frequent ones
    word_map: bool = True  # which takes most of the time of a page of word vectors

    def headline(self, learned: str, folder: Path) -> str:
        """Return the title, or what was learned and the name of the run's folder."""
        name = folder.resolve().name
        return self.title or message("page.headline", learned=learned, name=name)


def write_page(path: Path, template: str, charts: Mapping[str, str], **parts: Any) -> None:
    """Fill the template `template` with `parts` and with charts, as SVG, by name.

    Raises:
        OutputError: `path` cannot be written.
    """
    html = page_html(template, charts, **parts)
    with atomic_file(path) as temporary:
        temporary.write_text(html, encoding="utf-8", newline="\n")


def page_html(template: str, charts: Mapping[str, str], **parts: Any) -> str:
    """Return the page that `write_page` writes; without a map it has no script."""
    from markupsafe import Markup

    scripts = [_resource("map.js")] if MAP in charts else []
    frame = Markup('<div class="chart" data-chart="{}">{}</div>')
    html: str = (
        _templates()
        .get_template(template)
        .render(
            charts={name: frame.format(name, Markup(chart)) for name, chart in charts.items()},
            scripts=scripts,
            script_hashes=[_hash(script) for script in scripts],
            style=_resource("page.css"),
            lang=TAGS[language()],
            **parts,
        )
    )
    return html


def load_libraries() -> None:
    """Load what fills the templates; a page written later is done sooner."""
    _templates()


def _templates() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.PackageLoader("foretext.report"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "cell": cell,
        "percent": percent,
        "translated": translated,
        "coded": coded,
    }
    environment.globals["t"] = message
    return environment


def _resource(name: str) -> str:
    return files("foretext.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return what a content security policy calls a script that may run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def cell(value: Any) -> str:
    """Return `value` as text: figures with four digits, thousands apart, a dash for nothing."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return message("page.yes" if value else "page.no")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return _decimal(value)
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value) or "–"
    return str(value)


def coded(text: str) -> Markup:
    """Return a text as HTML, what stands between backticks as code."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    html = (Markup("<code>{}</code>").format(each) if n % 2 else escape(each)
            for n, each in enumerate(parts))  # fmt: skip
    return Markup("").join(html)


def tile(value: Any) -> str:
    """Return `value` as the large figure of a tile, which has room for five digits."""
    if isinstance(value, int) and value >= LARGE:
        return human_count(value)
    return f"{value:.3g}" if isinstance(value, float) and abs(value) < 0.1 else cell(value)


def duration(seconds: float) -> str:
    """Return a time with its units: ``0.8 s``, ``42 s``, ``3 min 05 s``, ``1 h 20 min``."""
    if seconds < 10:
        return message("page.duration.seconds", seconds=f"{seconds:.1f}")
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    if hours:
        return message("page.duration.hours", hours=hours, minutes=f"{minute:02}")
    if minutes:
        return message("page.duration.minutes", minutes=minutes, seconds=f"{second:02}")
    return message("page.duration.seconds", seconds=second)


def budget(seconds: float) -> str:
    """Return a time as people set it: whole minutes or hours without smaller units."""
    if seconds >= 3600 and seconds % 3600 == 0:
        return message("page.duration.whole_hours", hours=f"{seconds / 3600:.0f}")
    if seconds >= 60 and seconds % 60 == 0:
        return message("page.duration.whole_minutes", minutes=f"{seconds / 60:.0f}")
    return duration(seconds)


def percent(share: float) -> str:
    """Return a share in percent, and a small one as less than one."""
    return "< 1 %" if 0 < share < 0.01 else f"{share:.0%}".replace("%", " %")


def label(name: str) -> str:
    """Return what a figure or fact called `name` is called: ``num_tokens`` is ``tokens``."""
    return translated(words_of(name))


def words_of(name: str) -> str:
    """Return the English words of a name."""
    return name.removeprefix("num_").replace("held_out", "held-out").replace("_", " ")


def table(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return a table with every name that occurs in `rows` as a column.

    ``head`` has the columns' names, ``numeric`` whether they hold numbers alone, ``body`` the rows.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {
        "head": [label(name) for name in names],
        "numeric": [_is_numeric(row.get(name) for row in rows) for name in names],
        "body": [[row.get(name) for name in names] for row in rows],
    }


def best_first(trials: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return trials by their score, which is more where a trial is better; failed ones last."""
    return sorted(trials, key=lambda trial: -_score(trial))


def _score(trial: Mapping[str, Any]) -> float:
    score = trial["score"]
    return -math.inf if score is None or math.isnan(score) else float(score)


def _is_numeric(values: Iterable[Any]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in values)


def _decimal(value: float) -> str:
    if value != 0 and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.3g}"
    return f"{value:,.3f}" if abs(value) >= 0.1 else f"{value:.4g}"


def setting_sections(settings: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Return the settings section by section; those that stand alone come first, without a name."""
    alone = [
        (name, _written(value))
        for name, value in settings.items()
        if not isinstance(value, Mapping)
    ]
    sections = [
        (name, [(setting, _written(each)) for setting, each in value.items()])
        for name, value in settings.items()
        if isinstance(value, Mapping)
    ]
    return ([("", alone)] if alone else []) + sections


def _written(value: Any) -> Any:
    """Return a number as the user writes it: 300, not 300.000; other values as they are."""
    return f"{value:.10g}" if isinstance(value, float) else value
