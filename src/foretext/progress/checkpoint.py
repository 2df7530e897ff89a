"""What a training needs to go on exactly where it was: arrays and a few numbers, never a pickle.

``checkpoints/step-N/`` holds ``arrays.safetensors`` and ``state.json``. A new checkpoint appears by
one rename and only then do old ones go, so that there is always a whole one.
"""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from foretext.errors import OutputError
from foretext.files import atomic_folder

__all__ = ["Checkpoints"]


class Checkpoints:
    """The checkpoints of one run; the newest ones are kept.

    Args:
        folder: theirs alone.
        note: is told which ones cannot be read.
    """

    def __init__(self, folder: Path, note: Callable[[str], None] = warnings.warn) -> None:
        self.folder = folder
        self.note = note

    def save(
        self, step: int, arrays: dict[str, np.ndarray], state: dict[str, Any], *, kept: int = 1
    ) -> None:
        """Write a checkpoint, then remove older ones, so that `kept` remain.

        Raises:
            OutputError: it cannot be written; the older ones are still there.
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
        for other in older[: max(len(older) - kept + 1, 0)]:
            shutil.rmtree(other, ignore_errors=True)

    def newest(self) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """Return the arrays and state of the newest checkpoint, or None when there is none.

        One that is damaged is passed over with a note, where an older one is left.

        Raises:
            OutputError: all are damaged.
        """
        found = self._all()
        while found:
            path = found.pop()
            try:
                return _read(path)
            except Exception as error:  # safetensors has an error type of its own for damage
                if not found:
                    raise OutputError(
                        f"{path} is damaged ({error}); remove it and start the run again with "
                        "--overwrite."
                    ) from error
                self.note(f"{path} is damaged ({error}); the run goes on from {found[-1].name}.")
        return None

    def clear(self) -> None:
        """Remove them all: the run is complete."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _all(self) -> list[Path]:
        return sorted(
            self.folder.glob("step-*"), key=lambda path: int(path.name.removeprefix("step-"))
        )


def _read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    from safetensors.numpy import load_file

    return load_file(path / "arrays.safetensors"), json.loads((path / "state.json").read_text())
