from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.language_model.models import bert, gpt, lstm
from tests.serving.conftest import Server

TEXT = "the king sees é island"


@pytest.fixture
def scorer(serve: Callable[..., Server]) -> Server:
    """A server with one model that scores texts, and one that does not."""
    return serve({"masked": bert(), "causal": gpt()})


def test_the_tokenizer_is_that_of_the_model_that_scores_texts(scorer: Server) -> None:
    tokenizer = scorer.models["causal"].tokenizer
    info = scorer.client.get("/tokenizer_info").json()
    assert info["eos_token"] == info["bos_token"] == "<|endoftext|>"
    ids = tokenizer.encode(TEXT)
    found = scorer.client.post("/tokenize", json={"prompt": TEXT, "add_special_tokens": False})
    assert found.json() == {"count": len(ids), "tokens": ids}
    found = scorer.client.post("/tokenize", json={"prompt": info["eos_token"]})
    assert found.json()["tokens"] == [tokenizer.special.end]
    assert scorer.client.post("/detokenize", json={"tokens": ids}).json() == {"prompt": TEXT}


def test_an_end_is_part_of_a_text(scorer: Server) -> None:
    end = scorer.models["causal"].tokenizer.special.end
    found = scorer.client.post("/detokenize", json={"tokens": [end]})
    assert found.json() == {"prompt": "<|endoftext|>"}


def test_of_several_models_one_has_to_be_named(serve: Callable[..., Server]) -> None:
    server = serve({"causal": gpt(), "words": lstm()})
    for refused in (
        server.client.get("/tokenizer_info"),
        server.client.post("/tokenize", json={"prompt": TEXT}),
        server.client.post("/detokenize", json={"tokens": [3]}),
    ):
        assert refused.status_code == 422
        assert "(causal, words)" in refused.json()["error"]
    found = server.client.post("/tokenize", json={"prompt": "the king", "model": "words"})
    assert found.json()["tokens"] == server.models["words"].tokenizer.encode("the king")


def test_without_a_model_that_scores_texts_there_is_none(serve: Callable[..., Server]) -> None:
    server = serve({"masked": bert()})
    assert server.client.get("/tokenizer_info").status_code == 422


def test_a_text_of_neither_kind_is_refused(scorer: Server) -> None:
    refused = scorer.client.post("/tokenize", json={})
    assert refused.status_code == 400
    assert "inputs is empty" in refused.json()["error"]
