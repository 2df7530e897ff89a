"""What a training needs to go on exactly where it was: arrays and a few numbers, never a pickle.

``checkpoints/step-N/`` holds ``arrays.safetensors`` and ``state.json``. A new checkpoint appears by
one rename and only then does the old one go, so that there is always a whole one.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from foretext.errors import OutputError
from foretext.files import atomic_folder

__all__ = ["Checkpoints"]


class Checkpoints:
    """The checkpoints of one run; only the newest is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, step: int, arrays: dict[str, np.ndarray], state: dict[str, Any]) -> None:
        """Write a checkpoint, then remove the older ones.

        Raises:
            OutputError: it cannot be written; the older one is still there.
        """
        from safetensors.numpy import save_file

        path = self.folder / f"step-{step}"
        older = [other for other in self._all() if other != path]
        with atomic_folder(path) as temporary:
            try:
                save_file(arrays, temporary / "arrays.safetensors")
            except Exception as error:  # safetensors wraps the disk's complaint in its own type
                raise OutputError(f"{path} cannot be written: {error}.") from error
            (temporary / "state.json").write_text(json.dumps(state))
        for other in older:
            shutil.rmtree(other, ignore_errors=True)

    def newest(self) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """Return the arrays and state of the newest checkpoint, or None when there is none.

        Raises:
            OutputError: the checkpoint is damaged.
        """
        from safetensors.numpy import load_file

        found = self._all()
        if not found:
            return None
        path = found[-1]
        try:
            return load_file(path / "arrays.safetensors"), json.loads(
                (path / "state.json").read_text()
            )
        except Exception as error:  # safetensors has an error type of its own for damage
            raise OutputError(
                f"{path} is damaged ({error}); remove it and start the run again with --overwrite."
            ) from error

    def clear(self) -> None:
        """Remove them all: the run is complete."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _all(self) -> list[Path]:
        return sorted(
            self.folder.glob("step-*"), key=lambda path: int(path.name.removeprefix("step-"))
        )
