"""The curves of a training: loss, learning rate and speed, in whatever it counts its work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretext.messages import message, translated

__all__ = ["training_curves", "work_unit"]

UNITS = ("words", "cells", "tokens", "images", "examples")


def work_unit(metrics: Sequence[Mapping[str, Any]]) -> str:
    """Return what the records count, such as "cells" where they have ``cells_per_second``."""
    names = {name for record in metrics for name in record}
    return next((unit for unit in UNITS if f"{unit}_per_second" in names), UNITS[0])


def training_curves(
    metrics: Sequence[Mapping[str, Any]], *, loss: str | None = None
) -> dict[str, str]:
    """Return the charts "loss", "rate" and "speed" of a metrics.jsonl, those that it has.

    Args:
        metrics: its records.
        loss: what the loss is called, with its unit; None: "loss".
    """
    from foretext.report.axes import digits
    from foretext.report.charts import curve_chart

    unit = work_unit(metrics)
    losses = {
        "loss": message("page.training.line_training"),
        "valid_loss": message("page.training.line_held_out"),
    }
    rate, speed = {"learning_rate": "rate"}, {f"{unit}_per_second": "speed"}
    axes = {
        "loss": loss or message("page.training.loss"),
        "rate": message("page.training.rate"),
        "speed": message("page.training.speed", unit=translated(unit)),
    }
    curves = {
        "loss": curve_chart(metrics, losses, axes["loss"], unit=unit, words=digits),
        "rate": curve_chart(metrics, rate, axes["rate"], unit=unit, height=160, words=digits),
        "speed": curve_chart(metrics, speed, axes["speed"], unit=unit, height=160),
    }
    return {name: chart for name, chart in curves.items() if chart is not None}
