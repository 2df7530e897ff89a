"""The option ``--trust MODULE``, before the verb and after it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from foretext.base.registry import trust

__all__ = ["Trust", "trusting"]


def _trust(modules: list[str]) -> None:
    trust(*modules)


Trust = Annotated[
    list[str],
    typer.Option(
        "--trust",
        metavar="MODULE",
        callback=_trust,
        show_default=False,
        help="Let a folder name code of this module, which then runs; may be given more than once.",
    ),
]


def trusting(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the option, which acts before the verb begins."""

    @functools.wraps(verb)
    def command(*, trust: object, **options: object) -> None:
        verb(**options)

    signature = inspect.signature(verb, eval_str=True)
    option = inspect.Parameter(
        "trust", inspect.Parameter.KEYWORD_ONLY, default=[], annotation=Trust
    )
    parameters = [*signature.parameters.values(), option]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {**verb.__annotations__, "trust": Trust}
    return command
