"""A cleaning that is under way: where it stands, and how far it has come.

It is written in ``DIR/replacement``, so that the clean corpus that is there can be used until the
new one is finished, and a killed cleaning goes on.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from foretext.base.errors import OutputError
from foretext.base.files import atomic_file, is_regular_file, output_error, sweep
from foretext.base.parsing import read_json, read_text
from foretext.base.replacement import REPLACEMENT, complete, promote
from foretext.corpus.sources import CLEANED

__all__ = ["FACTS", "REPORT", "Building"]

FACTS, REPORT = CLEANED, "report.html"
WORK = "work"
STATE = "request"  # in the folder of the new corpus


class Building:
    """The folder of a clean corpus in the making; `path` must be there, and locked.

    Raises:
        OutputError: the folder holds something that may not be replaced, or nothing to go on with.
    """

    def __init__(self, path: Path, *, overwrite: bool, resume: bool) -> None:
        self.path = path
        self.folder = path / REPLACEMENT
        complete(path)
        sweep(path)
        if resume:
            self._must_be_unfinished()
        else:
            self._must_be_free(overwrite=overwrite)
            self._begin()
        sweep(self.folder)

    def open(self, digest: str) -> Path:
        """Return the folder for the shards of a request.

        Its name has the digest, so that a process of an earlier cleaning that is still at work
        cannot write into it.

        Raises:
            OutputError: it was begun with something else.
        """
        state = self.folder / STATE
        if is_regular_file(state):
            if read_text(state, OutputError).strip() != digest:
                raise OutputError(
                    f"{self.path} was begun with other texts or settings; give the same ones, or "
                    "begin again with --overwrite."
                )
        else:
            with atomic_file(state) as temporary:
                temporary.write_text(f"{digest}\n", encoding="utf-8", newline="\n")
        work = self.folder / f"{WORK}-{digest[:8]}"
        try:
            work.mkdir(exist_ok=True)
        except OSError as error:
            raise output_error(work, error) from error
        sweep(work)
        return work

    @property
    def is_complete(self) -> bool:
        """Whether all results are written, and have only to take their place."""
        return is_regular_file(self.folder / FACTS)

    def finish(self) -> None:
        """Let the results take their place.

        Raises:
            OutputError: a file cannot be moved.
        """
        for work in self.folder.glob(f"{WORK}-*"):
            shutil.rmtree(work, ignore_errors=True)
        (self.folder / STATE).unlink(missing_ok=True)
        promote(self.path)

    def abandon(self) -> None:
        """Remove a cleaning of which no shard is done; what is there stays."""
        if not any(self.folder.glob(f"{WORK}-*/shard-*")):
            shutil.rmtree(self.folder, ignore_errors=True)

    def _begin(self) -> None:
        try:
            if self.folder.is_symlink():
                self.folder.unlink()
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir()
        except OSError as error:
            raise output_error(self.folder, error) from error

    def _must_be_unfinished(self) -> None:
        if self.folder.is_dir() and not self.folder.is_symlink():
            return
        state = "a finished one" if is_regular_file(self.path / FACTS) else "none"
        raise OutputError(
            f"{self.path} holds no unfinished cleaning but {state}; run without --resume."
        )

    def _must_be_free(self, *, overwrite: bool) -> None:
        finished = is_regular_file(self.path / FACTS)
        if finished and "kept" not in read_json(self.path / FACTS, OutputError):
            raise OutputError(f"{self.path} holds something else; choose another folder.")
        if self.folder.is_dir() and not overwrite:
            raise OutputError(
                f"{self.path} holds an unfinished cleaning; go on with --resume, or begin again "
                "with --overwrite."
            )
        if finished and not overwrite:
            raise OutputError(
                f"{self.path} holds a clean corpus; choose another folder, or replace it with "
                "--overwrite."
            )
        if not finished and any(each.name != REPLACEMENT for each in self.path.iterdir()):
            raise OutputError(
                f"{self.path} is a folder with other files in it; choose a new or empty one."
            )
