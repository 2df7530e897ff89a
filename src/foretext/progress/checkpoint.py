"""What a training needs to go on exactly where it was: arrays and a few numbers, never a pickle.

``checkpoints/step-N/`` holds ``arrays.safetensors`` and ``state.json``, which also keeps the
arrays' checksum. A new checkpoint appears by one rename and only then do old ones go, so that there
is always a whole one.

Room for the last checkpoint is reserved on the disk when the training begins. So a disk that fills
up in the meantime cannot take the finished training away: the checkpoint is there, and whatever
could not be written after it is written by a resumed run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from pydantic import BaseModel

from foretext.base.errors import OutputError
from foretext.base.files import NO_SPACE, atomic_folder, open_file, output_error
from foretext.base.leaving import waited_for
from foretext.base.parsing import file_checksum, read_json, read_tensors, write_tensors
from foretext.messages import message

__all__ = [
    "BYTES_A_SECOND",
    "Checkpoint",
    "Checkpoints",
    "check_arrays",
    "copy_arrays",
    "kept_by",
    "saving_seconds",
]

ARRAYS, STATE, ROOM = "arrays.safetensors", "state.json", "reserved"
SPARE = 1 << 20  # bytes that are reserved for the state beside the arrays
BYTES_A_SECOND = 250e6  # that are written and summed up, by a slow disk

Arrays = Mapping[str, np.ndarray]
State = TypeVar("State")


class Checkpoint(NamedTuple):
    """One checkpoint, read."""

    arrays: dict[str, np.ndarray]
    state: Any  # a dataclass of the kind that was asked for


class _Saved(BaseModel, Generic[State]):
    """``state.json``."""

    checksum: int  # of the arrays' file
    state: State


class Checkpoints:
    """The checkpoints of one run; the newest ones are kept.

    Args:
        folder: theirs alone.
        note: called with a sentence when one of them cannot be read.
    """

    def __init__(self, folder: Path, note: Callable[[str], None] = warnings.warn) -> None:
        self.folder = folder
        self.note = note

    def reserve(self, arrays: Arrays) -> None:
        """Reserve room on the disk for a last checkpoint of arrays of these sizes.

        Where the file system cannot reserve room, nothing happens.

        Raises:
            OutputError: there is not as much room; nothing has been learned yet.
        """
        if not hasattr(os, "posix_fallocate"):
            return
        size = sum(array.nbytes for array in arrays.values()) + SPARE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with open_file(self.folder / ROOM, "wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            (self.folder / ROOM).unlink(missing_ok=True)
            if error.errno in NO_SPACE:
                free = shutil.disk_usage(self.folder).free
                raise OutputError(
                    f"{self.folder} needs {size:,} bytes for a checkpoint, and {free:,} are free; "
                    f"free {max(size - free, 1):,} more, or choose another place."
                ) from error

    def save(
        self, step: int, arrays: Arrays, state: Any, *, kept: int = 1, last: bool = False
    ) -> None:
        """Write a checkpoint, then remove older ones, so that `kept` remain.

        Args:
            step: its number.
            arrays: by name.
            state: a dataclass of plain numbers and lists of them.
            kept: how many checkpoints remain.
            last: whether the training is over; the room that was reserved serves this one.

        Raises:
            OutputError: it cannot be written; the older ones are still there.
        """
        if last:
            self._release()
        path = self.folder / f"step-{step}"
        older = [other for other in self._all() if other != path]
        with waited_for(), atomic_folder(path) as temporary:
            write_tensors(temporary / ARRAYS, arrays)
            checksum = file_checksum(temporary / ARRAYS, OutputError)
            saved = {"checksum": checksum, "state": asdict(state)}
            (temporary / STATE).write_text(json.dumps(saved), encoding="utf-8", newline="\n")
        for other in older[: max(len(older) - kept + 1, 0)]:
            shutil.rmtree(other, ignore_errors=True)

    def newest(self, kind: type[Any]) -> Checkpoint | None:
        """Return the newest checkpoint, or None when there is none.

        One that is damaged is passed over with a note, where an older one is left.

        Args:
            kind: dataclass of the state.

        Raises:
            OutputError: all are damaged.
        """
        found = self._all()
        while found:
            path = found.pop()
            try:
                return _read(path, kind)
            except OutputError as error:
                if not found:
                    raise OutputError(
                        f"{path} is damaged ({error}); remove it and start the run again with "
                        "--overwrite."
                    ) from error
                self.note(
                    message("notes.pretrain.damaged", path=path, cause=error, name=found[-1].name)
                )
        return None

    def _release(self) -> None:
        try:
            (self.folder / ROOM).unlink(missing_ok=True)
        except OSError as error:
            raise output_error(self.folder, error) from error

    def _all(self) -> list[Path]:
        """Return the folders, by step."""
        steps = {
            path: re.fullmatch(r"step-(\d{1,15})", path.name) for path in _entries(self.folder)
        }
        found = {path: int(match[1]) for path, match in steps.items() if match}
        return sorted(found, key=found.__getitem__)


def saving_seconds(arrays: Arrays) -> float:
    """Return how long it takes to write arrays of these sizes once, about."""
    return sum(array.nbytes for array in arrays.values()) / BYTES_A_SECOND


@contextmanager
def kept_by(save: Callable[[], None]) -> Iterator[None]:
    """Where something cannot be written, such as a line of figures, keep what was learned first.

    Args:
        save: writes a last checkpoint, into the room that was reserved for it.

    Raises:
        OutputError: what could not be written.
    """
    try:
        yield
    except OutputError as error:
        save()
        raise OutputError(f"{error} What was learned is kept; go on with --resume.") from error


def copy_arrays(into: Arrays, arrays: Arrays) -> None:
    """Copy the arrays of a checkpoint into those that learn.

    Raises:
        OutputError: they are not those of a training with these settings.
    """
    check_arrays(into, arrays)
    for name, array in into.items():
        array[...] = arrays[name]


def check_arrays(expected: Arrays, arrays: Arrays) -> None:
    """Check that the arrays of a checkpoint have these names, shapes and types.

    Raises:
        OutputError: they are not those of a training with these settings.
    """
    for name, array in expected.items():
        found = arrays.get(name)
        if found is None or found.shape != array.shape or found.dtype != array.dtype:
            raise OutputError(
                f"The checkpoint does not fit this run: '{name}' is "
                f"{'missing' if found is None else f'{found.shape} {found.dtype}'} where "
                f"{array.shape} {array.dtype} is expected; start the run again with --overwrite."
            )


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _read(path: Path, kind: type[Any]) -> Checkpoint:
    saved = read_json(path / STATE, OutputError, _Saved[kind])  # type: ignore[valid-type]
    if file_checksum(path / ARRAYS, OutputError) != saved.checksum:
        raise OutputError(f"{path / ARRAYS} is not what was written")
    return Checkpoint(read_tensors(path / ARRAYS, OutputError).tensors, saved.state)
