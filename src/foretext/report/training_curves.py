"""The curves of a training: loss, learning rate and speed, in whatever it counts its work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["training_curves", "work_unit"]

UNITS = ("words", "cells", "tokens", "images", "examples")


def work_unit(metrics: Sequence[Mapping[str, Any]]) -> str:
    """Return what the records count, such as "cells" where they have ``cells_per_second``."""
    names = {name for record in metrics for name in record}
    return next((unit for unit in UNITS if f"{unit}_per_second" in names), UNITS[0])


def training_curves(
    metrics: Sequence[Mapping[str, Any]], *, loss: str = "loss"
) -> dict[str, dict[str, Any]]:
    """Return the charts "loss", "rate" and "speed" of a metrics.jsonl, those that it has.

    Args:
        metrics: its records.
        loss: what the loss is called, with its unit.
    """
    from foretext.report.charts import curve_chart

    unit = work_unit(metrics)
    losses = {"loss": "training", "valid_loss": "held out"}
    rate, speed = {"learning_rate": "rate"}, {f"{unit}_per_second": "speed"}
    curves = {
        "loss": curve_chart(metrics, losses, loss, unit=unit, number_format=".3~g"),
        "rate": curve_chart(
            metrics, rate, "learning rate", unit=unit, height=160, number_format=".2~g"
        ),
        "speed": curve_chart(metrics, speed, f"{unit} a second", unit=unit, height=160),
    }
    return {name: chart for name, chart in curves.items() if chart is not None}
