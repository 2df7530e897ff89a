"""What our own routes take and give: JSON whose every field is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse

__all__ = ["Body", "FiniteJson", "Reply"]


class Body(BaseModel):
    """The body of a request; the docstring under each field describes it in ``openapi.json``."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    model: str | None = Field(default=None, examples=[None])
    """Name of the model; null: the first one that can do it."""


class Reply(BaseModel):
    """A part of an answer, for ``openapi.json``; answers are sent as abilities give them."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class FiniteJson(JSONResponse):
    """An answer in which what is no number is null, as the command line prints it."""

    def render(self, content: Any) -> bytes:
        """Return the bytes of the answer."""
        try:
            return super().render(content)
        except ValueError:  # JSON has no infinity, and looking for one takes longer than writing
            return super().render(_finite(content))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value
