"""A component from outside imports foretext itself, and foretext.extend: nothing that may move."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import foretext.extend

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "extending").glob("*.md"))
FILES = [path for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_")]
IMPORT = re.compile(r"^\s*(?:from|import) (foretext[\w.]*)", re.M)


@pytest.mark.parametrize("path", [*PAGES, *FILES], ids=lambda path: path.name)
def test_it_imports_one_face(path: Path) -> None:
    assert set(IMPORT.findall(path.read_text(encoding="utf-8"))) <= {"foretext", "foretext.extend"}


def test_the_face_has_all_that_is_promised() -> None:
    assert all(hasattr(foretext.extend, name) for name in foretext.extend.__all__)
