"""Errors of other programs, as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foretext.base.errors import ForetextError, ModelFileError

__all__ = ["foreign_errors"]

SHOWN = 200  # characters of a cause


@contextmanager
def foreign_errors(program: str) -> Iterator[None]:
    """Say in a sentence what another program could not do.

    Args:
        program: its name.

    Raises:
        ModelFileError: it failed.
    """
    try:
        yield
    except (ForetextError, OSError, MemoryError):
        raise
    except Exception as error:
        cause = next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)
        raise ModelFileError(
            f"{program} fails in the export: {cause[:SHOWN].rstrip('.')}. Nothing is "
            "kept; export to another format, or install the version that foretext pins."
        ) from error
