"""Arguments of what people call from Python: of the annotated kinds, or refused with a sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from foretext.base.argument_kinds import Kind, kind_of
from foretext.base.errors import ArgumentError

__all__ = ["checked_arguments", "given_array", "shown_value"]

F = TypeVar("F", bound=Callable[..., Any])
LONGEST = 60  # letters of a value that a message repeats
ELSEWHERE = {  # arguments that others take
    "budget": "A budget is an argument of foretext.finetune, pretrain and compare (budget='30s').",
    "settings": "Settings are an argument of finetune, pretrain, distill, compare, index, clean.",
}


def checked_arguments(function: F) -> F:
    """Let a function or a method refuse arguments that are not of the kinds of its annotations.

    Numbers and truth values of numpy are taken for those of Python. What an annotation does not say
    (a number from 1, a name that exists) is checked within. Annotations that only a type checker
    can read, and `Any`, take everything.

    Raises:
        ArgumentError: from the call, with the name of the argument and what it takes; or, of a
            budget that it does not have, with the functions that do. Python refuses other names.
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
            _refuse_elsewhere(signature, named)
            raise
        for name, value in given.arguments.items():
            kind = kinds.get(name)
            if kind is not None and not kind.takes(value):
                where, wrong, wanted = kind.refusal(name, value)
                raise ArgumentError(f"{where} = {shown_value(wrong)}: give {wanted}.")
        return function(*args, **named)

    return cast(F, checking)


def _refuse_elsewhere(signature: inspect.Signature, named: Iterable[str]) -> None:
    """Refuse a budget or settings where a function has no such argument.

    Raises:
        ArgumentError: there is one; the message says who takes it.
    """
    for name in named:
        if name in ELSEWHERE and name not in signature.parameters:
            raise ArgumentError(f"{name}: there is no such argument here. {ELSEWHERE[name]}")


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
