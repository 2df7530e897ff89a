"""The page of a run that trained an autoencoder: how it went, what it sees, how it is built."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.report.page import cell, duration, setting_sections, tile, write_page
from foretext.report.structure import structure_svg
from foretext.report.training_curves import training_curves

__all__ = ["write_autoencoder_report"]


def write_autoencoder_report(
    path: Path,
    *,
    title: str,
    facts: Mapping[str, Any],
    layers: Sequence[tuple[str, tuple[int, ...]]],
    picture: bytes | None,
    settings: Mapping[str, Any],
    metrics: Sequence[Mapping[str, Any]],
) -> None:
    """Write one HTML file that shows a run of an autoencoder.

    Args:
        path: the file, replaced whole.
        title: the headline.
        facts: of ``config.json``.
        layers: name and shape of each, the input first.
        picture: originals above reconstructions, a PNG file; None where examples are no images.
        settings: what the user chose; a section a mapping.
        metrics: the lines of metrics.jsonl.

    Raises:
        OutputError: `path` cannot be written.
    """
    write_page(
        path,
        "autoencoder.html.j2",
        training_curves([_with_images(record) for record in metrics], loss="mean squared error"),
        title=title,
        summary=f"{facts['code_size']:,} numbers for {' × '.join(map(str, facts['shape']))}",
        tiles=_tiles(facts),
        structure=structure_svg(layers),
        picture=None if picture is None else base64.b64encode(picture).decode(),
        settings=setting_sections(settings),
    )


def _with_images(record: Mapping[str, Any]) -> dict[str, Any]:
    """The loop counts what it reads as tokens; here they are examples."""
    return {name.replace("tokens", "examples"): value for name, value in record.items()}


def _tiles(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    counts = [
        ("examples", tile(facts["examples"])),
        ("held out", tile(facts["held_out_examples"])),
        ("parameters", tile(facts["parameters"])),
        ("training time", duration(facts["seconds"])),
    ]
    errors = [
        ("squared error, training", facts["loss"]),
        ("squared error, held out", facts["valid_loss"]),
        ("squared error of principal components", facts["components_loss"]),
    ]
    return counts + [(name, cell(value)) for name, value in errors if value is not None]
