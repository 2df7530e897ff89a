"""What becomes of an error that nobody caught: an exit code, and a sentence for a person."""

from __future__ import annotations

from typing import Any

from foretext.base.errors import ForetextError, Interrupted
from foretext.base.files import NO_SPACE
from foretext.base.interruption import STOPPED
from foretext.base.runtime import lacks_memory
from foretext.messages import ended, message
from foretext.messages.forms import said_by_form

__all__ = ["DEFECT", "DONE", "REPAIRABLE", "STOPPED", "ending"]

DONE, DEFECT, REPAIRABLE = 0, 1, 2


def ending(error: BaseException) -> tuple[int, str]:
    """Return the exit code, and the sentence; it is empty where all has been shown."""
    import typer

    usage = typer.BadParameter.__bases__[0]  # click's, which newer typers carry inside
    if isinstance(error, typer.Abort):  # typer's name for two errors
        error = error.__cause__ or error
    if isinstance(error, Interrupted):
        return STOPPED, str(error)
    if isinstance(error, KeyboardInterrupt):
        return STOPPED, message("errors.stopped")
    if isinstance(error, usage):
        return REPAIRABLE, _usage(error)
    if isinstance(error, ForetextError):
        return REPAIRABLE, str(error)
    if isinstance(error, OSError):
        return REPAIRABLE, _refusal(error)
    if isinstance(error, EOFError):
        return REPAIRABLE, message("errors.too_early")
    if isinstance(error, RecursionError):
        return REPAIRABLE, message("errors.too_deep")
    if lacks_memory(error):
        return REPAIRABLE, message("errors.memory", detail=_detail(error))
    return DEFECT, message("errors.defect", kind=type(error).__name__, error=error)


def _usage(error: Any) -> str:
    """Complete what typer says of the arguments."""
    said: str = error.format_message().strip()
    if not said:
        return said
    context, bare = error.ctx, said.rstrip(".")
    known = said_by_form("usage", bare)
    if context is None:
        return said if known in (None, bare) else ended(known)
    key = "errors.usage" if known is None else "errors.known_usage"
    return message(key, said=known or bare, command=context.command_path)


def _refusal(error: OSError) -> str:
    cause = error.strerror or str(error) or type(error).__name__
    what = message("errors.file_or_device") if error.filename is None else str(error.filename)
    if error.errno in NO_SPACE:
        return message("errors.disk_full", what=what)
    return message("errors.refused", what=what, cause=cause)


def _detail(error: BaseException) -> str:
    first = str(error).partition("\n")[0].rstrip(".")
    return f" ({first})" if first else ""
