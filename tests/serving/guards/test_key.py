"""Which routes need a key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from foretext.serving.guards.key import KeyGuard
from foretext.serving.scheduler import Scheduler
from foretext.serving.served_model import Models
from foretext.serving.service import Metrics, Service, client_of
from foretext.serving.settings import ENVIRONMENT, ServingConfig
from tests.serving.conftest import Server

Guarded = Callable[..., Server]
BEARER = {"authorization": "Bearer the-key"}


@pytest.fixture
def locked(guarded: Guarded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server that takes ``the-key`` of a file and ``other-key`` of the environment."""
    (tmp_path / "keys").write_text("the-key\n")
    monkeypatch.setenv(ENVIRONMENT, "other-key")
    return guarded(api_key_file=tmp_path / "keys")


def test_what_asks_a_model_needs_a_key(locked: Server) -> None:
    question = {"words": ["ship"]}
    refused = locked.client.post("/neighbors", json=question)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json()["error_type"] == "Unauthorized"
    wrong = {"authorization": "Bearer the-ke"}
    assert locked.client.post("/neighbors", json=question, headers=wrong).status_code == 401
    for key in ("the-key", "other-key"):
        headers = {"authorization": f"Bearer {key}"}
        assert locked.client.post("/neighbors", json=question, headers=headers).status_code == 200


def test_openais_form_names_the_code(locked: Server) -> None:
    refused = locked.client.get("/v1/models")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")


@pytest.mark.parametrize("path", ["/info", "/nowhere", "/v1/models", "/health/", "/HEALTH"])
def test_all_but_named_routes_are_locked(locked: Server, path: str) -> None:
    assert locked.client.get(path).status_code == 401
    assert locked.client.get(path, headers=BEARER).status_code != 401


@pytest.mark.parametrize("path", ["/", "/health", "/ping", "/metrics"])
def test_pages_and_monitors_need_none(locked: Server, path: str) -> None:
    assert locked.client.get(path).status_code == 200
    assert locked.client.post(path, json={"inputs": "a"}).status_code == 401


@pytest.mark.parametrize(
    "path", ["/playground/../info", "/playground/..%2finfo", "/playground/%2e%2e/info"]
)
def test_a_public_folder_leads_to_no_other_route(locked: Server, path: str) -> None:
    answer = locked.client.get(path)
    assert answer.status_code in (401, 404)
    assert "words" not in answer.text


@pytest.mark.parametrize(
    ("keys", "client"), [({}, "10.0.0.9"), ({ENVIRONMENT: "the-key"}, "Bearer the-key")]
)
def test_only_a_checked_key_tells_clients_apart(
    keys: dict[str, str], client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without keys a header could be made up, for a share of its own in each request."""
    for name, key in keys.items():
        monkeypatch.setenv(name, key)
    found: list[str] = []

    async def note_client(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(client_of(HTTPConnection(scope)))

    settings = ServingConfig()
    guard = KeyGuard(note_client, Service(Models({}), Scheduler(settings), settings, Metrics()))
    headers = [(b"authorization", b"Bearer the-key")]
    scope = {"type": "http", "method": "POST", "path": "/embed", "headers": headers}
    asyncio.run(guard({**scope, "client": ("10.0.0.9", 1)}, AsyncMock(), AsyncMock()))
    assert found == [client]
