"""Kinds of values by the annotation of an argument: what is taken, and how an error names it."""

from __future__ import annotations

import os
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, is_typeddict

import numpy as np

__all__ = ["Kind", "kind_of"]

PLAIN = (str, bytes, bool, int, float, list, tuple, dict, set, frozenset, Path, type(None))
SINGLE = (str, bytes, Mapping, os.PathLike)  # can be walked through, but are no list of values


@dataclass(frozen=True)
class Kind:
    """What values are of a kind, and its name with an article, such as "a whole number"."""

    name: str
    takes: Callable[[Any], bool]
    several: str = ""  # the name of several of them, such as "whole numbers"
    each: Kind | None = None  # of lists: the kind of an element, if all have one

    def refusal(self, name: str, value: Any) -> tuple[str, Any, str]:
        """Return what does not fit in a value that `takes` refused.

        Returns:
            Its name, such as "texts" or "texts[1]"; its value; and the name of its kind.
        """
        if self.each is not None and isinstance(value, list | tuple):
            wrong = [at for at, each in enumerate(value) if not self.each.takes(each)]
            if wrong and len(wrong) < len(value):
                return f"{name}[{wrong[0]}]", value[wrong[0]], self.each.name
        return name, value, self.name


def kind_of(annotation: Any) -> Kind | None:
    """Return the kind that an annotation stands for; None: it takes anything."""
    origin = get_origin(annotation)
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    if origin is Annotated:
        return kind_of(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return _any_of([kind_of(each) for each in get_args(annotation)])
    if origin is Literal:
        return _one_of(get_args(annotation))
    holder = annotation if origin is None else origin
    if not isinstance(holder, type) or holder in (object, Any):  # or type variables
        return None
    if holder is np.ndarray:
        return Kind("an array", _is_array, "arrays")
    if issubclass(holder, Mapping) or is_typeddict(holder):
        return Kind("a dict", lambda value: isinstance(value, Mapping), "dicts")
    if origin is Callable:
        return Kind("a function", callable, "functions")
    if holder is os.PathLike:
        return _SIMPLE[Path]
    if holder in (list, tuple) or holder.__module__ in ("collections.abc", "_collections_abc"):
        return _several(get_args(annotation)) if issubclass(holder, Iterable) else None
    if holder.__module__.startswith("numpy"):  # what an array can be made of
        return None
    return _of_class(holder)


def _any_of(kinds: Sequence[Kind | None]) -> Kind | None:
    """Return the kind of values that one of several takes."""
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds):
        return None
    names = list(dict.fromkeys(kind.name for kind in known))
    several = list(dict.fromkeys(kind.several for kind in known if kind.several))
    return Kind(
        _listed(names),
        lambda value: any(kind.takes(value) for kind in known),
        _listed(several),
        next((kind.each for kind in known if kind.each is not None), None),
    )


def _one_of(values: Sequence[Any]) -> Kind:
    """Return the kind of some values; others of their type are left to who knows what is meant."""
    found = tuple({type(value) for value in values})
    name = _listed([repr(value) for value in values])
    return Kind(name, lambda value: isinstance(value, found))


def _several(arguments: Sequence[Any]) -> Kind:
    """Return the kind of lists whose elements are of a kind."""
    is_uniform = len(arguments) == 1 or (len(arguments) == 2 and arguments[1] is ...)
    each = kind_of(arguments[0]) if is_uniform else None

    def takes(value: Any) -> bool:
        if isinstance(value, SINGLE) or not isinstance(value, Iterable):
            return False
        held = value.tolist() if isinstance(value, np.ndarray) else value
        if isinstance(held, list | tuple) and each is not None:
            return all(map(each.takes, held))
        return isinstance(held, Iterable)

    name = f"a list of {each.several}" if each is not None and each.several else "a list"
    return Kind(name, takes, name.replace("a list", "lists", 1), each)


def _of_class(holder: type) -> Kind:
    """Return the kind of objects: plain values are none of them, whatever else may be."""
    plain = (*PLAIN, np.ndarray, np.generic)
    if issubclass(holder, PLAIN):
        return Kind(f"a {holder.__name__}", lambda value: isinstance(value, holder))
    return Kind(f"an object like {holder.__name__}", lambda value: not isinstance(value, plain))


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array__") or isinstance(value, list | tuple)  # foreign


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and value == value


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool | np.bool_ | int)


def _listed(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


_SIMPLE: dict[Any, Kind] = {
    str: Kind("a text", lambda value: isinstance(value, str), "texts"),
    int: Kind("a whole number", _is_whole, "whole numbers"),
    float: Kind("a number", _is_number, "numbers"),
    bool: Kind("True or False", _is_switch, "truth values"),
    bytes: Kind("bytes", lambda value: isinstance(value, bytes), "bytes"),
    Path: Kind("a path", lambda value: isinstance(value, os.PathLike), "paths"),
    None: Kind("None", lambda value: value is None),
    type(None): Kind("None", lambda value: value is None),
}
