"""Small files, whole: read only where they are files, of a size that is believable, and UTF-8."""

from __future__ import annotations

import stat
from pathlib import Path

from foretext.base.errors import ForetextError
from foretext.base.parsing.lfs_pointer import lfs_pointer_error

__all__ = ["LARGEST", "read_bytes", "read_text", "with_line_feeds"]

LARGEST = 1 << 28  # bytes; the largest tokenizer.json that was seen has 37 MB


def read_bytes(path: Path, error: type[ForetextError], *, largest: int = LARGEST) -> bytes:
    """Return the content of a file.

    Args:
        path: of a regular file; a pipe, which might never end, is refused.
        error: class of what is raised.
        largest: bytes that the file may have.

    Raises:
        ForetextError: of the class `error`: the file is missing, too large, a pointer of Git LFS,
            or cannot be read.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise error(f"{path} is no file; give a file that can be read.")
        if status.st_size > largest:
            raise error(
                f"{path} has {status.st_size:,} bytes, and such a file has {largest:,} at most; "
                "fetch or write it again."
            )
        content = path.read_bytes()
    except FileNotFoundError:
        raise error(f"{path} is missing; fetch or write it again.") from None
    except (OSError, ValueError, MemoryError) as problem:
        raise error(f"{path} cannot be read: {_cause(problem)}.") from problem
    if (pointer := lfs_pointer_error(content, str(path), error)) is not None:
        raise pointer
    return content


def read_text(path: Path, error: type[ForetextError], *, largest: int = LARGEST) -> str:
    """Return the content of a UTF-8 file, without a byte order mark.

    Raises:
        ForetextError: of the class `error`: likewise, or the file is not UTF-8.
    """
    content = read_bytes(path, error, largest=largest)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(
            f"{path} is damaged: it is not UTF-8 ({problem.reason} at byte {problem.start:,}); "
            "fetch or write it again."
        ) from None


def with_line_feeds(text: str) -> str:
    """Return a text whose lines end with line feeds, where all of them end with carriage returns.

    Old Macintoshes, and Excel's "CSV (Macintosh)", end lines so.
    """
    return text if "\n" in text else text.replace("\r", "\n")


def _cause(problem: BaseException) -> str:
    said = getattr(problem, "strerror", None)  # foreign: an exception of any library
    return said or str(problem) or type(problem).__name__
