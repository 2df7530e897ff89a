"""Small files of an export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.base.errors import OutputError
from foretext.base.files import refuse_name

__all__ = ["refuse_own_folder", "write_json"]


def refuse_own_folder(run: str | Path, output: Path) -> None:
    """Refuse to write over the model that is exported.

    Args:
        run: what is exported.
        output: the folder to write.

    Raises:
        OutputError: it is the run, lies in it, or holds it; or nothing can have such a name.
    """
    refuse_name(Path(run))
    refuse_name(output)
    model, target = Path(run).resolve(), output.resolve()
    if model.is_relative_to(target) or target.is_relative_to(model):
        raise OutputError(
            f"{output} is the folder of the model, lies in it, or holds it, and the export would "
            "replace the model; choose a folder beside it."
        )


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write settings as JSON, letters as they are."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
