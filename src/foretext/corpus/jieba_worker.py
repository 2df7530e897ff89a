"""A process that cuts Chinese text: ``python -m foretext.corpus.jieba_worker separate``.

On standard input it reads texts, each after its length in bytes (8 bytes, the lowest first), and
on standard output it writes what becomes of them, in the same form: with ``separate`` the texts
with blanks between their words, with ``mark`` the marks of `mark_words`.
"""

from __future__ import annotations

import signal
import sys
from typing import BinaryIO, Literal

from foretext.corpus.jieba_words import mark_words, separate_words

__all__ = ["WORKS", "Work", "read_text", "write_text"]

LENGTH_BYTES = 8
Work = Literal["separate", "mark"]
WORKS = {"separate": separate_words, "mark": mark_words}


def read_text(stream: BinaryIO) -> str | None:
    """Return the next text, or None where the stream has ended."""
    header = stream.read(LENGTH_BYTES)
    if len(header) < LENGTH_BYTES:
        return None
    size = int.from_bytes(header, "little")
    data = stream.read(size)
    return data.decode("utf-8", "surrogatepass") if len(data) == size else None


def write_text(stream: BinaryIO, text: str) -> None:
    """Write a text in the form that `read_text` reads."""
    data = text.encode("utf-8", "surrogatepass")
    stream.write(len(data).to_bytes(LENGTH_BYTES, "little") + data)
    stream.flush()


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends with its standard input
    work = WORKS[sys.argv[1]]
    while (text := read_text(sys.stdin.buffer)) is not None:
        write_text(sys.stdout.buffer, work(text))


if __name__ == "__main__":
    _main()
