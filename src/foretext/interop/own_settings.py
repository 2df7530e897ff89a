"""The key "foretext" of a config.json: types, and a check of what a file says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError
from foretext.base.parsing import parse_json
from foretext.metrics import Scheme, TagForm

__all__ = ["KEY", "check_own", "own_part"]

KEY = "foretext"


class _Found(BaseModel):
    """What a task found in the rows that it learned from; a task from outside can have more."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)

    labels: list[str] | None = Field(None, min_length=1)
    counts: list[int] | None = None
    multi_label: bool = False
    lowest: float = 0.0
    highest: float = 1.0
    scheme: Scheme | Literal["auto"] | None = None
    form: TagForm = "B-PER"
    characters: str = ""
    by_character: bool = False
    may_abstain: bool = False
    longest: int = Field(0, ge=0, le=1 << 32)
    objective: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _fits(self) -> _Found:
        labels = self.labels or ()
        if len(set(labels)) < len(labels):
            raise ValueError("'found.labels' contains the same label twice")
        if self.counts is not None and len(self.counts) != len(labels):
            raise ValueError("'found.counts' does not have one number for each label")
        if not self.lowest < self.highest:
            raise ValueError("'found.lowest' is not below 'found.highest'")
        return self


class _Own(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    tokenizer: str
    visibility: str
    num_characters: int
    word_vectors: tuple[PositiveInt, PositiveInt]
    arguments: dict[str, Any]
    backbone: dict[str, Any] | None
    objective: dict[str, Any] | None
    task: dict[str, Any] | None
    found: _Found
    facts: dict[str, Any]


def own_part(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of "foretext", or nothing.

    In runs of word vectors it is a string, the version of foretext.
    """
    own = config.get(KEY)
    return own if isinstance(own, dict) else {}


def check_own(config: Mapping[str, Any], path: Path) -> None:
    """Check the types of the value of "foretext" in the config.json at `path`.

    Raises:
        ModelFileError: a value has another type, or values contradict each other.
    """
    parse_json(json.dumps(own_part(config)), f'{path}: "{KEY}"', ModelFileError, _Own)
