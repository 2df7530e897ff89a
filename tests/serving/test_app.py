"""The application as a whole: what it answers, and how it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from foretext.serving import create_app
from foretext.serving.app import TAGS, document
from tests.serving.conftest import Server

FOUND = document(create_app({}))
ERRORS = {"Error", "OpenAIError"}


def test_an_answer_is_that_of_the_python_call(server: Server) -> None:
    answer = server.client.post("/neighbors", json={"words": ["ship", "king"], "k": 3})
    assert answer.status_code == 200
    expected = server.models["words"].neighbors(["ship", "king"], 3)
    assert list(answer.json()) == ["ship", "king"]
    for near, found in zip(expected, answer.json().values(), strict=True):
        assert found == pytest.approx(dict(near))


def test_a_model_is_found_by_name_or_by_what_it_does(server: Server) -> None:
    body = {"words": ["ship"], "model": "nobody"}
    refused = server.client.post("/neighbors", json=body)
    assert refused.status_code == 404
    assert "'nobody'; there are: words, causal," in refused.json()["error"]
    refused = server.client.post("/neighbors", json=body | {"model": "causal"})
    assert refused.status_code == 422
    assert "holds language model and has no 'neighbors'" in refused.json()["error"]


def test_wrong_bodies_and_routes_are_refused_in_the_form_of_their_family(server: Server) -> None:
    assert "error_type" in server.client.post("/neighbors", json={}).json()
    unknown = server.client.get("/nowhere")
    assert (unknown.status_code, "error" in unknown.json()) == (404, True)
    unknown = server.client.get("/v1/nowhere")
    assert set(unknown.json()["error"]) == {"message", "type", "param", "code"}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in FOUND["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


CASES = [
    pytest.param(path, operation, id=f"{method} {path}") for path, method, operation in operations()
]


def schema_of(operation: dict[str, Any], status: str) -> Any:
    return operation["responses"][status]["content"]["application/json"]["schema"]


@pytest.mark.parametrize(("path", "operation"), CASES)
def test_every_route_is_described(path: str, operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["description"].endswith(".")
    [tag] = operation["tags"]
    assert tag in TAGS


@pytest.mark.parametrize(("path", "operation"), CASES)
def test_every_route_refuses_in_the_form_of_its_family(
    path: str, operation: dict[str, Any]
) -> None:
    form = "OpenAIError" if path.startswith("/v1/") else "Error"
    statuses = {"401", "403", "404", "429", "500", "503"}
    if "requestBody" in operation:
        statuses |= {"400", "413"} if path.startswith("/v1/") else {"400", "413", "422"}
    assert set(operation["responses"]) >= statuses
    for status in statuses:
        assert schema_of(operation, status) == {"$ref": f"#/components/schemas/{form}"}
    assert "Retry-After" in operation["responses"]["429"]["headers"]


def test_every_field_is_described() -> None:
    bodies = [operation.get("requestBody", {}) for _, _, operation in operations()]
    schemas = FOUND["components"]["schemas"]
    for reference in set(references(bodies)):
        for name, field in schemas[reference.rpartition("/")[2]].get("properties", {}).items():
            assert field.get("description"), f"{reference}: {name}"


def test_every_reference_leads_somewhere() -> None:
    schemas = FOUND["components"]["schemas"]
    assert {"HTTPValidationError", "ValidationError"}.isdisjoint(schemas)
    for reference in references(FOUND):
        assert reference.rpartition("/")[2] in schemas


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)
