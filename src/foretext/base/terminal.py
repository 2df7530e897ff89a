"""The one way to the terminal: nothing that a stranger wrote can steer it, or end in an error.

Labels, words, names of files and what a model writes may hold control characters, which move the
cursor, recolour the screen or turn the direction of a line. They appear as ``\\u001b``, and so do
letters that the terminal's encoding lacks: inside JSON this is the same value.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

from foretext.base.errors import CorpusError, OutputError
from foretext.base.files import output_error
from foretext.base.system import is_broken_pipe
from foretext.messages import message

__all__ = ["guarded_streams", "say", "show_cursor", "standard_input", "visible"]

# C0 but "\t" and "\n", DEL and C1, what turns the direction of text, and halves of characters.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_ESCAPED = "foretext-escaped"  # what to do with letters that an encoding lacks


def visible(text: str) -> str:
    """Return `text` with control characters as ``\\uXXXX``; JSON keeps its value."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: object = "", *, end: str = "\n", error: bool = False) -> None:
    """Write text to standard output, or to standard error, and at once; nowhere, if it is closed.

    Raises:
        OutputError: standard output cannot be written.
    """
    stream = sys.stderr if error else sys.stdout
    if stream is None:
        return
    stream.write(visible(str(text)) + end)
    stream.flush()


def show_cursor() -> None:
    """Show the cursor of the terminal on a line of its own, past all buffers and their locks."""
    with suppress(OSError):
        os.write(2, b"\x1b[?25h\n")


def standard_input() -> BinaryIO:
    """Return the bytes of standard input.

    Raises:
        CorpusError: it is closed.
    """
    if sys.stdin is None:
        raise CorpusError(message("files.text.closed"))
    return sys.stdin.buffer


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Let nothing that is written to standard output or standard error end in a traceback.

    A reader of standard output that has left ends the process with 0, for any writer: foretext, its
    libraries or the last flush. What standard error does not take is dropped, since no work should
    be lost because nobody reads about it.

    Raises:
        OutputError: standard output is closed, or cannot be written.
    """
    if sys.stdout is None:
        raise OutputError("Standard output is closed; send it to /dev/null if nobody reads it.")
    codecs.register_error(_ESCAPED, _escape)
    before = sys.stdout, sys.stderr
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout = _guarded(sys.stdout, _stop)
        sys.stderr = _guarded(sys.stderr or nowhere, _drop)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


class _Guarded(io.BufferedIOBase):
    """The bytes of a stream; `failed` decides what becomes of an error."""

    def __init__(self, stream: IO[bytes], failed: Callable[[OSError], None]) -> None:
        self._stream = stream
        self._failed = failed

    def write(self, data: Any) -> int:
        self._attempt(lambda: self._stream.write(data))
        return len(data)

    def flush(self) -> None:
        self._attempt(self._stream.flush)

    def _attempt(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as error:
            self._discard()
            self._failed(error)

    def _discard(self) -> None:
        """Send the rest to nowhere; else Python's own flush at exit would complain."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return not self._stream.closed and self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def _guarded(stream: TextIO, failed: Callable[[OSError], None]) -> TextIO:
    stream.flush()
    buffer: Any = _Guarded(
        stream.buffer, failed
    )  # Any: typed as a raw stream, which it need not be
    return io.TextIOWrapper(
        buffer,
        encoding=stream.encoding,
        errors=_ESCAPED,
        line_buffering=stream.isatty() or failed is _drop,
    )


def _stop(error: OSError) -> None:
    if is_broken_pipe(error):
        raise SystemExit(0) from error  # whoever read the output has had enough
    raise output_error(Path("standard output"), error) from error


def _drop(error: OSError) -> None:
    pass


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Write letters that the encoding lacks as JSON would, in halves above U+FFFF."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = (units[index : index + 2].hex() for index in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs), error.end
