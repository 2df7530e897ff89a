"""Packages that are imported where a test first uses them, so that collecting tests stays quick.

Every process collects every test file; what only a few tests need would be imported by all.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest

__all__ = ["lazy_import"]


class _Lazy:
    def __init__(self, name: str, *, optional: bool) -> None:
        self._import = pytest.importorskip if optional else importlib.import_module
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith(("_", "pytest")):  # pytest looks for its own while it collects
            raise AttributeError(attribute)
        return getattr(self._import(self._name), attribute)


def lazy_import(name: str, *, optional: bool = False) -> Any:
    """Return what stands for a module, and imports it once an attribute of it is read.

    Args:
        name: of the module.
        optional: whether a test is skipped where it is absent.
    """
    return _Lazy(name, optional=optional)
