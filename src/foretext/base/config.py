"""Settings: frozen, strict, and refused with a sentence when they do not exist.

A component carries its settings as a `Config` nested in its class. Values come from Python, from a
TOML file or from ``--set section.name=value``; the same checks run for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, model_validator
from pydantic_core import ErrorDetails

from foretext.base.errors import SettingError, suggestion
from foretext.messages import ended, has_message, in_language, language, message, sentences

__all__ = ["NONE", "Config", "duration_seconds", "size_bytes", "whole_number"]


def whole_number(value: Any, name: str, *, least: int | None = None) -> int:
    """Return a whole number of Python or numpy that an argument `name` was given.

    Raises:
        SettingError: it is none, or less than `least`.
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or (least is not None and value < least):
        wanted = "a whole number" if least is None else f"a whole number from {least}"
        raise SettingError(f"{name} = {repr(value)[:60]}: give {wanted}, such as 10.")
    return int(value)


NONE = "none"  # how TOML and the command line write None


class Config(BaseModel):
    """Base of every component's settings; the docstring under each one describes it.

    A setting `min_X` may not be above a setting `max_X`, nor one that `never_above` names above its
    other. A setting that may be None is so by ``"none"``, unless this is one of the words that it
    chooses from.
    """

    never_above: ClassVar[Mapping[str, str]] = {}

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )

    @classmethod
    def ordered_settings(cls) -> Iterator[tuple[str, str]]:
        """Yield pairs of settings of which the first may not be above the second."""
        for name in cls.model_fields:
            above = cls.never_above.get(name, name.replace("min_", "max_", 1))
            if above != name and above in cls.model_fields:
                yield name, above

    @model_validator(mode="after")
    def _are_in_order(self) -> Self:
        for low, high in self.ordered_settings():
            least, most = getattr(self, low), getattr(self, high)
            if least is not None and most is not None and least > most:
                raise ValueError(
                    f"{low} = {least} is more than {high} = {most}; lower {low} or raise {high}"
                )
        return self

    @model_validator(mode="after")
    def _has_no_text_none(self) -> Self:
        """Refuse the text "none", which a recipe would keep as None."""
        for name, value in self:
            if _is_none(value) and self.reads_none(name):
                raise ValueError(
                    f"{name} = 'none' means that there is no {name}; write a file of this name as "
                    "./none, a column of this name as its number"
                )
        return self

    @classmethod
    def _with_none(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Read ``"none"``, which TOML and a command line have, where a setting can be None."""
        return {
            name: None if _is_none(value) and cls.reads_none(name) else value
            for name, value in settings.items()
        }

    @classmethod
    def reads_none(cls, name: str) -> bool:
        """Whether ``"none"`` stands for None in a setting: not where it is one of the choices."""
        return cls.allows(name, None) and NONE not in _choices(cls.model_fields[name].annotation)

    def kept(self, **dump: Any) -> dict[str, Any]:
        """Return the settings as TOML keeps them: no None, which is left out or called "none".

        Args:
            dump: arguments of pydantic's `model_dump`, such as ``include``.
        """
        values = self.model_dump(**dump)
        for name, value in [*values.items()]:
            if value is None:
                default = type(self).model_fields[name].get_default(call_default_factory=True)
                if default is not None and self.reads_none(name):
                    values[name] = NONE
                else:
                    del values[name]
        return values

    @classmethod
    def checked(cls, settings: dict[str, Any], section: str) -> Self:
        """Build from plain values, naming `section` and the setting in every complaint.

        Args:
            settings: values by name.
            section: of a recipe that they come from.

        Raises:
            SettingError: an unknown setting ("did you mean"), a wrong type or a wrong value.
        """
        try:
            return cls(**cls._with_none(settings))
        except ValidationError as error:
            raise SettingError(_sentence(error, cls, section)) from None

    @classmethod
    def allows(cls, name: str, value: Any) -> bool:
        """Whether there is a setting of this name that can have this value.

        Args:
            name: of the setting.
            value: that it would have.
        """
        if name not in cls.model_fields:
            return False
        field = cls.model_fields[name]
        kind: Any = Annotated[field.annotation, field]
        try:
            TypeAdapter(kind, config=ConfigDict(strict=True)).validate_python(value)
        except ValidationError:
            return False
        return True

    @property
    def changed(self) -> set[str]:
        """Names of the settings that differ from their defaults.

        A resolved recipe names every setting, so that being named alone says nothing.
        """
        return {
            name
            for name, field in type(self).model_fields.items()
            if getattr(self, name) != field.get_default(call_default_factory=True)
        }


def _is_none(value: Any) -> bool:
    return isinstance(value, str) and value == NONE  # an array has no single answer to ==


def _choices(annotation: Any) -> Iterator[Any]:
    """Yield the words that a setting chooses from."""
    parts = get_args(annotation)
    if get_origin(annotation) is Literal:
        yield from parts
    else:
        for part in parts:
            yield from _choices(part)


def duration_seconds(text: str | float) -> float:
    """Read ``90``, ``90s``, ``10m`` or ``1.5h`` as seconds.

    Raises:
        SettingError: it is none of these, or not more than nothing.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", str(text))
    seconds = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]] if match else 0.0
    if seconds <= 0:
        raise SettingError(message("errors.budget.form", given=repr(text)))
    return seconds


