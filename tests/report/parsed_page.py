"""A page as a browser's parser sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "img", "input", "br", "hr", "link"}


@dataclass
class Chart:
    """What a reader sees of a chart."""

    about: str = ""  # what a screen reader says
    titles: list[str] = field(default_factory=list)  # what the pointer shows
    texts: list[str] = field(default_factory=list)  # within the drawing
    around: list[str] = field(default_factory=list)  # the legend and the titles of axes
    tags: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)  # the class of each mark

    def values(self) -> list[dict[str, str]]:
        """Return what the pointer shows, by name."""
        return [
            dict(line.rpartition(": ")[::2] for line in title.split("\n")) for title in self.titles
        ]

    def number(self, style: str) -> int:
        """Return how many marks are of a class."""
        return sum(style in each.split() for each in self.styles)


class Page(HTMLParser):
    """The tags, texts, charts and scripts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.charts: dict[str, Chart] = {}
        self.styles = ""
        self.text = ""
        self._open: list[tuple[str, Chart | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        given = dict(attrs)
        chart = self._open[-1][1] if self._open else None
        if "data-chart" in given:
            chart = self.charts.setdefault(str(given["data-chart"]), Chart())
        if chart is not None:
            chart.tags.append(tag)
            chart.styles.append(given.get("class") or "")
            chart.about = chart.about or given.get("aria-label") or ""
        if tag not in VOID:
            self._open.append((tag, chart))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        tag, chart = self._open[-1] if self._open else ("", None)
        if tag == "script":
            self.scripts.append(data)
        elif tag == "style":
            self.styles += data
        elif chart is not None:
            places = {"title": chart.titles, "text": chart.texts}
            places.get(tag, chart.around).append(data)
        else:
            self.text += data

    @property
    def policy(self) -> str:
        return next(value for _, value in self.attributes if value and "default-src" in value)


def chart_of(svg: str | None) -> Chart:
    """Return what a reader sees of a chart alone."""
    assert svg is not None
    return Page(f'<div data-chart="alone">{svg}</div>').charts["alone"]
