"""What clients of text-embeddings-inference send and read, as their sources have it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.serving.conftest import Server
from tests.serving.models import TEXTS

LONG = "the king and the queen live in a castle by the sea " * 30
TAKES = ["words", "causal", "masked", "sentences"]


@pytest.fixture
def alone(serve: Callable[..., Server], models: dict[str, Any]) -> Callable[[str], Server]:
    """A server of one model, as text-embeddings-inference is."""
    return lambda name: serve({name: models[name]})


@pytest.mark.parametrize("direction", ["right", "Right", "left", "Left"])
def test_both_spellings_of_the_direction_are_one(server: Server, direction: str) -> None:
    body = {"inputs": ["a"], "truncate": True, "truncation_direction": direction}
    assert server.client.post("/embed", json=body).status_code == 200
    found = [
        server.client.post(
            "/embed",
            json={**body, "inputs": LONG, "model": "masked", "truncation_direction": each},
        ).json()
        for each in (direction, direction.lower(), "left" if "i" in direction else "right")
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("direction", ["Right", "Left"])
def test_continue_asks_for_ranks(server: Server, direction: str) -> None:
    body = {
        "query": "a ship",
        "return_text": False,
        "raw_scores": False,
        "texts": TEXTS,
        "truncation_direction": direction,
        "truncate": True,
    }
    for route in ("/rerank", "/v1/rerank"):
        answer = server.client.post(route, json={**body, "model": "matcher"})
        assert sorted(rank["index"] for rank in answer.json()) == list(range(len(TEXTS)))
    documents = {**{k: v for k, v in body.items() if k != "texts"}, "documents": TEXTS}
    assert server.client.post("/rerank", json=documents).status_code == 200


def test_another_direction_is_refused(server: Server) -> None:
    for wrong in ("RIGHT", "up", "", None, 1):
        answer = server.client.post("/embed", json={"inputs": "a", "truncation_direction": wrong})
        assert answer.status_code == 422
        assert "truncation_direction" in answer.json()["error"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("words", {"embedding": {"pooling": "mean"}}),
        ("causal", {"embedding": {"pooling": "mean"}}),
        ("sentences", {"embedding": {"pooling": "mean"}}),
        (
            "matcher",
            {"reranker": {"id2label": {"0": "0", "1": "1"}, "label2id": {"0": 0, "1": 1}}},
        ),
        (
            "linear",
            {
                "classifier": {
                    "id2label": {"0": "land", "1": "sea"},
                    "label2id": {"land": 0, "sea": 1},
                }
            },
        ),
        ("index", {"search index": {}}),
    ],
)
def test_info_has_the_types_that_clients_read(
    alone: Callable[[str], Server], name: str, kind: dict[str, Any]
) -> None:
    server = alone(name)
    for path in ("/info", f"/models/{name}/info"):
        info = server.client.get(path).json()
        assert info["model_type"] == kind
        assert info["model_id"] == name
        for number in ("max_input_length", "max_client_batch_size", "max_batch_tokens"):
            assert isinstance(info[number], int), number
            assert info[number] > 0
        assert isinstance(info["max_concurrent_requests"], int)
        assert isinstance(info["auto_truncate"], bool)
        assert isinstance(info["version"], str)


def test_info_says_how_long_a_text_may_be(server: Server, models: dict[str, Any]) -> None:
    for name, model in models.items():
        framing = getattr(model, "text_framing", None)
        expected = 1_000_000 if framing is None else framing.max_length
        info = server.client.get(f"/models/{name}/info").json()
        assert info["max_input_length"] == expected
        assert info["name"] == name


@pytest.mark.parametrize("name", TAKES)
def test_dify_embeds(alone: Callable[[str], Server], name: str) -> None:
    """It asks for facts, counts tokens, cuts, and embeds at OpenAI's route without a model."""
    client = alone(name).client
    info = client.get("/info").json()
    assert next(iter(info["model_type"].keys())) == "embedding"
    tokens = client.post("/tokenize", json={"inputs": TEXTS}).json()
    assert len(tokens) == len(TEXTS)
    assert all(len(each) < info["max_input_length"] for each in tokens)
    assert {type(token["special"]) for each in tokens for token in each} == {bool}
    found = client.post("/v1/embeddings", json={"input": TEXTS}).json()
    assert [each["index"] for each in found["data"]] == list(range(len(TEXTS)))
    assert found["usage"]["total_tokens"] > 0


