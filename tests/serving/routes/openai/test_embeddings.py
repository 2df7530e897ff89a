from __future__ import annotations

import base64
from typing import Any

import httpx
import numpy as np
import pytest

from tests.serving.conftest import Server
from tests.serving.models import TEXTS


def post(server: Server, **body: Any) -> httpx.Response:
    return server.client.post("/v1/embeddings", json={"model": "masked", **body})


def vectors(answer: httpx.Response) -> np.ndarray:
    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    assert [each["index"] for each in data] == list(range(len(data)))
    return np.array([each["embedding"] for each in data], np.float32)


@pytest.mark.parametrize("name", ["masked", "causal", "words", "sentences"])
def test_vectors_are_those_of_the_python_call(server: Server, name: str) -> None:
    found = vectors(post(server, model=name, input=TEXTS))
    expected = server.models[name].embed(TEXTS, normalize=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_one_text_is_answered_with_its_model_and_its_tokens(server: Server) -> None:
    answer = post(server, model=None, input=TEXTS[0]).json()
    assert answer["object"] == "list"
    assert answer["model"] == "words"  # the first that can do it
    answer = post(server, input=TEXTS[0]).json()
    tokens = len(server.models["masked"].tokenizer.encode(TEXTS[0])) + 2  # [CLS] and [SEP]
    assert answer["usage"] == {"prompt_tokens": tokens, "total_tokens": tokens}


def test_base64_is_float32(server: Server) -> None:
    expected = vectors(post(server, input=TEXTS))
    data = post(server, input=TEXTS, encoding_format="base64").json()["data"]
    decoded = [np.frombuffer(base64.b64decode(each["embedding"]), "<f4") for each in data]
    np.testing.assert_array_equal(np.stack(decoded), expected)


def test_vectors_may_be_shortened_or_keep_their_length(server: Server) -> None:
    model = server.models["masked"]
    found = vectors(post(server, input=TEXTS, dimensions=4))
    np.testing.assert_allclose(found, model.embed(TEXTS, dim=4), rtol=1e-5, atol=1e-6)
    found = vectors(post(server, input=TEXTS, normalize=False))
    np.testing.assert_allclose(found, model.embed(TEXTS, normalize=False), rtol=1e-5, atol=1e-6)


def test_an_empty_text_has_no_direction(server: Server) -> None:
    assert not vectors(post(server, input="")).any()


def test_as_many_texts_as_the_client_may_send(server: Server) -> None:
    texts = [TEXTS[number % 4] for number in range(2048)]
    found = vectors(post(server, model="words", input=texts))
    assert len(found) == 2048
    np.testing.assert_array_equal(found[::4], np.repeat(found[:1], 512, axis=0))


@pytest.mark.parametrize("ids", [[5, 6, 7], [[5, 6], [7]], list(range(3000))])
def test_ids_of_a_tokenizer_that_nobody_names_are_refused(server: Server, ids: list[Any]) -> None:
    answer = post(server, input=ids)
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert "check_embedding_ctx_length=False" in message
    assert '"token_ids_of": "masked"' in message


def test_ids_of_another_model_are_refused(server: Server) -> None:
    answer = post(server, input=[5, 6], token_ids_of="causal")
    assert answer.status_code == 400
    assert "tokenizer of 'causal', and the model is 'masked'" in answer.json()["error"]["message"]


def test_ids_of_the_model_have_the_vectors_of_their_texts(server: Server) -> None:
    rows = server.models["masked"].tokenizer.encode_batch(TEXTS)
    expected = vectors(post(server, input=TEXTS))
    found = vectors(post(server, input=rows, token_ids_of="masked"))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    body = {"model": "masked", "input": rows[0]}
    answer = server.client.post("/v1/embeddings", json=body, headers={"x-token-ids-of": "masked"})
    np.testing.assert_allclose(vectors(answer), expected[:1], rtol=1e-5, atol=1e-6)
    refused = post(server, input=[5, 99_999], token_ids_of="masked")
    assert refused.status_code == 400


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"input": []}, "input is an empty list"),
        ({"input": 3}, "it should be a text, a list of texts, a list of ids, or a list of such"),
        ({"input": ["a", 3]}, "it should be a text"),
        ({"input": "a", "encoding_format": "int8"}, "encoding_format"),
        ({"input": "a", "dimensions": 0}, "dimensions"),
        ({"input": "a", "dimensions": 17}, "the vectors have 16 numbers"),
        ({"input": "a", "dimension": 3}, "dimension: Extra inputs are not permitted"),
        ({"input": "a", "model": "generator"}, "There is no model 'generator'; there are: words"),
        ({"input": "a", "model": "tagger"}, "has no 'embed'"),
    ],
)
def test_what_is_wrong_is_said_as_openai_says_it(
    server: Server, wrong: dict[str, Any], sentence: str
) -> None:
    answer = post(server, **wrong)
    assert answer.status_code == (404 if "no model" in sentence else 400)
    error = answer.json()["error"]
    assert sentence in error["message"]
    assert error["type"] == "invalid_request_error"
    assert set(error) == {"message", "type", "param", "code"}
    assert answer.headers["x-should-retry"] == "false"
