"""What the page of a task takes from examined texts."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from foretext.report.run_files import Count, Number

__all__ = ["Alignment", "FaultyTexts", "LengthBin", "WrittenText"]

Weight = Annotated[float, Field(ge=0, le=1.01, allow_inf_nan=False)]  # rounded


class WrittenText(BaseModel):
    """A row, what was written for it, and what the baseline wrote."""

    source: str
    reference: str
    output: str
    baseline: str | None
    chrf: Number
    faults: list[str]
    place: str


class FaultyTexts(BaseModel):
    """Some outputs that have the same fault."""

    fault: str
    texts: Annotated[list[WrittenText], Field(min_length=1)]


class LengthBin(BaseModel):
    """chrF of a model for sources of some lengths in words."""

    low: Count
    high: Count
    rows: Count
    model: str
    chrf: Number


class Alignment(BaseModel):
    """How much each word of an output takes from each word of its source."""

    source: Annotated[list[str], Field(min_length=1)]
    output: Annotated[list[str], Field(min_length=1)]
    weights: list[list[Weight]]
    layer: Count
    place: str

    @model_validator(mode="after")
    def _has_a_weight_for_each_pair(self) -> Self:
        widths = {len(row) for row in self.weights}
        if len(self.weights) != len(self.output) or widths != {len(self.source)}:
            raise ValueError("weights are not one for each word of the output and of the source")
        return self
