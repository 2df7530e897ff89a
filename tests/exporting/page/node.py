"""Pages that Node.js compares with Python."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foretext.exporting.page import checking, folder

__all__ = ["change_wanted", "needs_node"]

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


def change_wanted(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[dict[str, Any]], object]
) -> None:
    """Change what Python answers, before Node.js compares it with what a page answers."""
    own = checking.check_by_node

    def changed(program: str, page: Path, wanted: dict[str, Any]) -> Any:
        change(wanted)
        return own(program, page, wanted)

    monkeypatch.setattr(folder, "check_by_node", changed)
