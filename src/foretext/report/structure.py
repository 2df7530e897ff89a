"""A drawing of a network, layer by layer from left to right, as SVG.

Planes of an image stand behind each other, as high and wide as they are; plain numbers are a bar,
as high as the logarithm of how many there are. Colours are those of the page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from foretext.messages import message

__all__ = ["structure_svg"]

Shape = tuple[int, ...]
Layers = Sequence[tuple[str, Shape]]  # a layer's name and the shape of what comes out of it

RESHAPES = ("Flatten", "Unflatten")  # nothing is computed
LARGEST = 120.0  # pixels, of the largest image or bar
SMALLEST = 12.0
BAR = 14.0  # width
STEP = 5.0  # pixels from one plane to the next behind it
MOST_PLANES = 6  # that are drawn
GAP = 46.0  # between two layers
TEXT = 58.0  # height below the drawing


def structure_svg(layers: Layers) -> str:
    """Draw the layers, the input first; names that do nothing but reshape are left out."""
    steps = _steps(layers)
    side = max((max(shape[-2:]) for _, shape in steps if len(shape) > 1), default=1)
    count = max((math.prod(shape) for _, shape in steps if len(shape) == 1), default=1)
    parts, left, before = [], 10.0, 0.0
    for name, shape in steps:
        width = _size(shape, side, count)[0]
        middle = left + max(width, 70.0) / 2
        if before:
            parts.append(_arrow(before, middle - width / 2 - 4))
        parts += [_block(middle - width / 2, shape, side, count), _label(middle, name, shape)]
        before = middle + width / 2 + 4
        left = middle + max(width, 70.0) / 2 + GAP
    total = LARGEST + MOST_PLANES * STEP + TEXT
    return (
        f'<svg class="structure" viewBox="0 0 {left - GAP + 10:.0f} {total:.0f}" role="img" '
        f'aria-label="{message("page.structure.label")}">{"".join(parts)}</svg>'
    )


def _steps(layers: Layers) -> list[tuple[str, Shape]]:
    """Leave out what only reshapes, and write activations behind the layer they belong to."""
    steps: list[tuple[str, Shape]] = []
    for name, shape in layers:
        if name in RESHAPES:
            continue
        if steps and name in ("ReLU", "Sigmoid", "Tanh") and steps[-1][1] == shape:
            steps[-1] = (f"{steps[-1][0]}, {name}", shape)
        else:
            steps.append((name, shape))
    return steps


def _size(shape: Shape, side: int, count: int) -> tuple[float, float]:
    """Return width and height of a drawn block, its hidden planes included."""
    if len(shape) == 1:
        return BAR, SMALLEST + (LARGEST - SMALLEST) * math.log(1 + shape[0]) / math.log(1 + count)
    height, width = (max(SMALLEST, LARGEST * size / side) for size in shape[-2:])
    depth = STEP * (_num_planes(shape) - 1)
    return width + depth, height + depth


def _num_planes(shape: Shape) -> int:
    """Planes that are drawn: 1 for an image, one more for every doubling."""
    return 1 if len(shape) < 3 else min(MOST_PLANES, 1 + round(math.log2(shape[0])))


def _block(left: float, shape: Shape, side: int, count: int) -> str:
    width, height = _size(shape, side, count)
    planes = _num_planes(shape)
    depth = STEP * (planes - 1)
    top = (LARGEST + MOST_PLANES * STEP - height) / 2
    return "".join(
        f'<rect x="{left + STEP * plane:.1f}" y="{top + depth - STEP * plane:.1f}" '
        f'width="{width - depth:.1f}" height="{height - depth:.1f}" rx="2"/>'
        for plane in reversed(range(planes))
    )


def _arrow(start: float, end: float) -> str:
    middle = (LARGEST + MOST_PLANES * STEP) / 2
    return f'<path d="M{start:.1f} {middle:.1f}H{end:.1f}m-5 -4l5 4l-5 4"/>'


def _label(middle: float, name: str, shape: Shape) -> str:
    top = LARGEST + MOST_PLANES * STEP + 16
    lines = [*name.split(", "), " × ".join(f"{size:,}" for size in shape)]
    return "".join(
        f'<text x="{middle:.1f}" y="{top + 16 * line:.1f}">{escape(text)}</text>'
        for line, text in enumerate(lines)
    )
