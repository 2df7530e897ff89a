"""A chart as SVG within a page: as wide as its container, with letters and lines of one size.

No script draws it. Horizontal positions are shares of the width, so that the browser fits them to
a telephone or a screen; the height is fixed. Colours are variables of the page, which follow its
light or dark scheme. Where a label has no room, the style of the page hides it by the width of the
chart. A mark shows its values under the pointer, by its `title`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from foretext.messages import message
from foretext.report.axes import NEVER, Axis, room_of, shortened, text_width

__all__ = ["Plot", "said"]

COLORS = 8  # of the page
SCALE = 1000  # units across of lines, whose coordinates cannot be shares
GAP, LINE = 8.0, 16.0  # pixels between an axis and its labels; the height of a label
LEAST_EDGE, WIDEST_NAMES = 12.0, 170.0  # pixels, beside the chart
DIM = 0.1  # opacity of the curves that a reader did not choose

Point = tuple[float, float]


class Plot:
    """Marks on two axes, from the lowest to the uppermost.

    Args:
        across: the horizontal axis.
        up: the vertical axis.
        height: in pixels.
        about: what a screen reader says of it.
        is_above: whether labels of the horizontal axis stand above, and aslant.
        is_clipped: whether marks beyond the axes are hidden.
    """

    def __init__(
        self,
        across: Axis,
        up: Axis,
        height: float,
        about: str,
        *,
        is_above: bool = False,
        is_clipped: bool = False,
    ) -> None:
        self.across, self.up, self.height, self.about = across, up, height, about
        self.is_above, self.is_clipped = is_above, is_clipped
        self._marks: list[str] = []
        self._above: list[str] = []

    def legend(self, names: Sequence[str]) -> None:
        """Name the colours above the chart."""
        keys = (f'<span class="{color_class(number)}"><i></i>{escape(name)}</span>'
                for number, name in enumerate(names, 1))  # fmt: skip
        self._above.append(f'<div class="legend">{"".join(keys)}</div>')

    def choices(self, names: Sequence[str]) -> None:
        """Let the reader show one series alone, or all."""
        self._above.append(_chooser(names))

    def line(
        self,
        points: Iterable[Point],
        color: int = 1,
        *,
        series: int | None = None,
        kind: str = "",
        has_steps: bool = False,
    ) -> None:
        """Join points; `kind` is a class of the page's style, such as ``dashed``."""
        coordinates = [(SCALE * self.across.position(x), self._down(y)) for x, y in points]
        path = "M" + ("H" if has_steps else "L").join(_written(coordinates, has_steps=has_steps))
        self._marks.append(
            f'<svg class="lines {_series(series)}" viewBox="0 0 {SCALE} {_n(self.height)}" '
            f'preserveAspectRatio="none" width="100%" height="{_n(self.height)}">'
            f'<path class="{color_class(color)} {kind}" d="{path}"/></svg>'
        )

    def dot(
        self,
        x: float,
        y: float,
        color: int = 1,
        *,
        title: str = "",
        radius: float = 3.5,
        series: int | None = None,
        kind: str = "",
    ) -> None:
        """Draw a point; `kind` is ``hollow``, ``faint`` or nothing."""
        self._marks.append(
            f'<circle class="point {color_class(color)} {_series(series)} {kind}" '
            f'cx="{self._x(x)}" cy="{_n(self._down(y))}" r="{_n(radius)}">{_title(title)}</circle>'
        )

    def box(
        self,
        left: float,
        right: float,
        bottom: float,
        top: float,
        color: int = 1,
        *,
        title: str = "",
        opacity: float = 1.0,
        gap: float = 0.0,
        kind: str = "",
    ) -> None:
        """Fill a rectangle between values of both axes, less a gap of so many pixels at an end."""
        first, last = sorted((self.across.position(left), self.across.position(right)))
        above, below = sorted((self._down(bottom), self._down(top)))
        size = f'width="{_share(last - first)}" height="{_n(max(below - above - gap, 0))}" rx="2"'
        corner = f'x="{_share(first)}" y="{_n(above + gap / 2)}"'
        look = f'class="box {color_class(color)} {kind}" fill-opacity="{_n(opacity)}"'
        self._marks.append(f"<rect {look} {corner} {size}>{_title(title)}</rect>")

    def rule(self, start: Point, end: Point, color: int | None = None, *, kind: str = "") -> None:
        """Draw a straight line; without a colour in that of axes."""
        (x1, y1), (x2, y2) = start, end
        classes = f"rule {kind}" if color is None else f"rule {color_class(color)} {kind}"
        self._marks.append(
            f'<line class="{classes}" x1="{self._x(x1)}" x2="{self._x(x2)}" '
            f'y1="{_n(self._down(y1))}" y2="{_n(self._down(y2))}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        shift: Point = (0.0, 0.0),
        anchor: str = "middle",
        kind: str = "",
        since: float | None = None,
        until: float | None = None,
    ) -> None:
        """Write a text at a point.

        Args:
            x: of the point.
            y: of the point.
            text: what is written.
            shift: in pixels, right and down.
            anchor: which part of the text stands there: ``start``, ``middle``, ``end``.
            kind: a class of the page's style.
            since: of `WIDTHS`: the least width of a chart that shows it; `NEVER`: none does.
            until: the width from which on it is hidden.
        """
        right, down = shift
        classes = " ".join((kind, _since(since), _until(until)))
        self._marks.append(
            f'<text class="{classes.strip()}" x="{self._x(x)}" y="{_n(self._down(y) + down)}" '
            f'dx="{_n(right)}" dy=".35em" text-anchor="{anchor}">{escape(text)}</text>'
        )

    def stop(self, x: float, width: float, points: Sequence[tuple[float, int]], title: str) -> None:
        """Make a strip of the chart say its values, and show them as points.

        Args:
            x: its middle.
            width: as a share of the chart.
            points: values of the vertical axis, and their colours.
            title: what it says.
        """
        left = self.across.position(x) - width / 2
        dots = "".join(
            f'<circle class="point {color_class(color)}" cx="{self._x(x)}" '
            f'cy="{_n(self._down(y))}" r="4"/>'
            for y, color in points
        )
        self._marks.append(
            f'<g class="stop"><rect x="{_share(left)}" width="{_share(width)}" y="0" '
            f'height="{_n(self.height)}"/>{dots}{_title(title)}</g>'
        )

    def mark(self, svg: str) -> None:
        """Add what another drew, its positions as shares of this chart."""
        self._marks.append(svg)

    def html(self) -> str:
        """Return the chart with its legend and the titles of its axes."""
        left = max([LEAST_EDGE, *(text_width(name) + GAP for _, name in self.up.marks)])
        last = self.across.marks[-1][1] if self.across.marks else ""
        right = LEAST_EDGE if self.is_above else max(LEAST_EDGE, text_width(last) / 2)
        names = [text_width(name) for _, name in self.across.marks]
        above = max([0.0, *names]) * math.sin(math.radians(60)) + GAP if self.is_above else LINE / 2
        below = LINE + GAP if self.across.marks and not self.is_above else GAP
        edges = f"margin:{_n(above)}px {_n(right)}px {_n(below)}px {_n(min(left, WIDEST_NAMES))}px"
        size = (
            f"width:calc(100% - {_n(min(left, WIDEST_NAMES) + right)}px);height:{_n(self.height)}px"
        )
        clipped = " clipped" if self.is_clipped else ""
        marks = f'<svg class="clip" width="100%" height="100%">{"".join(self._marks)}</svg>'
        return (
            f"{self._top()}"
            f'<svg class="plot{clipped}" role="img" aria-label="{escape(self.about)}" '
            f'style="{edges};{size}">{"".join(self._axes())}'
            f"{marks if self.is_clipped else ''.join(self._marks)}</svg>"
            f"{_titled('across', '' if self.is_above else self.across.title)}"
        )

    def _top(self) -> str:
        """Return what stands above the marks."""
        title = self.up.title
        if self.is_above:  # both titles in one line, in the order in which tables have them
            title = " / ".join(filter(None, (title, self.across.title)))
        return f"{''.join(self._above)}{_titled('up', title)}"

    def _axes(self) -> Iterator[str]:
        if self.across.marks and not self.is_above:
            y = _n(self.height)
            yield f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        for (value, name), width in zip(self.across.marks, room_of(self.across), strict=True):
            x = self._x(value)
            if self.across.has_grid:
                yield f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{_n(self.height)}"/>'
            if self.is_above:
                yield (
                    f'<svg class="aslant" x="{x}" y="{_n(-GAP / 2)}"><text class="label" '
                    f'transform="rotate(-60)">{escape(name)}</text></svg>'
                )
            else:
                yield (
                    f'<text class="label {_since(width)}" x="{x}" y="{_n(self.height + LINE)}" '
                    f'text-anchor="middle">{escape(name)}</text>'
                )
        for value, name in self.up.marks:
            y = _n(self._down(value))
            if self.up.has_grid:
                yield f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
            yield (
                f'<text class="label" x="{_n(-GAP)}" y="{y}" dy=".35em" text-anchor="end">'
                f"{escape(shortened(name, WIDEST_NAMES - GAP))}</text>"
            )

    def _x(self, value: float) -> str:
        return _share(self.across.position(value))

    def _down(self, value: float) -> float:
        share = self.up.position(value)
        return self.height * (share if self.up.is_down else 1 - share)


