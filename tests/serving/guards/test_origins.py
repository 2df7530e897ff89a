"""Pages of other sites, and names that point to this machine by surprise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foretext.serving.guards.origins import is_loopback
from tests.serving.conftest import Server

Guarded = Callable[..., Server]
QUESTION = {"words": ["ship"]}


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "127.8.8.8", "[::1]:8000", "a.localhost"]
)
def test_names_of_this_machine_are_answered(server: Server, host: str) -> None:
    assert server.client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "10.0.0.1",
        "127.0.0.1.nip.example",
        "localhost@evil.example",
        "[::1",
        "",
        "a b",
        "xn--80ak6aa92e.example",
    ],
)
def test_another_name_is_refused_on_every_route(server: Server, host: str) -> None:
    for path in ("/", "/health", "/neighbors", "/nowhere"):
        refused = server.client.post(path, json=QUESTION, headers={"host": host})
        assert refused.status_code in (400, 403)
    assert host == "" or host not in refused.text


def test_named_hosts_are_answered_and_no_others(guarded: Guarded) -> None:
    server = guarded(allowed_hosts=("Models.example",))
    for host, status in (("models.example:443", 200), ("localhost", 200), ("other.example", 403)):
        assert server.client.get("/ping", headers={"host": host}).status_code == status


def test_pages_of_other_sites_may_not_ask(server: Server) -> None:
    for origin in ("https://evil.example", "null", "http://localhost.evil.example"):
        refused = server.client.post("/neighbors", json=QUESTION, headers={"origin": origin})
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers
    own = server.client.post("/neighbors", json=QUESTION, headers={"origin": server.url})
    assert own.status_code == 200
    assert "access-control-allow-origin" not in own.headers


def test_an_own_page_behind_a_proxy_may_ask(server: Server) -> None:
    origin = {"origin": "https://models.example"}
    for site, status in (("same-origin", 200), ("same-site", 403), ("cross-site", 403)):
        headers = {**origin, "sec-fetch-site": site}
        answer = server.client.post("/neighbors", json=QUESTION, headers=headers)
        assert answer.status_code == status


def test_pages_of_a_named_origin_may_ask_and_read(guarded: Guarded) -> None:
    origin = {"origin": "https://friend.example"}
    server = guarded(cors=("https://friend.example",))
    asks = {**origin, "access-control-request-method": "POST"}
    asked = server.client.options("/neighbors", headers=asks)
    assert asked.headers["access-control-allow-origin"] == "https://friend.example"
    answer = server.client.post("/neighbors", json=QUESTION, headers=origin)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://friend.example"
    evil = server.client.post(
        "/neighbors", json=QUESTION, headers={"origin": "https://evil.example"}
    )
    assert evil.status_code == 403


def test_a_refusal_can_be_read_by_pages_of_a_named_origin(guarded: Guarded) -> None:
    server = guarded(cors=("https://friend.example",), max_body="10B")
    headers = {"origin": "https://friend.example"}
    refused = server.client.post("/neighbors", json=QUESTION, headers=headers)
    assert refused.status_code == 413
    assert refused.headers["access-control-allow-origin"] == "https://friend.example"


@pytest.mark.parametrize(
    ("host", "is_it"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("example.org", False),
        ("", False),
    ],
)
def test_loopback_addresses_are_known(host: str, is_it: bool) -> None:
    assert is_loopback(host) is is_it
