"""Tables of components: a name, and the class that bears it, imported only when it is asked for.

``"package.module:Class"`` names a component from outside, and importing it runs its code. So such a
name is taken from what the user wrote: the command line, Python, a file given with ``--config``. A
file of a folder can name only modules that the user trusts.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

from foretext.base.arguments import checked_arguments
from foretext.base.errors import (
    CorpusError,
    MissingExtraError,
    SettingError,
    UntrustedError,
    suggestion,
)
from foretext.messages import message, sentences

__all__ = ["Registry", "imported", "trust", "trusted"]

_trusted: set[str] = set()  # modules, packages, and "module:Class" that the user wrote


@checked_arguments
def trust(*names: str) -> None:
    """Let folders name components of these modules or packages, for as long as the process lives.

    Only do so with code that you know: it runs when such a folder is opened.

    >>> trust("my_package")
    """
    _trusted.update(names)


def trusted() -> list[str]:
    """Return the names that are trusted, for another process that does a part of the work."""
    return sorted(_trusted)


class Registry:
    """The components of one room by name; ``"package.module:Class"`` names one from outside.

    Args:
        section: the recipe's section that names a component of this table.
        rows: name to ``"module:Class"``.
    """

    def __init__(self, section: str, rows: Mapping[str, str]) -> None:
        self.section = section
        self._rows = dict(rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def name_of(self, component: type) -> str:
        """Return the name that `resolve` finds a class by: its row's, or its module and name."""
        target = f"{component.__module__}:{component.__qualname__}"
        return next((name for name, row in self._rows.items() if row == target), target)

    def target(self, name: str) -> str:
        """Return ``"module:Class"`` of a name, or the name if it is one itself; imports nothing.

        Raises:
            SettingError: no such row.
        """
        target = name if ":" in name else self._rows.get(name)
        if target is None:
            there_are = message("errors.there_are", names=", ".join(self._rows))
            said = message("errors.no_component", section=self.section, name=name)
            raise SettingError(sentences([said, suggestion(name, self._rows) or there_are]))
        return target

    def resolve(self, name: str, source: Path | None = None) -> Any:
        """Import and return the class.

        Args:
            name: of a row, or ``"package.module:Class"``.
            source: the file that the name was read from; None: the user wrote it.

        Raises:
            SettingError: no such row, or the module has no such class.
            UntrustedError: `source` names a module that is neither foretext's nor trusted.
        """
        target = self.target(name)
        if name in self._rows:
            return imported(target)
        if source is None:
            trust(name)
        elif not _is_trusted(name):
            raise UntrustedError(name, self.section, source)
        try:
            return imported(target)
        except (CorpusError, SettingError):  # what a module of ours, or of the user, says of itself
            raise
        except (ImportError, AttributeError, ValueError, TypeError) as error:
            raise SettingError(
                f"[{self.section}] name = '{name}' cannot be imported: {error}."
            ) from error


def imported(target: str) -> Any:
    """Import what ``"module:attribute"`` names; the attribute may have dots.

    Raises:
        MissingExtraError: it needs PyTorch, which is not installed.
    """
    module, _, attribute = target.partition(":")
    try:
        return attrgetter(attribute)(importlib.import_module(module))
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError(
            "torch", "neural", message("errors.purpose.network", name=attribute)
        ) from error


def _is_trusted(name: str) -> bool:
    module = name.partition(":")[0]
    return name in _trusted or any(
        module == known or module.startswith(f"{known}.") for known in _trusted
    )
