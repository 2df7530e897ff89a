"""What a browser learns of every answer."""

from __future__ import annotations

import pytest

from tests.serving.conftest import Server


@pytest.mark.parametrize("path", ["/", "/health", "/nowhere", "/metrics"])
def test_every_answer_has_the_headers(server: Server, path: str) -> None:
    headers = server.client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self';")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_refusals_have_them_too(server: Server) -> None:
    refused = server.client.get("/health", headers={"host": "evil.example"})
    assert refused.headers["x-frame-options"] == "DENY"
