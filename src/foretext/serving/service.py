"""What the routes of an application share: models, scheduler, settings and metrics.

Metrics for Prometheus: requests, queue, batches and tokens, under TEI's names and our own. Every
label has few values: routes are templates, methods are known ones, models are the served ones.
Dashboards of text-embeddings-inference find their names; ours begin with ``foretext_``.
"""

from __future__ import annotations

import collections
import re
import time
import uuid
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import Metric
from prometheus_client.registry import Collector
from starlette.requests import HTTPConnection
from starlette.types import Scope

from foretext.serving.errors import CannotServe
from foretext.serving.scheduler import Answered, Pause, Scheduler
from foretext.serving.served_model import Models
from foretext.serving.settings import ServingConfig

__all__ = ["Metrics", "Service", "Trace", "client_of", "route_of"]

T = TypeVar("T")

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
SIZES = tuple(float(2**power) for power in range(15))
LENGTHS = tuple(float(4**power) for power in range(11))

# `err` of te_request_failure, by status
FAILURES = {
    408: "timeout",
    413: "validation",
    424: "inference",
    429: "overloaded",
    500: "inference",
    503: "unhealthy",
    504: "timeout",
}

_PLACE = "foretext.trace"  # in the scope
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")  # goes into a header and into the log
METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})


class Metrics:
    """The figures of one server, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._name_own()
        self._name_tei()

    def _name_own(self) -> None:
        route, model = ("method", "route"), ("model", "ability")
        self._requests = self._counter("requests", "Requests answered", (*route, "status"))
        self._seconds = self._histogram(
            "foretext_request_seconds", "Whole requests", SECONDS, route
        )
        self._inputs = self._counter("inputs", "Texts and other inputs computed", model)
        self._tokens = self._counter("tokens", "Tokens computed, as estimated", model)
        self._open = Gauge(
            "foretext_requests_in_flight", "Requests being answered", registry=self.registry
        )

    def _name_tei(self) -> None:
        self._counts = _Counts()
        self.registry.register(self._counts)
        tei = {
            "request_duration": "Whole requests, in seconds",
            "request_queue_duration": "Wait for the model, in seconds",
            "request_inference_duration": "Work of the model, in seconds",
        }
        self._durations = {
            name: self._histogram(f"te_{name}", text, SECONDS) for name, text in tei.items()
        }
        self._lengths = self._histogram("te_request_input_length", "Tokens of a request", LENGTHS)
        self._batch_sizes = self._histogram("te_batch_next_size", "Inputs of a batch", SIZES)
        self._batch_tokens = self._histogram("te_batch_next_tokens", "Tokens of a batch", LENGTHS)
        self._queue = Gauge("te_queue_size", "Inputs that wait", registry=self.registry)

    def watch_queue(self, size: Callable[[], float]) -> None:
        """Name what says how many inputs wait; it is asked when the metrics are read."""
        self._queue.set_function(size)

    def in_flight(self) -> AbstractContextManager[None]:
        """Count a request while the context is open."""
        return self._open.track_inprogress()

    def note_batch(self, num_inputs: int, num_tokens: int) -> None:
        """Count a batch; any thread may call this."""
        self._batch_sizes.observe(num_inputs)
        self._batch_tokens.observe(num_tokens)

    def note(self, trace: Trace, method: str, route: str) -> None:
        """Count a request that has ended."""
        self._requests.labels(method, route, str(trace.status)).inc()
        self._seconds.labels(method, route).observe(trace.seconds)
        if method == "POST":
            self._note_tei(trace)
        if trace.model:
            self._inputs.labels(trace.model, trace.ability).inc(trace.num_inputs)
            self._tokens.labels(trace.model, trace.ability).inc(trace.num_tokens)

    def _note_tei(self, trace: Trace) -> None:
        method = "batch" if trace.num_inputs > 1 else "single"
        self._counts.add("te_request_count", method=method)
        if 0 < trace.status < 400:
            self._counts.add("te_request_success", method=method)
        else:
            self._counts.add("te_request_failure", err=FAILURES.get(trace.status, "validation"))
        if trace.model:
            self._durations["request_duration"].observe(trace.seconds)
            self._durations["request_queue_duration"].observe(trace.queue_ms / 1000)
            self._durations["request_inference_duration"].observe(trace.inference_ms / 1000)
            self._lengths.observe(trace.num_tokens)

    def text(self) -> bytes:
        """Return all figures in Prometheus's text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, text: str, labels: tuple[str, ...]) -> Counter:
        return Counter(f"foretext_{name}", text, labels, registry=self.registry)

    def _histogram(
        self, name: str, text: str, buckets: tuple[float, ...], labels: tuple[str, ...] = ()
    ) -> Histogram:
        return Histogram(name, text, labels, buckets=buckets, registry=self.registry)


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


class _Counts(Collector):
    """Counters under the names that TEI gives them, to which a `Counter` would add ``_total``."""

    NAMES = ("te_request_count", "te_request_success", "te_request_failure")

    def __init__(self) -> None:
        self._counts: collections.Counter[tuple[str, str, str]] = collections.Counter()

    def add(self, name: str, **label: str) -> None:
        ((key, value),) = label.items()
        self._counts[name, key, value] += 1

    def collect(self) -> Iterator[Metric]:
        for name in self.NAMES:
            metric = Metric(name, "As text-embeddings-inference counts", "unknown")
            for (own, key, value), count in list(self._counts.items()):
                if own == name:
                    metric.add_sample(name, {key: value}, count)
            yield metric


@dataclass
class Trace:
    """One request, filled in on its way."""

    request_id: str
    began: float = field(default_factory=time.perf_counter)
    key: bytes = b""  # the header with the key that was checked; b"": the server asks for none
    status: int = 0  # 0: the client left before an answer
    model: str = ""
    ability: str = ""
    num_inputs: int = 0
    num_tokens: int = 0
    queue_ms: float = 0.0
    inference_ms: float = 0.0
    body: bytes = b""  # kept only where the log may show texts

    @classmethod
    def begin(cls, scope: Scope, given_id: bytes | None) -> Trace:
        """Put a new trace into a request; an id that the client gives is taken if it is plain."""
        name = (given_id or b"").decode("latin-1")
        trace = cls(name if _REQUEST_ID.fullmatch(name) else uuid.uuid4().hex)
        scope[_PLACE] = trace
        return trace

    @classmethod
    def of(cls, scope: Scope) -> Trace:
        """Return the trace of a request; one that nobody reads, where no guard began it."""
        trace: Trace = scope.setdefault(_PLACE, cls(""))
        return trace

    @property
    def seconds(self) -> float:
        """Time since the request began."""
        return time.perf_counter() - self.began


def route_of(scope: Scope) -> tuple[str, str]:
    """Return method and route of a request, from a bounded set: never what a client wrote."""
    method = scope["method"] if scope["method"] in METHODS else "other"
    route = scope.get("route")
    return method, route.path if route is not None else "none"
