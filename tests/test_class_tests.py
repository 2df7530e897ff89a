"""The tool that finds classes in slices, and tests for classes of foretext's own objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import class_tests
from tools.class_tests import (
    DEEP,
    NO_INSTANCE,
    ONE_CHILD,
    SOURCE,
    class_rooms,
    find_class_tests,
    find_slices,
    package_classes,
)

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


def slices(folder: Path, *programs: str) -> list[str]:
    """What is found in modules "a", "b" and so on of a package."""
    for letter, text in zip("abcd", programs, strict=False):
        (folder / f"{letter}.py").write_text(text)
    return [finding.code for finding in find_slices(folder)]


CHAIN = "class One: ...\nclass Two(One): ...\nclass Side(One): ...\nclass Three(Two): ...\n"
WIDER = f"{CHAIN}class Third(Two): ...\n"


def test_finds_what_is_too_deep(tmp_path: Path) -> None:
    deeper = "from foretext.a import Three\nclass Four(Three): ...\nclass Fourth(Three): ...\n"
    assert slices(tmp_path, WIDER) == []
    found = slices(tmp_path, WIDER, deeper)
    assert found == [f"b.{name} is 4 deep, and 3 are enough" for name in ("Four", "Fourth")]


def test_follows_names_through_other_modules(tmp_path: Path) -> None:
    shown = "from foretext.a import Three as Third\n"
    inner = "from foretext.b import Third\nclass Out:\n    class In(Third): ...\n"
    other = "from foretext import b\nclass Last(b.Third): ...\n"
    found = slices(tmp_path, WIDER, shown, inner)
    assert "c.Out.In is 4 deep, and 3 are enough" in found
    assert "a.Three is the base of one class" in found
    found = slices(tmp_path, WIDER, shown, inner, other)
    assert found == [f"{name} is 4 deep, and 3 are enough" for name in ("c.Out.In", "d.Last")]


def test_settings_are_no_level(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.py").write_text("class Config: ...\n")
    program = "from foretext.base.config import Config as Settings\nclass Zero(Settings): ...\n"
    assert slices(tmp_path, program + WIDER.replace("One:", "One(Settings):")) == []


@pytest.mark.parametrize("base", ["", "(Generic[T])", "(abc.ABC)"])
def test_finds_a_base_with_one_child(tmp_path: Path, base: str) -> None:
    program = f"class Plant{base}: ...\nclass Tree(Plant): ...\n"
    assert slices(tmp_path, program) == ["a.Plant is the base of one class"]


def test_leaves_a_base_for_authors_outside_and_protocols(tmp_path: Path) -> None:
    plant = "class Plant: ...\nclass Tree(Plant): ...\n"
    (tmp_path / "extend.py").write_text("from foretext.a import Plant\n")
    assert slices(tmp_path, plant) == []
    namesake = "class Plant(Protocol): ...\nclass Tree(Plant, Protocol): ...\n"
    assert slices(tmp_path, plant, namesake) == []
    assert slices(tmp_path, plant, plant) == ["b.Plant is the base of one class"]


@pytest.mark.parametrize(
    ("method", "is_found"),
    [
        ("@classmethod\n    def of(cls) -> Self: ...", False),
        ("@classmethod\n    def of(cls) -> tuple[Tree, int]: ...", False),
        ("@classmethod\n    def of(cls) -> int: ...", True),
        ("@classmethod\n    def of(cls): ...", True),
        ("@classmethod\n    @checked\n    def of(cls) -> Treetop: ...", True),
        (
            "@field_validator('size')\n    @classmethod\n    def of(cls, size: int) -> int: ...",
            False,
        ),
        ("@staticmethod\n    def of(size: int) -> int: ...", False),
        ("def of(self) -> int: ...", False),
    ],
)
def test_class_methods_make_instances(tmp_path: Path, method: str, is_found: bool) -> None:
    found = slices(tmp_path, f"class Tree:\n    {method}\n")
    assert found == (["a.Tree.of makes no Tree"] if is_found else [])


@pytest.mark.slow
def test_exceptions_are_still_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    package = class_tests._read(SOURCE)  # which takes seconds
    monkeypatch.setattr(class_tests, "_read", lambda source: package)
    classes = package_classes(SOURCE)
    methods = {name.rpartition(".")[0] for name in NO_INSTANCE}
    assert classes.keys() >= {*DEEP, *ONE_CHILD, *methods}
    assert find_slices(SOURCE) == []
    with pytest.MonkeyPatch.context() as patch:
        for table in ("DEEP", "ONE_CHILD", "NO_INSTANCE"):
            patch.setattr(f"tools.class_tests.{table}", {})
        assert len(find_slices(SOURCE)) == len(DEEP) + len(ONE_CHILD) + len(NO_INSTANCE)
