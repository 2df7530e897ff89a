"""Whose turn it is: clients one after another, and the requests of each one after another.

Nothing here knows of threads; the scheduler asks under its lock.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from foretext.serving.pending import Pending

__all__ = ["Turns"]


P = TypeVar("P", bound=Pending)


class Turns(Generic[P]):
    """The requests that wait, in the order of their turns.

    After its turn a client goes to the end of the clients, and a request to the end of those of its
    client. So a client has its turn after at most one turn of each other client, however many
    requests or items these have.
    """

    def __init__(self) -> None:
        self._queues: OrderedDict[str, dict[P, None]] = OrderedDict()
        self._num = 0

    def __len__(self) -> int:
        """Number of requests; any thread may ask, without a lock."""
        return self._num

    def add(self, request: P) -> None:
        """Put a request at the end of those of its client."""
        self._queues.setdefault(request.client, {})[request] = None
        self._num += 1

    def remove(self, request: P) -> None:
        """Take a request out that is done, or that nobody waits for; it may be out already."""
        queue = self._queues.get(request.client, {})
        if request in queue:
            del queue[request]
            self._num -= 1
        if not queue:
            self._queues.pop(request.client, None)

    def rotate(self, request: P) -> None:
        """Move a request and its client to the end, after their turn."""
        queue = self._queues[request.client]
        del queue[request]
        queue[request] = None
        self._queues.move_to_end(request.client)

    @property
    def num_kinds(self) -> int:
        """Number of turns until all have had one: requests with equal keys share theirs."""
        return len({request.key for queue in self._queues.values() for request in queue})

    def next(self, is_ready: Callable[[P], bool]) -> list[list[P]]:
        """Return the requests that share the next turn, a list for each client.

        The first one of the first list is the one whose turn it is; all others have its key.

        Args:
            is_ready: whether a request can have a turn now.
        """
        self._drop_gone()
        ready = ([each for each in queue if is_ready(each)] for queue in self._queues.values())
        queues = [queue for queue in ready if queue]
        if not queues:
            return []
        key = queues[0][0].key
        sharing = ([each for each in queue if each.key == key] for queue in queues)
        return [queue for queue in sharing if queue]

    def _drop_gone(self) -> None:
        gone = [each for queue in self._queues.values() for each in queue if each.can_be_dropped]
        for request in gone:
            self.remove(request)
