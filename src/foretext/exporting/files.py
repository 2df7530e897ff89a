"""The folder of an export: where it may stand, and its small files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.base.errors import OutputError
from foretext.base.files import refuse_existing, refuse_name

__all__ = ["refuse_output", "write_json"]


def refuse_output(run: str | Path, output: Path, *, overwrite: bool) -> None:
    """Refuse a folder that may not be written, or that would take the model with it.

    Args:
        run: what is exported.
        output: the folder to write.
        overwrite: whether another folder may be replaced.

    Raises:
        OutputError: it exists, is the run, lies in it, or holds it; or nothing can have such a
            name.
    """
    refuse_name(Path(run))
    refuse_name(output)
    model, target = Path(run).resolve(), output.resolve()
    if model.is_relative_to(target) or target.is_relative_to(model):
        raise OutputError(
            f"{output} is the folder of the model, lies in it, or holds it, and the export would "
            "replace the model; choose a folder beside it."
        )
    refuse_existing(output, overwrite=overwrite)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write settings as JSON, letters as they are."""
    path.write_text(
        json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
    )
