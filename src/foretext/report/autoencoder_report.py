"""The page of a run that trained an autoencoder: how it went, what it sees, how it is built."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.base.errors import OutputError
from foretext.base.files import is_regular_file
from foretext.base.parsing import read_bytes
from foretext.messages import message
from foretext.report.page import (
    PageOptions,
    cell,
    duration,
    label,
    setting_sections,
    tile,
    write_page,
)
from foretext.report.run_files import (
    AutoencoderFacts,
    NetworkRecord,
    read_facts,
    read_records,
    read_sections,
)
from foretext.report.structure import structure_svg
from foretext.report.training_curves import training_curves
from foretext.run_folder import RunFolder

__all__ = ["report_autoencoder", "write_autoencoder_report"]


def report_autoencoder(folder: RunFolder, options: PageOptions) -> None:
    """Write the page of a run of an autoencoder; see `foretext.kinds.Kind.page`."""
    from foretext.language_model.codec import Codec

    facts = read_facts(folder, AutoencoderFacts)
    has_picture = is_regular_file(folder.picture)
    write_autoencoder_report(
        folder.report,
        title=options.headline(facts["recipe"], folder.named),
        facts=facts,
        layers=Codec.read(folder.path).network.structure(),
        picture=read_bytes(folder.picture, OutputError) if has_picture else None,
        settings=read_sections(folder.recipe),
        metrics=read_records(folder.metrics, NetworkRecord),
    )


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
        training_curves(
            [_with_images(record) for record in metrics], loss=message("runs.autoencoder.loss")
        ),
        title=title,
        summary=message(
            "runs.autoencoder.summary",
            code=facts["code_size"],
            shape=" × ".join(map(str, facts["shape"])),
        ),
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
        (label("examples"), tile(facts["examples"])),
        (message("runs.autoencoder.held_out"), tile(facts["held_out_examples"])),
        (label("parameters"), tile(facts["parameters"])),
        (message("page.training.time"), duration(facts["seconds"])),
    ]
    errors = [
        (message("runs.autoencoder.error_training"), facts["loss"]),
        (message("runs.autoencoder.error_held_out"), facts["valid_loss"]),
        (message("runs.autoencoder.error_components"), facts["components_loss"]),
    ]
    return counts + [(name, cell(value)) for name, value in errors if value is not None]
