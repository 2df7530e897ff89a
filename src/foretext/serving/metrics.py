"""Metrics for Prometheus: requests, queue, batches and tokens, under TEI's names and our own.

Every label has few values: routes are templates, methods are known ones, models are the served
ones. Dashboards of text-embeddings-inference find their names; ours begin with ``foretext_``.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

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

from foretext.serving.trace import Trace

__all__ = ["Metrics"]

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