def test_dify_ranks(alone: Callable[[str], Server]) -> None:
    client = alone("matcher").client
    assert next(iter(client.get("/info").json()["model_type"])) == "reranker"
    body = {"query": "a ship", "texts": TEXTS, "return_text": True}
    ranks = client.post("/rerank", json=body).json()
    assert {rank["text"] for rank in ranks} == set(TEXTS)


def test_tokens_of_word_vectors_are_the_words_that_have_one(server: Server) -> None:
    text = "The king, live xyzzy"
    [tokens] = server.client.post("/tokenize", json={"inputs": text, "model": "words"}).json()
    assert [token["text"] for token in tokens] == ["the", "king", "live"]
    words = server.models["words"]
    assert [token["id"] for token in tokens] == [words.key_to_index[t["text"]] for t in tokens]


def test_milvus_reads_the_sentence_of_a_refusal(alone: Callable[[str], Server]) -> None:
    refused = alone("linear").client.post("/v1/embeddings", json={"input": TEXTS}).json()
    assert "data" not in refused
    assert refused["message"] == refused["error"]["message"]
    assert refused["message"].startswith("No model of this server has 'embed'")


@pytest.mark.parametrize("route", ["/embeddings", "/v1/embeddings"])
def test_nulls_stand_for_defaults(server: Server, route: str) -> None:
    body = {"input": TEXTS, "model": "words", "encoding_format": None, "user": None}
    found = server.client.post(route, json={**body, "dimensions": None}).json()
    assert len(found["data"][0]["embedding"]) == 16


def test_sagemaker_asks_by_the_kind_of_the_model(server: Server) -> None:
    body = {"inputs": TEXTS, "normalize": True, "truncate": True, "truncation_direction": "Right"}
    expected = server.client.post("/embed", json=body).json()
    assert server.client.post("/invocations", json=body).json() == expected


def test_litellm_asks_for_the_best_ranks(server: Server) -> None:
    body = {
        "raw_scores": False,
        "truncation_direction": "Right",
        "query": "a ship",
        "texts": TEXTS,
        "top_n": 1,
    }
    assert len(server.client.post("/rerank", json=body).json()) == 1


def test_open_webui_asks_for_all_ranks(server: Server) -> None:
    body = {"model": "sentences", "query": "a", "documents": TEXTS, "top_n": len(TEXTS)}
    answer = server.client.post("/v1/rerank", json={**body, "return_documents": None}).json()
    assert sorted(each["index"] for each in answer["results"]) == list(range(len(TEXTS)))
    assert all("document" not in each for each in answer["results"])


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "application/x-www-form-urlencoded",  # what `curl --data` says
        "text/plain;charset=UTF-8",  # what `fetch` says of a string
        "application/octet-stream",
        "text/json",
        "application/JSON; charset=utf-8",
        "application/vnd.api+json",
    ],
)
@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("/embed", {"inputs": "a ship"}),
        ("/v1/embeddings", {"input": "a ship"}),
        ("/neighbors", {"words": ["ship"]}),
        ("/", {"inputs": "a ship"}),
    ],
)
def test_json_is_known_without_its_type(
    server: Server, kind: str | None, route: str, body: dict[str, Any]
) -> None:
    headers = {} if kind is None else {"content-type": kind}
    sent = b" \n" + json.dumps(body).encode()
    answer = server.client.post(route, content=sent, headers=headers)
    assert answer.json() == server.client.post(route, json=body).json()
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/x-www-form-urlencoded", b"inputs=a+ship"),
        ("text/plain", b"a ship"),
        (None, b"a ship"),
        ("image/png", b"\x89PNG\r\n"),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\n{}\r\n--x--"),
        ("application/xml", b"<inputs/>"),
    ],
)
@pytest.mark.parametrize("route", ["/embed", "/v1/embeddings", "/predict", "/rerank", "/"])
def test_what_is_no_json_hears_so(
    server: Server, kind: str | None, body: bytes, route: str
) -> None:
    headers = {} if kind is None else {"content-type": kind}
    answer = server.client.post(route, content=body, headers=headers)
    assert answer.status_code == 415
    said = json.dumps(answer.json())
    assert "send a JSON object with the header Content-Type: application/json" in said


def test_odd_json_without_its_type_is_odd(server: Server) -> None:
    answer = server.client.post("/embed", content=b'{"inputs": "a", "inputs": "b"}')
    assert answer.status_code == 400
    assert "same key twice" in answer.json()["error"]


def test_a_page_of_another_site_gains_nothing_by_leaving_the_type_out(server: Server) -> None:
    headers = {"origin": "https://example.org", "content-type": "text/plain"}
    answer = server.client.post("/embed", content=b'{"inputs": "a"}', headers=headers)
    assert answer.status_code == 403
