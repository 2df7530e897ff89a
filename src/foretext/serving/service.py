"""What the routes of an application share: models, scheduler, settings and metrics."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from starlette.requests import HTTPConnection

from foretext.serving.metrics import Metrics
from foretext.serving.scheduler import Answered, Scheduler
from foretext.serving.served_model import Models
from foretext.serving.settings import ServingConfig
from foretext.serving.trace import Trace

__all__ = ["Service", "client_of"]


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
    ) -> Answered:
        """Return the answers of a model to items; see `Models.find` and `Scheduler.answer`."""
        found = self.models.find(model, ability)
        trace = Trace.of(request.scope)
        trace.model, trace.ability = found.name, ability
        trace.num_inputs += len(items)
        answered = await self.scheduler.answer(
            found.ability(ability), items, options, client=client_of(request)
        )
        trace.num_tokens += answered.tokens
        trace.queue_ms += answered.queue_ms
        trace.inference_ms += answered.inference_ms
        return answered


def client_of(request: HTTPConnection) -> str:
    """Return what tells clients apart, so that each has its share: the key, or the address."""
    key = request.headers.get("authorization", "")
    return key or (request.client.host if request.client else "")
