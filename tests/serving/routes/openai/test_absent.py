from __future__ import annotations

import pytest

from tests.serving.conftest import Server


@pytest.mark.parametrize("route", ["chat/completions", "responses"])
def test_a_conversation_is_refused_with_the_route_that_there_is(server: Server, route: str) -> None:
    answer = server.client.post(f"/v1/{route}", json={"model": "causal", "messages": []})
    assert answer.status_code == 404
    assert "/v1/completions" in answer.json()["error"]["message"]
