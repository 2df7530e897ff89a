"""An index that is being written: where it stands, and how far it has come.

It is written in ``INDEX/replacement``, so that the index that is there can be searched until the
new one is finished, and a killed indexing goes on.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from foretext.base.errors import ModelFileError, OutputError
from foretext.base.files import atomic_file, is_regular_file, output_error, sweep
from foretext.base.parsing import read_json
from foretext.base.replacement import REPLACEMENT, complete, promote
from foretext.messages import message
from foretext.search.folder import KIND, IndexFolder

__all__ = ["Building", "Progressed"]

STATE = "building.json"


class Progressed(BaseModel):
    """What was asked for, and what is known once all texts were read."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    request: str  # digest of texts, settings and model
    stage: Literal["reading", "embedding"]
    passages: int = 0
    places: int = 0


class Building:
    """The folder of an index in the making; `path` must be there, and locked by this process.

    Raises:
        OutputError: the folder holds something that may not be replaced, or nothing to go on with.
    """

    def __init__(self, path: Path, *, overwrite: bool, add: bool, resume: bool) -> None:
        self.path = path
        self.before = IndexFolder(path)  # the index that is there, if one is
        self.folder = IndexFolder(path / REPLACEMENT)
        complete(path)
        sweep(path)
        if resume:
            self._must_be_unfinished()
        else:
            self._must_be_free(overwrite=overwrite, add=add)
            self._begin()
        sweep(self.folder.path)

    @property
    def vectors(self) -> Path:
        """The bare numbers of the rows that are embedded so far."""
        return self.folder.path / "vectors.partial"

    @property
    def state(self) -> Progressed | None:
        """How far it has come; None: nothing is known yet.

        Raises:
            ModelFileError: the file is damaged.
        """
        path = self.folder.path / STATE
        return read_json(path, ModelFileError, Progressed) if is_regular_file(path) else None

    def keep_state(self, state: Progressed) -> None:
        """Write down how far it has come.

        Raises:
            OutputError: it cannot be written.
        """
        with atomic_file(self.folder.path / STATE) as temporary:
            temporary.write_text(state.model_dump_json(), encoding="utf-8", newline="\n")

    def finish(self, config: dict[str, object]) -> None:
        """Mark the new index as finished, and let it take its place.

        Raises:
            OutputError: it cannot be written.
        """
        (self.folder.path / STATE).unlink(missing_ok=True)
        with atomic_file(self.folder.config) as temporary:
            temporary.write_text(
                json.dumps(config, indent=2) + "\n", encoding="utf-8", newline="\n"
            )
        promote(self.path)

    def abandon(self) -> None:
        """Remove an index in which nothing is embedded yet; the one that is there stays."""
        state = self.state
        if state is None or state.stage == "reading":
            shutil.rmtree(self.folder.path, ignore_errors=True)
            with suppress(OSError):  # where an index, or anything else, is in it
                self.path.rmdir()

    def _begin(self) -> None:
        try:
            if self.folder.path.is_symlink():
                self.folder.path.unlink()
            shutil.rmtree(self.folder.path, ignore_errors=True)
            self.folder.path.mkdir()
        except OSError as error:
            raise output_error(self.folder.path, error) from error

    def _must_be_unfinished(self) -> None:
        if self.folder.path.is_dir() and not self.folder.path.is_symlink():
            return
        state = "a finished index" if is_regular_file(self.before.config) else "no index"
        raise OutputError(f"{self.path} holds {state}; there is nothing to resume.")

    def _must_be_free(self, *, overwrite: bool, add: bool) -> None:
        unfinished, finished = self.folder.path.is_dir(), is_regular_file(self.before.config)
        if finished and read_json(self.before.config, OutputError).get("kind") != KIND:
            raise OutputError(message("files.index.model", path=self.path))
        if add and not finished:
            raise OutputError(message("files.index.none_to_add", path=self.path))
        if unfinished and not overwrite:
            raise OutputError(message("files.index.unfinished", path=self.path))
        if finished and not (overwrite or add):
            raise OutputError(message("files.index.finished", path=self.path))
        others = [each.name for each in self.path.iterdir() if each.name not in (REPLACEMENT,)]
        if not finished and others:
            raise OutputError(message("errors.run.other_files", path=self.path))
