from __future__ import annotations

import pytest
import typer

from foretext.base.errors import CorpusError, Interrupted
from foretext.cli.exit_codes import ending


class OutOfMemoryError(RuntimeError):
    """PyTorch's, by name."""


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (CorpusError("No text."), 2, "No text."),
        (Interrupted("SIGINT."), 130, "SIGINT."),
        (KeyboardInterrupt(), 130, "Stopped by a signal"),
        (FileNotFoundError(2, "No such file", "x.txt"), 2, "x.txt cannot be read or written: No"),
        (OSError("connection lost"), 2, "connection lost"),
        (OSError(), 2, "OSError"),
        (MemoryError(), 2, "The memory does not suffice; lower"),
        (MemoryError("Unable to allocate 9. TiB"), 2, "(Unable to allocate 9. TiB); lower"),
        (OutOfMemoryError("CUDA out of memory."), 2, "CUDA out of memory); lower"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 2, "lower what sets the size"),
        (RecursionError(), 2, "nested too deeply"),
        (EOFError(), 2, "ends too early"),
        (typer.BadParameter("no number"), 2, "Invalid value: no number"),
        (ValueError("oops"), 1, "a defect: ValueError: oops."),
        (BaseException("a panic"), 1, "a defect: BaseException: a panic."),
    ],
)
def test_code_and_sentence(error: BaseException, code: int, sentence: str) -> None:
    told = ending(error)
    assert told[0] == code
    assert sentence in told[1]
    assert "\n" not in told[1]


def test_what_typer_wraps_is_unwrapped() -> None:
    abort = typer.Abort()
    abort.__cause__ = EOFError()
    assert ending(abort)[0] == 2
