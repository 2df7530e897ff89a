"""A shard, what is done with it, and the folder of its result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from foretext.base.errors import ForetextError, OutputError
from foretext.base.files import atomic_folder
from foretext.base.parsing import read_json
from foretext.base.registry import imported

__all__ = ["DoneShard", "Fill", "Shard", "ShardWork", "fill_shard"]

MARK = "files.json"  # in the folder of a shard: the names and sizes of its other files

Fill = Callable[[bytes, Path], None]  # writes the result of a shard's data into an empty folder


class Shard(NamedTuple):
    """A part of a text."""

    number: int  # from 0, in the order of the text
    data: Callable[[], bytes]  # called only where the shard has to be done
    num_bytes: int = 0  # stored bytes that were read for it, for progress


class DoneShard(NamedTuple):
    """A shard whose result is there."""

    number: int
    folder: Path
    num_bytes: int  # as `Shard` says


class ShardWork(NamedTuple):
    """What is done with each shard, as plain values: they can be sent to another machine.

    Attributes:
        opener: ``"package.module:name"`` of what gets `settings` and returns a `Fill`. Each process
            calls it once, before its first shard.
        settings: a text, such as JSON.
        folder: where the folders of results stand. Its name, or that of a folder above it, should
            have a digest of text and settings, so that no result of other ones is taken.
    """

    opener: str
    settings: str
    folder: Path

    def opened(self) -> Fill:
        """Return what does it.

        Raises:
            ForetextError: it cannot be done with these settings.
        """
        fill: Fill = imported(self.opener)(self.settings)
        return fill

    def result(self, number: int) -> Path:
        """Return the folder for the result of a shard; it is there as a whole or not at all."""
        return self.folder / f"shard-{number:05}"

    def is_done(self, number: int) -> bool:
        """Whether the result of a shard is there with all its files."""
        folder = self.result(number)
        try:
            sizes: dict[str, int] = read_json(folder / MARK, OutputError, dict[str, int])
            return all((folder / name).stat().st_size == size for name, size in sizes.items())
        except (ForetextError, OSError):  # missing or damaged: it is done again
            return False


def fill_shard(fill: Fill, data: bytes, folder: Path) -> None:
    """Write the result of a shard as `folder`, which appears by one rename.

    Raises:
        OutputError: it cannot be written.
    """
    with atomic_folder(folder) as temporary:
        fill(data, temporary)
        sizes = {file.name: file.stat().st_size for file in sorted(temporary.iterdir())}
        (temporary / MARK).write_text(json.dumps(sizes), encoding="utf-8", newline="\n")
