"""A process that learns with others: ``python -P -m foretext.vectors.replicas.worker``.

It is asked by ``[name, arguments]``, the first time with what opens its part of the training.
"""

from __future__ import annotations

import signal
from typing import Any

from foretext.base.registry import imported
from foretext.base.workers import Service, read_values

__all__: list[str] = []


class _Opening:
    """A part of a training that the first thing asked for opens."""

    def __init__(self) -> None:
        self._part: Any = None

    def do(self, values: list[Any]) -> Any:
        name, arguments = values
        if self._part is not None:
            return self._part.do(name, arguments)
        self._part = imported(name)(*arguments)
        return None


if __name__ == "__main__":
    # A batch system sends SIGTERM to all processes; the first one saves a checkpoint with them.
    Service(ignored=(signal.SIGINT, signal.SIGTERM)).run(read_values, _Opening().do)
