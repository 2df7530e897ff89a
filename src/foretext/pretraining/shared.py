"""What several runs make of one text, made once: tokenizers and ids, kept by what they are made of.

A part is a folder that appears whole or not at all, under a digest of all that it depends on. A run
copies what it takes, so that neither can damage the other. It writes into ``shared.json`` what that
was, and how long it took the run that made it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from foretext.base.errors import CorpusError, MissingExtraError, OutputError, SettingError
from foretext.base.files import atomic_file, atomic_folder, is_regular_file, output_error, sweep
from foretext.base.parsing import read_json
from foretext.run_folder import RunFolder

__all__ = ["LEFT_TO_RUNS", "SharedFolder", "SharedPart", "shared_parts"]

LAYOUT = 1  # version of the parts; in each digest
MADE = "made.json"  # in the folder of a part
TEXT = "text.json"
LEFT_TO_RUNS = (CorpusError, SettingError, MissingExtraError)  # which their recipe's run raises too

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Made(BaseModel):
    """``made.json``."""

    seconds: Seconds


class _Text(BaseModel):
    """``text.json``."""

    text_bytes: Annotated[int, Field(ge=1)] | None


@dataclass(frozen=True)
class SharedPart:
    """A part that a run has used.

    Attributes:
        what: "tokenizers", "ids", or "words": a word tokenizer with its ids.
        key: digest of all that it depends on.
        seconds: that it took to make, in the run that made it.
        made: whether that is the run which says so.
    """

    what: str
    key: str
    seconds: Seconds
    made: bool


class SharedFolder:
    """A folder of parts, which any number of runs may use, one after another or at once.

    Args:
        path: made where it is not there.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._used: dict[tuple[str, str], SharedPart] = {}

    @property
    def used(self) -> list[SharedPart]:
        """The parts that were used through this object, each once."""
        return list(self._used.values())

    def part(self, what: str, of: Iterable[str], make: Callable[[Path], object]) -> Path:
        """Return the folder of a part, which is made where no run has made it.

        Args:
            what: kind of the part.
            of: all that it depends on.
            make: writes it into an empty folder.

        Raises:
            OutputError: the folder cannot be written, or ``made.json`` is damaged.
        """
        key = hashlib.sha256(json.dumps([LAYOUT, what, *of]).encode()).hexdigest()[:32]
        folder = self.path / what / key
        is_new = not is_regular_file(folder / MADE)
        if is_new:
            _make(folder, make)
        found: _Made = read_json(folder / MADE, OutputError, _Made)
        self._used.setdefault((what, key), SharedPart(what, key, found.seconds, is_new))
        return folder

    @property
    def has_decided(self) -> bool:
        """Whether it is decided how much of the text is read."""
        return is_regular_file(self.path / TEXT)

    @property
    def text_bytes(self) -> int | None:
        """How much of the text all runs read, in stored bytes; None: all of it.

        Raises:
            OutputError: ``text.json`` is damaged.
        """
        if not self.has_decided:
            return None
        kept: _Text = read_json(self.path / TEXT, OutputError, _Text)
        return kept.text_bytes

    def decide(self, text_bytes: int | None) -> None:
        """Keep how much of the text all runs read."""
        with atomic_file(self.path / TEXT) as temporary:
            temporary.write_text(
                _Text(text_bytes=text_bytes).model_dump_json() + "\n",
                encoding="utf-8",
                newline="\n",
            )

    def keep_used(self, run: RunFolder) -> None:
        """Write into a run what it has used."""
        with atomic_file(run.shared) as temporary:
            temporary.write_text(
                json.dumps([asdict(part) for part in self.used], indent=2) + "\n",
                encoding="utf-8",
                newline="\n",
            )


def shared_parts(run: RunFolder) -> list[SharedPart]:
    """Return what a run has used of a shared folder; nothing where it had none.

    Raises:
        OutputError: the file is damaged.
    """
    if not is_regular_file(run.shared):
        return []
    kept: list[SharedPart] = read_json(run.shared, OutputError, list[SharedPart])
    return kept


def _make(folder: Path, make: Callable[[Path], object]) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise output_error(folder.parent, error) from error
    sweep(folder.parent)
    began = time.monotonic()
    with atomic_folder(folder) as temporary:
        make(temporary)
        made = _Made(seconds=round(time.monotonic() - began, 3))
        (temporary / MADE).write_text(made.model_dump_json() + "\n", encoding="utf-8", newline="\n")
