"""Texts in the order of their relevance, in the forms of both families of clients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.serving.conftest import Server
from tests.serving.models import TEXTS

QUERY = "a ship on the sea"
LONG = "the king and the queen live in a castle by the sea " * 30


def asked(server: Server, route: str = "/rerank", **body: Any) -> Any:
    answer = server.client.post(route, json={"query": QUERY, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def scores(server: Server, name: str) -> np.ndarray:
    model = server.models[name]
    if name == "matcher":
        return np.array(model.relevance([(QUERY, text) for text in TEXTS]))
    vectors = model.embed([QUERY, *TEXTS], normalize=True)
    return vectors[1:] @ vectors[0]


@pytest.mark.parametrize("name", ["words", "sentences", "masked", "matcher"])
def test_both_forms_have_the_scores_of_python(server: Server, name: str) -> None:
    expected = scores(server, name)
    ranks = asked(server, texts=TEXTS, model=name)
    assert [rank["score"] for rank in ranks] == sorted((r["score"] for r in ranks), reverse=True)
    for rank in ranks:
        assert set(rank) == {"index", "score"}
        assert rank["score"] == pytest.approx(expected[rank["index"]], abs=2e-2)
    results = asked(server, documents=TEXTS, model=name)
    assert results["model"] == name
    assert [(each["index"], each["relevance_score"]) for each in results["results"]] == [
        (rank["index"], rank["score"]) for rank in ranks
    ]


@pytest.mark.parametrize("route", ["/rerank", "/v1/rerank", "/v2/rerank"])
def test_texts_and_numbers_of_results_where_they_are_wanted(server: Server, route: str) -> None:
    for rank in asked(server, route, texts=TEXTS, return_text=True):
        assert rank["text"] == TEXTS[rank["index"]]
    documents = [{"text": TEXTS[0], "id": 7}, *TEXTS[1:]]
    found = asked(server, route, documents=documents, top_n=2, return_documents=True)
    assert len(found["results"]) == 2
    for each in found["results"]:
        assert each["document"] == {"text": TEXTS[each["index"]]}
    assert found["usage"]["total_tokens"] > 0
    assert len(asked(server, route, documents=TEXTS, top_n=99)["results"]) == len(TEXTS)


def test_equal_scores_keep_their_order(server: Server) -> None:
    ranks = asked(server, texts=["xyzzy", TEXTS[1], "xyzzy"])
    assert [rank["index"] for rank in ranks] == [1, 0, 2]


def test_raw_scores_of_a_matcher_are_log_odds(server: Server) -> None:
    shares = {r["index"]: r["score"] for r in asked(server, texts=TEXTS, model="matcher")}
    for rank in asked(server, texts=TEXTS, model="matcher", raw_scores=True):
        share = shares[rank["index"]]
        assert rank["score"] == pytest.approx(np.log(share / (1 - share)))


def test_vectors_read_query_and_text_apart(server: Server) -> None:
    body = {"texts": [LONG, TEXTS[0]], "truncate": False}
    answer = server.client.post("/rerank", json={"query": QUERY, **body, "model": "sentences"})
    assert answer.status_code == 422
    assert "inputs.1 has" in answer.json()["error"]  # the query is the first
    body |= {"truncate": None, "query": QUERY, "model": "matcher"}
    answer = server.client.post("/rerank", json=body)
    assert answer.headers["x-warning"].startswith("1 of 2 inputs is longer")


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"query": "a", "texts": []}, 400, "empty"),
        ({"query": "a", "documents": [], "model": "matcher"}, 400, "empty"),
        ({"query": "a"}, 422, "texts"),
        ({"texts": ["a"]}, 422, "query"),
        ({"query": "a", "documents": ["a"], "top_n": 0}, 422, "top_n"),
        ({"query": "a", "documents": [{"id": 3}]}, 422, "documents"),
        ({"query": "a", "texts": ["a"], "model": "tagger"}, 422, "has no 'rerank'"),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    server: Server, body: dict[str, Any], status: int, said: str
) -> None:
    answer = server.client.post("/rerank", json=body)
    assert answer.status_code == status
    assert said in answer.json()["error"]
