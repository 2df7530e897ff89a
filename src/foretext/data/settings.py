"""What is held out of a corpus: the settings of the section `[data]`."""

from __future__ import annotations

from pydantic import Field

from foretext.base.config import Config

__all__ = ["DataConfig"]


class DataConfig(Config):
    """How a corpus is split."""

    valid_rate: float = Field(0.01, ge=0, lt=1)
    """Share of the documents (GloVe: cells) that is held out for the loss; 0: none."""
