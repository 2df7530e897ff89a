"""Every answer is as ``openapi.json`` describes it: status, type and schema."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable

from foretext.serving import create_app
from tests.lazy_import import lazy_import
from tests.serving.conftest import Server

schemathesis = lazy_import("schemathesis", optional=True)

CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
FEW = 6  # requests of each kind to a route
ROUTES = [
    (method, path)
    for path, methods in create_app({}).openapi()["paths"].items()
    for method in methods
    if path != "/translate"  # a hundred beams take a minute; `routes/test_tasks.py` has it
]


@pytest.fixture(scope="module")
def described(server: Server) -> dict[tuple[str, str], Any]:
    """The routes of the running server."""
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    found = [each.ok() for each in schema.get_all_operations() if hasattr(each, "ok")]
    return {(operation.method.lower(), operation.path): operation for operation in found}


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_answers_are_as_described(
    server: Server, described: dict[tuple[str, str], Any], method: str, path: str
) -> None:
    for made in schemathesis.GenerationMode:
        _check(server, described[method, path].as_strategy(generation_mode=made))


def _check(server: Server, cases: Any) -> None:
    schemathesis.checks.load_all_checks()
    checks = [schemathesis.checks.CHECKS.get_one(name) for name in CHECKED]

    @seed(2)
    @settings(
        max_examples=FEW,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def ask(case: Any) -> None:
        case.call_and_validate(base_url=server.url, checks=checks)

    with suppress(Unsatisfiable):  # there is no wrong request to a route without a body
        ask()