def size_bytes(text: str) -> int:
    """Read ``512MB``, ``2GB`` or ``1.5 GB`` (decimal units) as bytes.

    Raises:
        ValueError: it is none of these; a validator that calls this names the setting.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kKMGT]?)B?\s*", text)
    scale = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
    size = int(float(match[1]) * scale[match[2]]) if match else 0
    if size <= 0:
        raise ValueError("write a size like 512MB or 2GB")
    return size


def _sentence(error: ValidationError, cls: type[Config], section: str) -> str:
    """Say what is wrong; in English where pydantic or a validator says it in its own words."""
    first = error.errors()[0]
    faults = [each for each in error.errors() if each["loc"][:1] == first["loc"][:1]]
    is_known = all(
        each["type"] == "extra_forbidden" or has_message(f"errors.value.{each['type']}")
        for each in faults
    )
    with in_language(None if is_known else "en"):
        return _described(first, faults, cls, section)


def _described(
    first: ErrorDetails, kinds: Sequence[ErrorDetails], cls: type[Config], section: str
) -> str:
    name = ".".join(str(part) for part in first["loc"]) or "settings"
    if first["type"] == "extra_forbidden":
        has = ", ".join(sorted(cls.model_fields))
        hint = suggestion(name, cls.model_fields) or message("errors.it_has", names=has)
        return sentences([message("errors.no_setting", section=section, name=name), hint])
    problem = _problem(first)
    if len(kinds) > 1 and isinstance(first["loc"][1], str):  # it may be of several types
        name = str(first["loc"][0])
        problem = _either(map(_problem, kinds))
    if not first["loc"]:
        return ended(f"[{section}] {problem}")
    said = message(
        "errors.value.wrong",
        section=section,
        name=name,
        value=repr(first["input"]),
        problem=f"{problem}{_said_of_none(first, cls)}",
    )
    return ended(said)


def _problem(error: ErrorDetails) -> str:
    """Return what is wrong with a value; what is rare, in the words of pydantic or a validator."""
    key, context = f"errors.value.{error['type']}", _plain(error.get("ctx", {}))
    if language() == "en" or not has_message(key):
        return error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    choices = str(context.get("expected", "")).replace(" or ", f" {message('errors.or')} ")
    return message(key, **{**context, "expected": choices})


def _plain(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the bounds of a value as pydantic writes them: 1, not 1.0."""
    return {
        name: int(bound) if isinstance(bound, float) and bound.is_integer() else bound
        for name, bound in context.items()
    }


def _either(problems: Iterable[str]) -> str:
    """Return several kinds that a value should have one of."""
    first, *others = problems
    should_be = message("errors.value.should_be")
    said = [each.removeprefix(should_be) for each in others]
    if language() == "en":
        said = [each.strip() for each in said]  # in Chinese a blank stays before a quoted word
    return "".join([first, *(message("errors.value.or", said=each) for each in said)])


def _said_of_none(error: ErrorDetails, cls: type[Config]) -> str:
    """Return whether a setting with a value that is not allowed may be none, for its sentence."""
    name = str(error["loc"][0])
    if error["type"] == "value_error":
        return ""
    if cls.reads_none(name):
        return message("errors.value.or", said="none")
    is_none = error["input"] is None or _is_none(error["input"])
    return message("errors.value.not_none") if is_none else ""
