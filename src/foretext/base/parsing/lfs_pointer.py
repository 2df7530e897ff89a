"""Pointers of Git LFS: a few lines of text where a file should be, because it was not fetched."""

from __future__ import annotations

from pathlib import Path

from foretext.base.errors import ForetextError
from foretext.base.files import open_file

__all__ = ["lfs_pointer_error", "refuse_lfs_pointer"]

_BEGINNING = b"version https://git-lfs.github.com/spec/"


def refuse_lfs_pointer(path: Path, error: type[ForetextError]) -> None:
    """Refuse a file that is a pointer, where it could not be read as what it should be.

    Raises:
        ForetextError: of the class `error`: it is one.
    """
    try:
        with open_file(path) as file:
            head = file.read(len(_BEGINNING))
    except OSError:  # which is another problem, and known already
        return
    if (problem := lfs_pointer_error(head, str(path), error)) is not None:
        raise problem


def lfs_pointer_error(head: bytes, name: str, error: type[ForetextError]) -> ForetextError | None:
    """Return what to raise for a file that begins with `head`; None: it is no pointer.

    Args:
        head: 64 bytes or more.
        name: of the file.
        error: class of what is returned.
    """
    if not head.startswith(_BEGINNING):
        return None
    return error(
        f"{name} is not the file itself but a pointer of Git LFS to it; fetch the file with "
        "`git lfs pull` in its repository, or download it."
    )
