"""The application as a whole: what it answers, and how it refuses."""

from __future__ import annotations

import pytest

from tests.serving.conftest import Server


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
