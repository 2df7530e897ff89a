"""The route of searching: an index as by its verb, and texts that come with the request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.search.indexes import made
from tests.serving.conftest import Server
from tests.serving.models import TEXTS


@pytest.mark.parametrize("by", ["vectors", "words", "both"])
def test_an_index_is_searched_as_by_the_verb(
    server: Server, command: Command, tmp_path: Path, by: str
) -> None:
    made(tmp_path)
    done = command("search", tmp_path / "index", "ship judge", "-k", 3, "--by", by, "--json")
    expected = json.loads(done.out)
    body = {"query": "ship judge", "k": 3, "by": by}
    answer = server.client.post("/search", json=body).json()
    for hit in [*answer["results"], *expected["results"]]:
        for place in (hit, *hit["others"]):
            place["source"] = place["source"].rpartition("/")[2]
    assert answer == expected


@pytest.mark.parametrize("model", ["words", "sentences", "masked", None])
def test_texts_are_searched_by_any_model_that_embeds(server: Server, model: str | None) -> None:
    body = {"query": TEXTS[1], "k": 2, "texts": TEXTS, "model": model}
    answer = server.client.post("/search", json=body).json()
    best, second = answer["results"]
    assert (best["text"], best["rows"], best["source"]) == (TEXTS[1], [2, 2], "texts")
    assert best["score"] == best["cosine"] == pytest.approx(1, abs=1e-5)
    assert second["score"] < best["score"]


def test_texts_are_searched_by_their_words_without_a_model(server: Server) -> None:
    texts = ["the ship in the harbour", "the king in the castle", "轮船在港口"]
    body: dict[str, Any] = {"query": "a king", "by": "words", "texts": texts}
    [hit] = server.client.post("/search", json=body).json()["results"]
    assert (hit["text"], hit["cosine"]) == (texts[1], None)
    assert hit["bm25"] > 0


def test_both_ways_are_put_together(server: Server) -> None:
    body = {"query": TEXTS[0], "by": "both", "texts": TEXTS, "model": "words"}
    hits = server.client.post("/search", json=body).json()["results"]
    assert hits[0]["text"] == TEXTS[0]
    assert hits[0]["score"] == pytest.approx(2 / 61)


def test_nothing_is_found_in_no_texts(server: Server) -> None:
    for by in ("vectors", "words"):
        body = {"query": "ship", "by": by, "texts": []}
        answer = server.client.post("/search", json=body).json()
        assert answer["results"] == []


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"query": "a", "k": 0}, "k"),
        ({"query": "a", "by": "magic"}, "by"),
        ({"query": "a", "texts": ["b"], "model": "tagger"}, "has no 'embed'"),
        ({"query": "a", "model": "words"}, "has no 'search'"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    server: Server, body: dict[str, object], sentence: str
) -> None:
    refused = server.client.post("/search", json=body)
    assert refused.status_code == 422
    assert sentence in refused.json()["error"]
