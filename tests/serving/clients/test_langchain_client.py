"""LangChain's classes for OpenAI against a running server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from foretext.language_model import LanguageModel
from tests.lazy_import import lazy_import
from tests.serving.conftest import Server
from tests.serving.models import TEXTS

langchain_openai = lazy_import("langchain_openai", optional=True)
openai = lazy_import("openai", optional=True)
tiktoken = lazy_import("tiktoken", optional=True)

PROMPT = "the king"


@pytest.fixture
def http_clients() -> Iterator[dict[str, Any]]:
    """Connections that are closed, which LangChain leaves to the garbage collector."""
    with openai.DefaultHttpxClient() as client:
        yield {"http_client": client}


def embeddings(server: Server, **settings: Any) -> Any:
    return langchain_openai.OpenAIEmbeddings(
        base_url=f"{server.url}/v1", api_key="none", model="masked", max_retries=0, **settings
    )


def writer(server: Server, **settings: Any) -> Any:
    return langchain_openai.OpenAI(
        base_url=f"{server.url}/v1", api_key="none", model="causal", max_tokens=12, **settings
    )


async def asynchronously(ask: Callable[[dict[str, Any]], Awaitable[Any]]) -> Any:
    async with openai.DefaultAsyncHttpxClient() as client:
        return await ask({"http_async_client": client})


@pytest.fixture
def expected(server: Server) -> np.ndarray:
    found: np.ndarray = server.models["masked"].embed(TEXTS, normalize=True)
    return found


def test_texts_are_embedded_as_by_the_python_call(
    server: Server, expected: np.ndarray, http_clients: dict[str, Any]
) -> None:
    client = embeddings(server, check_embedding_ctx_length=False, **http_clients)
    np.testing.assert_allclose(client.embed_documents(TEXTS), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(client.embed_query(TEXTS[0]), expected[0], rtol=1e-5, atol=1e-6)


def test_texts_are_embedded_by_an_asynchronous_client(
    server: Server, expected: np.ndarray, http_clients: dict[str, Any]
) -> None:
    async def ask(http_async_client: dict[str, Any]) -> Any:
        client = embeddings(
            server, check_embedding_ctx_length=False, **http_clients, **http_async_client
        )
        return await client.aembed_documents(TEXTS, chunk_size=3)

    found = asyncio.run(asynchronously(ask))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_ids_of_its_own_tokenizer_are_refused(
    server: Server, http_clients: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    tiny = tiktoken.Encoding("tiny", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    monkeypatch.setattr("tiktoken.encoding_for_model", lambda name: tiny)
    with pytest.raises(openai.BadRequestError, match="check_embedding_ctx_length=False"):
        embeddings(server, **http_clients).embed_documents(TEXTS)


def test_ids_of_the_model_are_taken_where_the_client_says_so(
    server: Server,
    expected: np.ndarray,
    http_clients: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = SimpleNamespace(encode_ordinary=server.models["masked"].tokenizer.encode)
    monkeypatch.setattr("tiktoken.encoding_for_model", lambda name: own)
    client = embeddings(server, default_headers={"x-token-ids-of": "masked"}, **http_clients)
    np.testing.assert_allclose(client.embed_documents(TEXTS), expected, rtol=1e-5, atol=1e-6)


def test_a_text_is_continued_as_by_the_python_call(
    server: Server, http_clients: dict[str, Any]
) -> None:
    model: LanguageModel = server.models["causal"]
    (expected,) = model.generate(PROMPT, 12, 0.7, seed=5)
    assert writer(server, seed=5, **http_clients).invoke(PROMPT) == expected.text
    pieces = list(writer(server, seed=5, **http_clients).stream(PROMPT))
    assert "".join(pieces) == expected.text

    async def ask(http_async_client: dict[str, Any]) -> str:
        client = writer(server, seed=5, **http_clients, **http_async_client)
        return "".join([piece async for piece in client.astream(PROMPT)])

    assert asyncio.run(asynchronously(ask)) == expected.text


def test_several_prompts_and_texts(server: Server, http_clients: dict[str, Any]) -> None:
    model: LanguageModel = server.models["causal"]
    prompts = [PROMPT, "a ship"]
    result = writer(server, seed=5, n=2, best_of=2, **http_clients).generate(
        prompts, stop=["castle"]
    )
    for prompt, found in zip(prompts, result.generations, strict=True):
        expected = model.generate(prompt, 12, 0.7, num_samples=2, seed=5, stop="castle")
        assert [each.text for each in found] == [each.text for each in expected]
    assert result.llm_output["token_usage"]["prompt_tokens"] == 4


def test_a_text_may_have_log_probabilities(server: Server, http_clients: dict[str, Any]) -> None:
    result = writer(server, seed=5, logprobs=2, **http_clients).generate([PROMPT])
    (found,) = result.generations[0]
    assert len(found.generation_info["logprobs"]["token_logprobs"]) == 12
