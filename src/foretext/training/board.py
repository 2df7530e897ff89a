"""A training's figures for TensorBoard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.base.errors import MissingExtraError

__all__ = ["Board"]


class Board:
    """Writes records as scalars; held-out figures stand apart.

    Raises:
        MissingExtraError: the package tensorboard is not installed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise MissingExtraError(
                "tensorboard", "tensorboard", "training.tensorboard = true"
            ) from error
        self._writer: Any = SummaryWriter(str(folder))

    def append(self, record: Mapping[str, Any]) -> None:
        """Write the figures of a line of metrics.jsonl, by step and by time."""
        for name, value in record.items():
            if name not in ("step", "time"):
                group = "held out" if name.startswith("valid_") else "training"
                self._writer.add_scalar(f"{group}/{name}", value, record["step"])
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
