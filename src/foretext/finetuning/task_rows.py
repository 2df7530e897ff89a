"""The rows of a fine-tuning: those to learn from, those held out, and those to test on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["TaskRows"]


@dataclass(frozen=True)
class TaskRows:
    """Rows by what they are for."""

    train: Sequence[Any]
    valid: Sequence[Any]  # of a file, or held out from the rows to learn from
    test: Sequence[Any]
    valid_rate: float | None = None  # that was held out; None: there is a file of them