def said(values: Mapping[str, str]) -> str:
    """Return names and values as the lines of a title."""
    return "\n".join(f"{name}: {value}" if name else value for name, value in values.items())


def _chooser(names: Sequence[str]) -> str:
    """Return a list of the series, and a style that fades those that are not chosen."""
    every = [message("page.chart.all"), *names]
    options = "".join(f"<option>{escape(name)}</option>" for name in every)
    rules = "".join(
        f".chart:has(option:nth-child({number + 2}):checked) .series:not(.s{number},.unseen)"
        f"{{opacity:{DIM}}}"
        for number in range(len(names))
    )
    label = escape(message("page.chart.show"))
    return (
        f'<label class="chooser">{label} <select>{options}</select></label><style>{rules}</style>'
    )


def _written(coordinates: Sequence[Point], *, has_steps: bool) -> Iterator[str]:
    for number, (x, y) in enumerate(coordinates):
        yield f"{_n(x)}V{_n(y)}" if has_steps and number else f"{_n(x)} {_n(y)}"


def _titled(side: str, title: str) -> str:
    return f'<div class="axis-title {side}">{escape(title)}</div>' if title else ""


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


def color_class(number: int) -> str:
    """Return the class of a colour of the page; numbers begin at 1."""
    return f"c{(number - 1) % COLORS + 1}"


def _series(number: int | None) -> str:
    return "" if number is None else f"series s{number}"


def _since(width: float | None) -> str:
    return "" if width is None else "never" if width == NEVER else f"since-{width:.0f}"


def _until(width: float | None) -> str:
    return "" if width is None or width == NEVER else f"until-{width:.0f}"


def _share(position: float) -> str:
    return f"{_n(100 * position)}%"


def _n(value: float) -> str:
    """Return a number with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"
