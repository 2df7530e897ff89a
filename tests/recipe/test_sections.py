from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from foretext.base.config import Config
from foretext.recipe.sections import described


class Sail(Config):
    area: float = Field(2.5, gt=0)
    """Square metres."""
    reefs: int = Field(3, ge=0, le=4)
    """Rows of reefs."""
    reach: float = Field(0.5, ge=0, lt=1)
    """Share of the mast."""
    kind: Literal["auto"] | Literal["main", "jib"] = "auto"
    """Which sail."""
    colour: str | None = None
    """Colour of the cloth."""
    limit: Annotated[int, Field(ge=1)] | Literal["auto"] | None = "auto"
    """Metres."""
    is_up: bool = False
    """Whether it is set."""
    marks: list[str] = Field(["a"])
    """Signs on it."""


def test_each_setting_has_its_values_and_its_sentence() -> None:
    found = {each.name: each for each in described(Sail, {"reefs": 2})}
    assert {name: each.values for name, each in found.items()} == {
        "area": "more than 0",
        "reefs": "0 to 4",
        "reach": "0 or more, less than 1",
        "kind": "auto, main, jib",
        "colour": "text, none",
        "limit": "1 or more, auto, none",
        "is_up": "true, false",
        "marks": "list",
    }
    assert found["area"].description == "Square metres."
    assert (found["area"].default, found["reefs"].default) == (2.5, 2)
