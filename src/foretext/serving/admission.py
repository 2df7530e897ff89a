"""How much is taken on at once, and when a refused client may ask again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from foretext.serving.errors import CannotServe, Full
from foretext.serving.pace import Pace
from foretext.serving.pending import Pending
from foretext.serving.settings import ServingConfig

__all__ = ["Admission"]

LONGEST_WAIT = 60.0  # seconds that a refused client is asked to wait, at most
LEAST_SHARE = 256  # tokens of another request for which one waits, however short it is itself
SHORTEST_WAIT = 1.0  # the header ``Retry-After`` counts whole seconds


class Admission:
    """Counts the requests and tokens in flight: those that wait, and those that are computed.

    Args:
        settings: with the limits.
        pace: how long tokens take.
    """

    def __init__(self, settings: ServingConfig, pace: Pace) -> None:
        self._settings = settings
        self._pace = pace
        self._requests: set[Pending] = set()
        self.num_tokens = 0
        self._tokens: Counter[Hashable] = Counter()  # of each ability, not yet computed

    def enter(self, request: Pending) -> None:
        """Take on a request.

        Raises:
            CannotServe: it has more tokens than any request may have.
            Full: it would be too many, or wait too long.
        """
        limits = self._settings
        if request.tokens > limits.max_request_tokens:
            raise CannotServe(
                f"The request has about {request.tokens:,} tokens, and this server takes "
                f"{limits.max_request_tokens:,} in a request; send its inputs in several."
            )
        if self.num_requests and self.num_tokens + request.tokens > limits.max_tokens:
            raise self._full(f"it answers requests of {self.num_tokens:,} tokens")
        own, wait = self._seconds(request), self._wait(request)
        if wait > limits.max_wait and (wait > own or wait + own > limits.max_seconds):
            raise self._full(f"this request would wait for about {wait:.0f} seconds")
        self._requests.add(request)
        self.num_tokens += request.tokens
        self._tokens[request.ability] += request.tokens

    def computed(self, request: Pending, tokens: int) -> None:
        """Note that some tokens of a request are computed; of one that has left, nothing is."""
        tokens = min(tokens, request.tokens_left)
        request.tokens_left -= tokens
        self._tokens[request.ability] -= tokens

    def leave(self, request: Pending) -> None:
        """Make room, once a request is answered or given up."""
        self._requests.remove(request)
        self.num_tokens -= request.tokens
        self._tokens[request.ability] -= request.tokens_left
        request.tokens_left = 0

    @property
    def num_requests(self) -> int:
        """Requests in flight."""
        return len(self._requests)

    @property
    def seconds_left(self) -> float:
        """Seconds until all that was taken on is computed, roughly."""
        return sum(tokens / self._pace.rate(ability) for ability, tokens in self._tokens.items())

    @property
    def retry_after(self) -> float:
        """Seconds after which a client that is refused now may ask again."""
        return min(max(self.seconds_left, SHORTEST_WAIT), LONGEST_WAIT)

    def _wait(self, request: Pending) -> float:
        """Seconds that others take until a request is done.

        Turns are shared, so each of the others takes as long as it does, or less: a short request
        does not wait for the whole of a long one.
        """
        share = max(request.tokens, LEAST_SHARE) / self._pace.rate(request.ability)
        return sum(min(share, self._seconds(other)) for other in self._requests)

    def _seconds(self, request: Pending) -> float:
        return request.tokens_left / self._pace.rate(request.ability)

    def _full(self, reason: str) -> Full:
        wait = self.retry_after
        return Full(f"The server is busy: {reason}. Ask again in {wait:.0f} seconds.", wait)
