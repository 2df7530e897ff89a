"""What the routes of an application share: models, scheduler, settings and metrics."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeVar

from starlette.requests import HTTPConnection

from foretext.serving.errors import CannotServe
from foretext.serving.metrics import Metrics
from foretext.serving.scheduler import Answered, Pause, Scheduler
from foretext.serving.served_model import Models
from foretext.serving.settings import ServingConfig
from foretext.serving.trace import Trace

__all__ = ["Service", "client_of"]

T = TypeVar("T")


class Service(NamedTuple):
    """One server; a route finds it by ``Service.of(request)``."""

    models: Models
    scheduler: Scheduler
    settings: ServingConfig
    metrics: Metrics

    @classmethod
    def of(cls, request: HTTPConnection) -> Service:
        """Return the one that answers a request."""
        service: Service = request.app.state.service
        return service

    async def answer(
        self,
        request: HTTPConnection,
        ability: str,
        items: Sequence[Any],
        options: Hashable = None,
        *,
        model: str | None = None,
        costs: Sequence[int] | None = None,
    ) -> Answered:
        """Return the answers of a model to items; see `Models.find` and `Scheduler.answer`."""
        found = self.models.find(model, ability)
        trace = Trace.of(request.scope)
        trace.model, trace.ability = found.name, ability
        trace.num_inputs += len(items)
        self._check_number(items)
        answered = await self.scheduler.answer(
            found.ability(ability), items, options, client=client_of(request), costs=costs
        )
        trace.num_tokens += answered.tokens
        trace.queue_ms += answered.queue_ms
        trace.inference_ms += answered.inference_ms
        return answered

    async def write(
        self,
        request: HTTPConnection,
        ability: str,
        work: Callable[[Pause], T],
        *,
        model: str | None = None,
    ) -> T:
        """Return the result of long work with a model; see `Scheduler.write`."""
        found = self.models.find(model, ability)
        trace = Trace.of(request.scope)
        trace.model, trace.ability = found.name, ability
        trace.num_inputs += 1
        return await self.scheduler.write(work, client=client_of(request))

    def _check_number(self, items: Sequence[Any]) -> None:
        if len(items) > self.settings.max_inputs:
            raise CannotServe(
                f"The request has {len(items):,} inputs, and this server takes "
                f"{self.settings.max_inputs:,} in a request; send them in several."
            )


def client_of(request: HTTPConnection) -> str:
    """Return what tells clients apart, for equal shares: a checked key, or the address."""
    key = Trace.of(request.scope).key.decode("latin-1")
    return key or (request.client.host if request.client else "")
