"""Tables of components: a name, and the class that bears it, imported only when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from foretext.errors import MissingExtraError, SettingError, did_you_mean

__all__ = ["Registry", "imported"]


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

    def resolve(self, name: str) -> Any:
        """Import and return the class.

        Raises:
            SettingError: no such row, or the module has no such class.
        """
        target = name if ":" in name else self._rows.get(name)
        if target is None:
            hint = did_you_mean(name, self._rows) or f" There are: {', '.join(self._rows)}."
            raise SettingError(f"[{self.section}] name = '{name}': there is no such one.{hint}")
        try:
            return imported(target)
        except (ModuleNotFoundError, AttributeError) as error:
            if name in self._rows:
                raise
            raise SettingError(
                f"[{self.section}] name = '{name}' cannot be imported: {error}."
            ) from error


def imported(target: str) -> Any:
    """Import what ``"module:attribute"`` names.

    Raises:
        MissingExtraError: it needs PyTorch, which is not installed.
    """
    module, _, attribute = target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("torch", "neural", f"{attribute}, a network,") from error
