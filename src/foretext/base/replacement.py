"""How a finished run takes the place of another one, by steps that a crash cannot break.

A run that is to replace the one in RUN is written in ``RUN/replacement``, and the other one can be
used until the new one is finished. Then

1. all else in RUN is removed, ``config.json`` first;
2. ``replacement`` is renamed ``moving``: from here on, whatever stands beside it is new;
3. what is in ``moving`` moves up, ``config.json`` last, and ``moving`` goes.

A process that dies on the way leaves a folder that tells which steps are missing, and `settle`,
which every start calls, does them. RUN itself is never renamed: it may be a link, a mounted disk,
or the folder that a shell stands in.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from foretext.base.errors import ForetextError, OutputError
from foretext.base.files import held_folder, output_error
from foretext.messages import message

__all__ = [
    "CHECKPOINTS",
    "CONFIG",
    "RECIPE",
    "REPLACEMENT",
    "complete",
    "is_finished",
    "promote",
    "refuse_unfinished",
    "settle",
]

RECIPE, CONFIG, CHECKPOINTS = "recipe.toml", "config.json", "checkpoints"
REPLACEMENT, MOVING = "replacement", "moving"


def is_finished(folder: Path) -> bool:
    """Whether a folder holds a finished run, or a model of another library.

    A run keeps ``checkpoints`` until everything else is written.
    """
    begun = (folder / RECIPE).is_file()
    return (folder / CONFIG).is_file() and not (begun and (folder / CHECKPOINTS).is_dir())


def refuse_unfinished(folder: Path, error: type[ForetextError]) -> None:
    """Raise an error of the class `error` where a folder holds a run that is not finished."""
    if (folder / RECIPE).is_file() and not is_finished(folder):
        raise error(message("errors.run.unfinished", path=folder))


def promote(folder: Path) -> None:
    """Let the finished run in ``folder/replacement`` take the place of the one in `folder`.

    The folder must be locked by this process.

    Raises:
        OutputError: a file cannot be moved; the next start goes on from there.
    """
    replacement, moving = folder / REPLACEMENT, folder / MOVING
    try:
        if not moving.is_dir():
            for path in sorted(folder.iterdir(), key=lambda path: path.name != CONFIG):
                if path != replacement:
                    _remove(path)
            replacement.rename(moving)
        for path in sorted(moving.iterdir(), key=lambda path: path.name == CONFIG):
            path.rename(folder / path.name)
        moving.rmdir()
    except OSError as error:
        raise output_error(folder, error) from error


def settle(folder: Path) -> None:
    """Finish a replacement that a process began before it died; otherwise do nothing.

    Where another process is at work in the folder, or nothing may be written there, it is left as
    it is.
    """
    if _is_waiting(folder):
        with suppress(OutputError), held_folder(folder):
            complete(folder)


def complete(folder: Path) -> None:
    """Do the same in a folder that this process has locked.

    Raises:
        OutputError: a file cannot be moved.
    """
    if _is_waiting(folder):
        promote(folder)


def _is_waiting(folder: Path) -> bool:
    """Whether there is a replacement to finish; a link, which could lead elsewhere, is none."""
    replacement, moving = folder / REPLACEMENT, folder / MOVING
    if moving.is_dir() and not moving.is_symlink():
        return True
    return replacement.is_dir() and not replacement.is_symlink() and is_finished(replacement)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
