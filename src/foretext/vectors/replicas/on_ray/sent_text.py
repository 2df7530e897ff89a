"""An encoded text that nodes learn from: found there in the same folder, or sent to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from foretext.base.errors import CorpusError
from foretext.base.files import open_file, output_error, temporary_folder

__all__ = ["META", "SentText", "pieces_of"]

META = "meta.json"  # has the checksums of all other files
PIECE = 16 << 20  # bytes that are sent at once


def pieces_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a `TokenFile` in pieces, each with the name of its file.

    Raises:
        CorpusError: one cannot be read.
    """
    try:
        for path in sorted(each for each in folder.iterdir() if each.is_file()):
            with open_file(path) as file:
                while piece := file.read(PIECE):
                    yield path.name, piece
    except OSError as error:
        raise CorpusError(f"{folder} cannot be read ({error.strerror}).") from error


class SentText:
    """The text on a node.

    What is sent stands in a temporary folder until it is mapped into memory; then the folder is
    removed, and its room on the disk becomes free with the end of this process, however it ends.

    Args:
        shared: folder of the text on the machine that sends it, which may be here, too.
    """

    def __init__(self, shared: str) -> None:
        self._shared = Path(shared)
        self._exits = ExitStack()
        self._received: Path | None = None

    def is_here(self, meta: bytes) -> bool:
        """Whether the folder is here, with this content of `META`."""
        try:
            with open_file(self._shared / META) as file:
                return bool(file.read(len(meta) + 1) == meta)
        except OSError:
            return False

    def receive(self, name: str, data: bytes) -> None:
        """Write the next bytes of a file.

        Raises:
            OutputError: they cannot be written.
        """
        if self._received is None:
            self._received = self._exits.enter_context(temporary_folder())
        path = self._received / Path(name).name
        try:
            with path.open("ab") as file:
                file.write(data)
        except OSError as error:
            raise output_error(path, error) from error

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield the folder of the text, to be opened."""
        with self._exits:
            yield self._received or self._shared
