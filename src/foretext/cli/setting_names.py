"""The settings of a class, read from its source: who completes a word cannot wait for PyTorch."""

from __future__ import annotations

import ast
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

__all__ = ["settings_in_source"]

PACKAGE = Path(__file__).parents[1]
BASE = "foretext.base.config"  # the base of all settings has none


class _Class(NamedTuple):
    """A class in the source of a module."""

    module: str
    body: ast.ClassDef


def settings_in_source(target: str) -> dict[str, str]:
    """Return the settings of ``"module:Class.Config"`` by name, each with the docstring under it.

    A part of the path may be a class within a class, or an attribute that names another class.
    """
    module, _, path = target.partition(":")
    first, *others = path.split(".")
    found = _named(module, first)
    for name in others:
        found = found and _attribute(found, name)
    return {} if found is None else _settings(found)


def _settings(owner: _Class) -> dict[str, str]:
    settings: dict[str, str] = {}
    for base in _bases(owner):
        settings |= _settings(base)
    for node, following in pairwise([*owner.body.body, None]):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                if not ast.unparse(kind).startswith("ClassVar"):
                    settings[name] = _docstring(following)
    return settings


def _docstring(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return ""


def _named(module: str, name: str) -> _Class | None:
    """Find a class by its name in a module, or where the module imports it from."""
    tree = _tree(module)
    for node in [] if tree is None else tree.body:
        match node:
            case ast.ClassDef() if node.name == name:
                return _Class(module, node)
            case ast.Assign(targets=[ast.Name(id=known)], value=value) if known == name:
                return _meant(module, value)
            case ast.ImportFrom(module=str(source), names=names):
                for alias in names:
                    if name == (alias.asname or alias.name):
                        return _named(source, alias.name)
    return None


def _attribute(owner: _Class, name: str) -> _Class | None:
    """Find a class by its name within another, or within the bases of that."""
    for node in owner.body.body:
        match node:
            case ast.ClassDef() if node.name == name:
                return _Class(owner.module, node)
            case ast.Assign(targets=[ast.Name(id=known)], value=value) if known == name:
                return _meant(owner.module, value)
            case ast.AnnAssign(target=ast.Name(id=known), value=ast.expr() as value) if (
                known == name
            ):
                return _meant(owner.module, value)
    found = (_attribute(base, name) for base in _bases(owner))
    return next((each for each in found if each is not None), None)


def _bases(owner: _Class) -> list[_Class]:
    found = [_meant(owner.module, base) for base in owner.body.bases]
    return [each for each in found if each is not None]


def _meant(module: str, value: ast.expr) -> _Class | None:
    """Find the class that an expression such as ``WordEmbedding.Config`` means."""
    match value:
        case ast.Name(id=name):
            return _named(module, name)
        case ast.Attribute(value=inner, attr=name):
            owner = _meant(module, inner)
            return owner and _attribute(owner, name)
        case ast.Subscript(value=inner):
            return _meant(module, inner)
    return None


@cache
def _tree(module: str) -> ast.Module | None:
    """Parse a module of foretext, without importing it or a package around it."""
    package, *parts = module.split(".")
    if package != "foretext" or module == BASE:
        return None
    path = PACKAGE.joinpath(*parts)
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text("utf-8"))
