"""Find code that tests the class of foretext's own objects; ``make check`` runs it.

A test for a class closes the code to classes that nobody has written yet: the object itself should
answer, by a method or an attribute. So these are refused in ``src/``:

- ``isinstance``, ``issubclass`` and ``type(...) is`` with a concrete class of foretext, outside of
  the room that defines it. A room is a folder of the package, or a file beside the folders.
  Abstract bases and errors may be tested anywhere, and ``interop/`` may test classes: its tables
  belong to them.
- ``hasattr``, and ``getattr`` with a name and a default. Modules are free, since Python
  differs from one system to another; an object of another library has the comment ``# foreign``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Finding", "class_rooms", "find_class_tests"]

SOURCE = Path(__file__).resolve().parents[1] / "src" / "foretext"
PACKAGE = "foretext"
FREE_ROOMS = ("interop",)
ERRORS = "errors.py"
MARK = "# foreign"


class Finding(NamedTuple):
    """One test for a class."""

    path: Path
    line: int
    code: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.code}: let the object answer by a method instead"


def class_rooms(source: Path) -> dict[str, set[str]]:
    """Return the concrete classes of a package but errors, each with the rooms that define it."""
    rooms: dict[str, set[str]] = {}
    for path, tree in _modules(source):
        if path.name != ERRORS:
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and not _is_abstract(node):
                    rooms.setdefault(node.name, set()).add(_room(path, source))
    return rooms


def find_class_tests(source: Path) -> list[Finding]:
    """Return every test for a class that the package in `source` makes of its own objects."""
    rooms = class_rooms(source)
    found = []
    for path, tree in _modules(source):
        room = _room(path, source)
        if room in FREE_ROOMS:
            continue
        strangers = {name for name in rooms if room not in rooms[name]}
        foreign = _foreign_names(tree)
        lines, modules = path.read_text(encoding="utf-8").splitlines(), _module_names(tree)
        for node in ast.walk(tree):
            if _tested_classes(node, foreign) & strangers or _tests_attribute(node, modules):
                line: int = node.lineno  # type: ignore[attr-defined]  # of calls and comparisons
                if MARK not in lines[line - 1]:
                    found.append(Finding(path, line, ast.unparse(node)))
    return found


def _modules(source: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(source.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def _room(path: Path, source: Path) -> str:
    return path.relative_to(source).parts[0].removesuffix(".py")


def _is_abstract(node: ast.ClassDef) -> bool:
    bases = set().union(*map(_names, node.bases)) if node.bases else set()
    marked = (each for part in ast.walk(node) for each in getattr(part, "decorator_list", ()))
    return "ABC" in bases or any("abstractmethod" in _names(each) for each in marked)


def _foreign_names(tree: ast.Module) -> set[str]:
    """Names that a module imports from other packages."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] != PACKAGE
        for alias in node.names
    }


def _module_names(tree: ast.Module) -> set[str]:
    """Names that stand for whole modules, such as ``os``."""
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }


def _tested_classes(node: ast.AST, foreign: set[str]) -> set[str]:
    """The classes that a node tests something for, those of other packages left out."""
    if isinstance(node, ast.Call) and _called(node) in ("isinstance", "issubclass"):
        return _tested(node.args[1], foreign)
    if isinstance(node, ast.Compare) and _called(node.left) == "type":
        return set().union(*(_tested(each, foreign) for each in node.comparators))
    return set()


def _tests_attribute(node: ast.AST, modules: set[str]) -> bool:
    if not isinstance(node, ast.Call) or not node.args or _names(node.args[0]) & modules:
        return False
    has_default = len(node.args) == 3 and isinstance(node.args[1], ast.Constant)
    return _called(node) == "hasattr" or (_called(node) == "getattr" and has_default)


def _called(node: ast.AST) -> str:
    """The plain name of what is called, if anything is."""
    is_plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return node.func.id if is_plain else ""  # type: ignore[attr-defined]


def _names(node: ast.AST) -> set[str]:
    """Every name in an expression, with every attribute."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def _tested(node: ast.AST, foreign: set[str]) -> set[str]:
    """The names of the classes that an expression lists, as in ``int | nn.Linear``."""
    if isinstance(node, ast.Attribute):
        return set() if _names(node.value) & foreign else {node.attr}
    if isinstance(node, ast.Name):
        return {node.id} - foreign
    parts = (_tested(each, foreign) for each in ast.iter_child_nodes(node))
    return set().union(*parts)


def main() -> None:
    """Print what is found; exit with 1 where there is any."""
    found = find_class_tests(SOURCE)
    for finding in found:
        print(finding._replace(path=finding.path.relative_to(SOURCE.parents[1])))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
