"""Arguments of what people call from Python: of the annotated kinds, or refused with a sentence."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from foretext.base.argument_kinds import Kind, kind_of
from foretext.base.errors import ArgumentError, did_you_mean

__all__ = ["checked_arguments", "given_array", "shown_value"]

F = TypeVar("F", bound=Callable[..., Any])
LONGEST = 60  # letters of a value that a message repeats
ELSEWHERE = {  # arguments that others take
    "budget": "A budget is an argument of foretext.finetune, pretrain and compare (budget='30s').",
    "settings": "Settings are an argument of finetune, pretrain, distill, compare, index, clean.",
}


def checked_arguments(function: F) -> F:
    """Let a function or a method refuse arguments that are not of the kinds of its annotations.

    Numbers and truth values of numpy are taken for those of Python, and numbers of other libraries
    become Python's. What an annotation does not say
    (a number from 1, a name that exists) is checked within. Annotations that only a type checker
    can read, and `Any`, take everything.

    Raises:
        ArgumentError: from the call, with the name of the argument and what it takes; or, of a
            name that it does not have, with the one that is meant or with the functions that do.
    """
    signature = inspect.signature(function)
    found: list[dict[str, Kind]] = []  # filled by the first call: annotations may name later ones

    @wraps(function)
    def checking(*args: Any, **named: Any) -> Any:
        if not found:
            found.append(_kinds(function, signature))
        kinds = found[0]
        try:
            given = signature.bind(*args, **named)
        except TypeError:
            _refuse_unknown(function, signature, named)
            raise
        for name, value in given.arguments.items():
            kind = kinds.get(name)
            if kind is None or kind.takes(value):
                continue
            number = _plain_number(value)
            if number is None or not kind.takes(number):
                where, wrong, wanted = kind.refusal(name, value)
                raise ArgumentError(f"{where} = {shown_value(wrong)}: give {wanted}.")
            given.arguments[name] = number
        return function(*given.args, **given.kwargs)

    return cast(F, checking)


def _refuse_unknown(
    function: Callable[..., Any], signature: inspect.Signature, named: Iterable[str]
) -> None:
    """Refuse an argument that a function does not have.

    Raises:
        ArgumentError: there is one; the message says which is meant, or who takes it.
    """
    parameters = signature.parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return  # it takes every name
    known = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    takes = [name for name in known if name not in ("self", "cls")]
    for name in named:
        if name in known:
            continue
        if name in ELSEWHERE:
            raise ArgumentError(f"{name}: there is no such argument here. {ELSEWHERE[name]}")
        others = f" It takes {', '.join(takes)}." if takes else " It takes none by name."
        hint = did_you_mean(name, takes) or others
        raise ArgumentError(f"{function.__name__} has no argument '{name[:LONGEST]}'.{hint}")


def _plain_number(value: Any) -> int | float | None:
    """Return a number of another library as one of Python; None: it is none.

    Such are an array without dimensions, a tensor of one number, and what Python converts by
    `__index__` or `__float__`. A truth value is no number.
    """
    if getattr(value, "ndim", 0) or isinstance(value, bool | np.bool_):  # foreign
        return None
    if (item := getattr(value, "item", None)) is not None and callable(item):  # foreign
        try:
            value = item()
        except Exception:  # of whatever kind an object has that only looks like a number
            return None
    if isinstance(value, bool | complex):
        return None
    for convert in (operator.index, float):
        try:
            return None if isinstance(value, str | bytes) else convert(value)
        except (TypeError, ValueError, OverflowError):
            continue
    return None


def _kinds(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Kind]:
    """Return the kinds of arguments by their names."""
    names: dict[str, Any] = getattr(inspect.unwrap(function), "__globals__", {})
    kinds = {}
    for name, parameter in signature.parameters.items():
        is_one = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if is_one and parameter.annotation is not parameter.empty:
            kind = kind_of(_read(parameter.annotation, names))
            if kind is not None and not (parameter.default is None and not kind.takes(None)):
                kinds[name] = kind
    return kinds


def _read(annotation: Any, names: dict[str, Any]) -> Any:
    """Return what an annotation means; `Any` where its names are those of a type checker alone."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, names)
    except (NameError, TypeError):
        return Any


def given_array(given: Any, name: str, dtype: Any = None) -> NDArray[Any]:
    """Return what can be an array of numbers as one.

    Raises:
        ArgumentError: it holds something else, or rows of different lengths.
    """
    try:
        array = np.asarray(given, dtype)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(
            f"{name} = {shown_value(given)}: give an array of numbers, or rows of equal length."
        ) from None
    return array


def shown_value(value: Any) -> str:
    """Return a value as a message has it, cut to a bounded length."""
    text = repr(value[:LONGEST] if isinstance(value, str | bytes) else value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
