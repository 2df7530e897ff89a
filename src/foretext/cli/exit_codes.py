"""What becomes of an error that nobody caught: an exit code, and a sentence for a person."""

from __future__ import annotations

from typing import Any

from foretext.base.errors import ForetextError, Interrupted
from foretext.base.files import NO_SPACE
from foretext.base.interruption import STOPPED
from foretext.base.runtime import lacks_memory

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
        return STOPPED, "Stopped by a signal; what was saved before it is kept."
    if isinstance(error, usage):
        return REPAIRABLE, _usage(error)
    if isinstance(error, ForetextError):
        return REPAIRABLE, str(error)
    if isinstance(error, OSError):
        return REPAIRABLE, _refusal(error)
    if isinstance(error, EOFError):
        return REPAIRABLE, "A file ends too early; fetch or write it again."
    if isinstance(error, RecursionError):
        return REPAIRABLE, "A file or a setting is nested too deeply; make it flatter."
    if lacks_memory(error):
        return REPAIRABLE, (
            f"The memory does not suffice{_detail(error)}; lower what sets the size, such as "
            "vectors.vector_size, tokenizer.max_vocab_size or training.batch_examples, or give "
            "smaller files."
        )
    return DEFECT, (
        f"a defect: {type(error).__name__}: {error}. "
        "Run it again with `foretext --debug ...` and report what it prints."
    )


def _usage(error: Any) -> str:
    """Complete what typer says of the arguments; of no arguments at all it has shown the help."""
    message: str = error.format_message().strip()
    context = error.ctx
    if not message or context is None:
        return message
    return f"{message.rstrip('.')}; see `{context.command_path} --help`."


def _refusal(error: OSError) -> str:
    cause = error.strerror or str(error) or type(error).__name__
    what = "A file or device" if error.filename is None else str(error.filename)
    if error.errno in NO_SPACE:
        return f"{what} cannot be written: the disk is full; free some space, and run it again."
    return f"{what} cannot be read or written: {cause}; check its name, its rights and its disk."


def _detail(error: BaseException) -> str:
    first = str(error).partition("\n")[0].rstrip(".")
    return f" ({first})" if first else ""
