"""The source files of Python packages, parsed: never imported, and never run."""

from __future__ import annotations

import ast
import os
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Definition", "PythonFile", "definitions_in", "python_files", "python_folders"]

SKIPPED_FOLDERS = {
    *("dist-packages", "site-packages"),  # inside the standard library's folder; they come later
    *("idle_test", "test", "tests", "_vendor", "__pycache__"),
}

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class PythonFile(NamedTuple):
    """A file, and what is in it."""

    package: str
    path: Path
    module: ast.Module


def python_folders() -> list[Path]:
    """Return the folders of the standard library and of the installed packages."""
    paths = sysconfig.get_paths()
    return [
        Path(path) for path in dict.fromkeys(paths[n] for n in ("stdlib", "purelib", "platlib"))
    ]


def python_files(folders: Sequence[Path]) -> Iterator[PythonFile]:
    """Yield the files that can be parsed; their order depends only on names."""
    for top in folders:
        for path in _paths(top):
            package = path.relative_to(top).parts[0].removesuffix(".py")
            module = _parsed(path)
            if module is not None:
                yield PythonFile(package, path, module)


def definitions_in(node: ast.Module | Definition) -> Iterator[Definition]:
    """Yield classes, functions and methods, each before what is defined in it; itself first."""
    if isinstance(node, Definition):
        yield node
    for statement in node.body:
        if isinstance(statement, Definition):
            yield from definitions_in(statement)


def _paths(top: Path) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(top):
        subfolders[:] = sorted(set(subfolders) - SKIPPED_FOLDERS)
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def _parsed(path: Path) -> ast.Module | None:
    """Return what is in a file; None if it is unreadable."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other people's invalid escapes
            return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # templates, Python 2, rare encodings: there is enough text without them
