"""Source files of packages: which are read, and what is defined in them."""

from __future__ import annotations

import ast
from pathlib import Path

from foretext.demonstration.python_files import definitions_in, python_files, python_folders


def test_files_in_order_without_those_that_cannot_be_parsed(tmp_path: Path) -> None:
    for name in ("b.py", "a/x.py", "a/tests/test_x.py", "site-packages/later.py", "a/notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("value = 1\n")
    (tmp_path / "old.py").write_text('print "hello"\n')
    found = [(file.package, file.path.name) for file in python_files([tmp_path])]
    assert found == [("b", "b.py"), ("a", "x.py")]


def test_definitions_before_what_is_within_them() -> None:
    module = ast.parse("class A:\n  def f(self):\n    def g(): ...\n\nasync def h(): ...\nx = 1\n")
    assert [node.name for node in definitions_in(module)] == ["A", "f", "g", "h"]


def test_this_python_has_a_standard_library() -> None:
    assert any((folder / "json" / "__init__.py").exists() for folder in python_folders())
