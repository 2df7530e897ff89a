"""Whether the memory holds the vectors that are to be learned, before they are made.

The system gives out memory that it does not have, and ends the process when it is written to.
"""

from __future__ import annotations

from foretext.base.runtime import refuse_without_memory
from foretext.messages import message

__all__ = ["refuse_without_room"]


def refuse_without_room(num_rows: int, stride: int) -> None:
    """Refuse weights that the memory does not hold.

    Args:
        num_rows: of all matrices together.
        stride: float32 numbers of a row.

    Raises:
        SettingError: less is free.
    """
    refuse_without_memory(
        4 * num_rows * stride,
        message("errors.room.vectors", vectors=num_rows),
        message("errors.room.vectors_remedy"),
    )
