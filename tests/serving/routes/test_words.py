"""Routes of words: equal to the verbs' own JSON, and refused where a verb refuses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.serving.conftest import Server
from tests.serving.routes.conftest import Verb

MASKED = ["the ship in the [MASK]", "the [MASK] of the [MASK]"]


def test_neighbors_are_those_of_the_verb(server: Server, verb: Verb) -> None:
    answer = server.client.post("/neighbors", json={"words": ["ship", "king"], "k": 3}).json()
    expected = verb("neighbors", "words", "ship", "king", "--top", 3)
    assert list(answer) == list(expected)
    for word, near in expected.items():
        assert list(answer[word]) == list(near)
        assert answer[word] == pytest.approx(near, abs=1e-6)


def test_an_analogy_is_that_of_the_verb(server: Server, verb: Verb) -> None:
    answer = server.client.post("/analogy", json={"a": "ship", "b": "king", "c": "queen"}).json()
    expected = verb("analogy", "words", "ship", "king", "queen")
    assert list(answer) == list(expected)
    assert answer == pytest.approx(expected, abs=1e-6)


def test_a_map_has_the_words_and_their_neighbours(server: Server) -> None:
    body = {"words": ["ship", "king"], "neighbors": 2}
    points = server.client.post("/map", json=body).json()["points"]
    assert [point["word"] for point in points if point["given"]] == ["ship", "king"]
    near = server.models["words"].neighbors(["ship", "king"], 2)
    assert {point["word"] for point in points if not point["given"]} == {
        word for found in near for word, _ in found
    } - {"ship", "king"}
    assert server.client.post("/map", json=body).json()["points"] == points


def test_a_map_has_an_end(server: Server) -> None:
    refused = server.client.post("/map", json={"words": ["ship"] * 20, "neighbors": 100})
    assert refused.status_code == 422
    assert "2,020 points" in refused.json()["error"]


def test_masks_are_filled_as_by_the_verb(server: Server, verb: Verb) -> None:
    expected = [verb("fill", "masked", text, "--top", 2) for text in MASKED]
    answer = server.client.post("/fill", json={"inputs": MASKED, "k": 2})
    assert answer.json() == expected
    assert server.client.post("/fill", json={"inputs": MASKED[0], "k": 2}).json() == expected[0]


@pytest.mark.parametrize("layer", [None, 1])
def test_attention_is_that_of_the_python_call(server: Server, layer: int | None) -> None:
    body = {"inputs": "the ship in the harbour", "layer": layer, "model": "masked"}
    answer = server.client.post("/attention", json=body).json()
    tokens, weights = server.models["masked"].attention_maps(body["inputs"])
    assert answer["tokens"] == tokens
    expected = weights if layer is None else weights[:1]
    np.testing.assert_allclose(answer["layers"], expected, atol=1e-4)


def test_a_pair_is_looked_at_in_one_row(server: Server) -> None:
    body = {"inputs": "the ship", "second": "the king", "model": "masked"}
    tokens = server.client.post("/attention", json=body).json()["tokens"]
    assert tokens == server.models["masked"].attention_maps("the ship", "the king").tokens


def test_attention_is_sent_where_it_fits(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from foretext.serving.abilities import attention

    monkeypatch.setattr(attention, "MOST_NUMBERS", 50)
    refused = server.client.post("/attention", json={"inputs": "the ship in the harbour"})
    assert refused.status_code == 422
    assert "ask for one layer" in refused.json()["error"]


@pytest.mark.parametrize(
    ("route", "body", "sentence"),
    [
        ("/neighbors", {"words": ["xyzzy"]}, "'xyzzy' is not in the vocabulary"),
        ("/neighbors", {"words": []}, "words"),
        ("/neighbors", {"words": ["ship"], "topn": 3}, "topn"),
        ("/neighbors", {"words": ["ship"], "k": "3"}, "k"),
        ("/fill", {"inputs": "no mask"}, "The text has no [MASK]"),
        ("/attention", {"inputs": ""}, "The text is empty"),
        ("/attention", {"inputs": "the", "layer": 99}, "layer = 99: the model has"),
        ("/attention", {"inputs": "the", "model": "words"}, "has no 'attention'"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    server: Server, route: str, body: dict[str, object], sentence: str
) -> None:
    refused = server.client.post(route, json=body)
    assert refused.status_code == 422
    assert sentence in refused.json()["error"]


def test_one_wrong_word_does_not_fail_other_requests(server: Server) -> None:
    for _ in range(3):
        assert server.client.post("/neighbors", json={"words": ["xyzzy"]}).status_code == 422
        assert server.client.post("/neighbors", json={"words": ["ship"]}).status_code == 200
