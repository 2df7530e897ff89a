"""Requests that nobody would write, made from the routes' own description: none ends with 5xx.

``FORETEXT_AUDIT_INPUTS=10000`` sends as many; without it some two hundred are sent.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable

from tests.lazy_import import lazy_import
from tests.serving.conftest import Server

schemathesis = lazy_import("schemathesis", optional=True)

NUM_REQUESTS = int(os.environ.get("FORETEXT_AUDIT_INPUTS", "250"))
NUM_ROUTES = 25  # at least


@pytest.mark.slow
def test_requests_end_without_a_defect(server: Server) -> None:
    assert fuzz(server, NUM_REQUESTS // NUM_ROUTES) >= 0.8 * NUM_REQUESTS


def fuzz(server: Server, number: int) -> int:
    """Send so many requests to each route, some valid and some not; return how many there were."""
    statuses: list[int] = []
    for operation in _operations(server):
        for made in schemathesis.GenerationMode:
            statuses += _statuses(server, operation, made, number // 2)
    return len(statuses)


def _statuses(server: Server, operation: object, made: object, number: int) -> list[int]:
    statuses: list[int] = []

    @seed(1)
    @settings(
        max_examples=number,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=made))  # type: ignore[attr-defined]
    def ask(case: object) -> None:
        answer = case.call(base_url=server.url)  # type: ignore[attr-defined]
        statuses.append(answer.status_code)
        assert answer.status_code < 500, f"{case.as_curl_command()}\n{answer.text}"  # type: ignore[attr-defined]

    with suppress(Unsatisfiable):  # there is no wrong request to a route without a body
        ask()
    return statuses


def _operations(server: Server) -> Iterator[object]:
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    for found in schema.get_all_operations():
        yield found.ok()
