"""The `parameters` of a request of huggingface_hub's `InferenceClient`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from foretext.serving.errors import CannotServe

__all__ = ["HubParameters", "checked_parameters"]

T = TypeVar("T", bound="HubParameters")


class HubParameters(BaseModel):
    """Those of a task that have an effect; a client leaves the others out."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="forbid")


def checked_parameters(kind: type[T], given: Mapping[str, Any] | None) -> T:
    """Return parameters that a client gave; null and false stand for what it did not give.

    Raises:
        CannotServe: one has no effect on this task, or no such value.
    """
    chosen = {name: value for name, value in (given or {}).items() if value not in (None, False)}
    try:
        return kind.model_validate(chosen)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            known = ", ".join(kind.model_fields) or "none"
            raise CannotServe(
                f"parameters.{name} has no effect on this model; leave it out (known: {known})."
            ) from None
        raise CannotServe(f"parameters.{name}: {first['msg']}.") from None
