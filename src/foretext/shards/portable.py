"""An object as plain values, from which another process makes an equal one."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Self

from foretext.base.errors import ForetextError
from foretext.base.parsing import parse_json
from foretext.base.registry import imported

__all__ = ["Portable"]


class Portable(NamedTuple):
    """What makes the object.

    Attributes:
        maker: ``"package.module:name"`` of what gets `settings` and returns it.
        settings: a text, such as JSON.
    """

    maker: str
    settings: str

    def made(self) -> Any:
        """Return an equal object."""
        return imported(self.maker)(self.settings)

    def written(self) -> str:
        """Return both as one text."""
        return json.dumps(self)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read what `written` returned."""
        values: tuple[str, str] = parse_json(
            text, "what makes an object", ForetextError, tuple[str, str]
        )
        return cls(*values)
