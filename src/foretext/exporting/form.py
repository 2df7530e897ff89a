"""What every format has in common: it writes a model, and runs what it has written."""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import MissingExtraError
from foretext.kinds import Kind

__all__ = ["Bound", "Computed", "ExportForm", "Texts", "check_packages"]

Texts = tuple[str, ...]  # of one input: a text, or two


class Computed(NamedTuple):
    """What N inputs become."""

    ids: list[list[int]]  # of each
    outputs: Mapping[str, list[NDArray[np.float32]]]  # by name, of each


class Bound(NamedTuple):
    """How far what was written may be from the original."""

    difference: float | None  # of two numbers, relative to the largest of the same output
    cosine: float
    answers: float = 1.0  # share of tags and labels that are equal


class ExportForm(ABC):
    """A model in a format; a row of `EXPORTS` names a class of it.

    Args:
        model: that `foretext.load` opened.
        kind: of the run.

    Raises:
        SettingError: the format has no such model.
    """

    name: ClassVar[str]  # in `EXPORTS`
    extra: ClassVar[str]  # of foretext, that has the packages
    packages: ClassVar[Mapping[str, str]]  # by the names of their modules
    bound: ClassVar[Bound]

    def __init__(self, model: Any, kind: Kind) -> None:
        self.model = model
        self.kind = kind

    @property
    @abstractmethod
    def num_texts(self) -> int:
        """How many texts an input has."""

    @property
    def asks(self) -> bool:
        """Whether the first text of an input is a question about the second."""
        return False

    @abstractmethod
    def write(self, folder: Path) -> None:
        """Write all files but those that say how close the copy is.

        Args:
            folder: empty.

        Raises:
            OutputError: it cannot be written.
        """

    def read_otherwise(self, rows: Sequence[Texts]) -> list[str | None]:
        """Return why the format's own program reads an input differently; None: it does not.

        Such inputs are counted, not compared.
        """
        return [None] * len(rows)

    @abstractmethod
    def sizes(self, rows: Sequence[Texts]) -> list[int]:
        """Return how many numbers are about computed of each input, in one layer or output."""

    @abstractmethod
    def own(self, rows: Sequence[Texts]) -> Computed:
        """Return what the model makes of some inputs."""

    @abstractmethod
    def theirs(self, folder: Path, rows: Sequence[Texts]) -> Computed:
        """Return what another program makes of them with the graph and tokenizer of `folder`."""

    @property
    def checked_by(self) -> str:
        """Which program ran what was written, where there are several; "": there is one."""
        return ""

    def close(self) -> None:  # noqa: B027 (most formats start nothing)
        """End programs that the comparison has started."""

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, Any]:
        """What ``export.json`` says of inputs and outputs, as JSON has it."""

    @abstractmethod
    def usage(self, folder: str) -> str:
        """Return how the files are used, as Markdown.

        Args:
            folder: its name.
        """


def check_packages(form: type[ExportForm]) -> None:
    """Refuse a format whose packages are missing.

    Raises:
        MissingExtraError: one is.
    """
    for module, package in form.packages.items():
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(package, form.extra, f"An export to {form.name}")
