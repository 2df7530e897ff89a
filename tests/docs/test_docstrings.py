"""Every public name has a docstring, which says what each argument is.

It does so in a list of arguments, or in a sentence that names them in back quotes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import foretext
import foretext.extend

UNUSED = ("self", "cls", "y", "deep", "input_features")  # of scikit-learn: passed, not looked at
ARGS = re.compile(r"^Args:\n((?: {4}.*\n?|\n)+)", re.M)
NAME = re.compile(r"^ {4}\*{0,2}(\w+)(?: \([^)]*\))?:", re.M)


def methods_of(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods that foretext defines, of the class and of those it derives from."""
    for name in dir(cls):
        home = next((each for each in cls.__mro__ if name in vars(each)), object)
        if name.startswith("_") or not home.__module__.startswith("foretext"):
            continue
        found = inspect.getattr_static(cls, name)
        if isinstance(found, staticmethod | classmethod):
            found = found.__func__
        if isinstance(found, property) or (
            inspect.isfunction(found) and not found.__name__.startswith("_")  # default of a field
        ):
            yield f"{home.__name__}.{name}", found


def documented(module: Any) -> dict[str, Any]:
    """Everything in a module that should have a docstring, by name."""
    found: dict[str, Any] = {}
    for name in module.__all__:
        value = getattr(module, name)
        if not name.startswith("__") and (inspect.isclass(value) or inspect.isroutine(value)):
            found[name] = value
            found.update(methods_of(value) if inspect.isclass(value) else [])
    return found


USED = documented(foretext)
PARTS = {name: value for name, value in documented(foretext.extend).items() if name not in USED}


def arguments_of(function: Any) -> list[str]:
    parameters = inspect.signature(inspect.unwrap(function)).parameters
    return [name for name in parameters if name not in UNUSED]


def explained(docstring: str) -> list[str]:
    """The arguments that a docstring explains."""
    section = ARGS.search(docstring)
    return NAME.findall(section[1]) if section else []


def test_there_are_names() -> None:
    assert len(USED) > 250
    assert len(PARTS) > 300


@pytest.mark.parametrize("names", [USED, PARTS], ids=["foretext", "foretext.extend"])
def test_each_name_has_a_docstring(names: dict[str, Any]) -> None:
    assert [name for name, value in names.items() if not inspect.getdoc(value)] == []


@pytest.mark.parametrize("names", [USED, PARTS], ids=["foretext", "foretext.extend"])
def test_each_of_several_arguments_is_explained(names: dict[str, Any]) -> None:
    lacking = {}
    for name, function in names.items():
        if inspect.isroutine(function) and len(wanted := arguments_of(function)) > 1:
            text = inspect.getdoc(function) or ""
            given = [*explained(text), *re.findall(r"`(\w+)`", text)]
            lacking[name] = [each for each in wanted if each not in given]
    assert {name: each for name, each in lacking.items() if each} == {}


@pytest.mark.parametrize("names", [USED, PARTS], ids=["foretext", "foretext.extend"])
def test_only_arguments_are_explained(names: dict[str, Any]) -> None:
    wrong = {}
    for name, function in names.items():
        if inspect.isroutine(function):
            taken = [*arguments_of(function), *UNUSED]
            given = explained(inspect.getdoc(function) or "")
            wrong[name] = [each for each in given if each not in taken]
    assert {name: each for name, each in wrong.items() if each} == {}


def test_arguments_are_found() -> None:
    arguments = "    one: a\n        longer line: b\n    *two: c\n    **three: d\n"
    text = f"Do it.\n\nArgs:\n{arguments}\nRaises:\n    E: f"
    assert explained(text) == ["one", "two", "three"]
