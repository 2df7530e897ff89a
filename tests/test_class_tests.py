"""The tool that finds tests for classes of foretext's own objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.class_tests import SOURCE, class_rooms, find_class_tests

OWN = "class Tree:\n    pass\n"


def codes(folder: Path, program: str) -> list[str]:
    """What is found in a program of the room "garden", where "wood" defines a class."""
    for room, text in (("wood", OWN), ("garden", program)):
        (folder / room).mkdir()
        (folder / room / "module.py").write_text(text)
    return [finding.code for finding in find_class_tests(folder)]


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(thing, Tree)",
        "isinstance(thing, int | Tree)",
        "isinstance(thing, wood.Tree)",
        "issubclass(thing, (int, Tree))",
        "type(thing) is Tree",
        "type(thing) is not Tree",
        "type(thing) == Tree",
        "hasattr(thing, 'leaves')",
        "getattr(thing, 'leaves', None)",
    ],
)
def test_finds(tmp_path: Path, code: str) -> None:
    program = f"from foretext.wood.module import Tree\n\nfound = {code}\n"
    assert codes(tmp_path, program) == [code]


@pytest.mark.parametrize(
    "program",
    [
        "isinstance(thing, str | int)",
        "class Bush:\n    pass\n\nisinstance(thing, Bush)",
        "from shop import Tree\n\nisinstance(thing, Tree)",
        "from shop import plants\n\nisinstance(thing, plants.Tree | int)",
        "import os\n\nhasattr(os, 'fork')",
        "import ctypes\n\ngetattr(ctypes.CDLL(None), 'fork', None)",
        "getattr(thing, name, None)",
        "getattr(thing, 'leaves')",
        "hasattr(thing, 'leaves')  # foreign: a plant of another library",
    ],
)
def test_leaves(tmp_path: Path, program: str) -> None:
    assert codes(tmp_path, program) == []


def test_errors_may_be_told_apart(tmp_path: Path) -> None:
    (tmp_path / "errors.py").write_text("class WoodError(Exception):\n    pass\n")
    assert codes(tmp_path, "isinstance(error, WoodError)") == []


@pytest.mark.slow
def test_knows_the_package() -> None:
    assert class_rooms(SOURCE)["Transformer"] == {"backbones"}


def test_abstract_bases_may_be_tested(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("from abc import ABC\n\n\nclass Plant(ABC):\n    pass\n")
    assert codes(tmp_path, "isinstance(thing, Plant)") == []
