"""OpenAI's own client against a running server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.language_model import LanguageModel
from tests.language_model.models import gpt
from tests.lazy_import import lazy_import
from tests.sequence_networks import in_use
from tests.serving.conftest import Server
from tests.serving.models import NAMES, TEXTS, word_vectors

openai = lazy_import("openai", optional=True)

PROMPT = "the king"


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Any]:
    with opened(server) as found:
        yield found


def opened(server: Server, api_key: str = "none", **settings: Any) -> Any:
    settings = {"max_retries": 0, **settings}
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key=api_key, **settings)


def asynchronously(server: Server, ask: Callable[[Any], Any]) -> Any:
    async def asked() -> Any:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none") as client:
            return await ask(client)

    return asyncio.run(asked())


def test_models(client: Any) -> None:
    assert [model.id for model in client.models.list()] == list(NAMES)
    assert client.models.retrieve("causal").owned_by == "foretext"


@pytest.mark.parametrize("name", ["words", "masked", "sentences"])
def test_embeddings_are_those_of_the_python_call(client: Any, server: Server, name: str) -> None:
    answer = client.embeddings.create(model=name, input=TEXTS)  # asks for base64 by itself
    found = [each.embedding for each in answer.data]
    expected = server.models[name].embed(TEXTS, normalize=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    answer = client.embeddings.create(model=name, input=TEXTS, encoding_format="float")
    np.testing.assert_array_equal(np.float32(found), [each.embedding for each in answer.data])
    assert answer.usage.total_tokens > 0


def test_embeddings_of_an_asynchronous_client(server: Server) -> None:
    async def ask(client: Any) -> Any:
        asked = [client.embeddings.create(model="masked", input=text) for text in TEXTS]
        return await asyncio.gather(*asked)

    found = [answer.data[0].embedding for answer in asynchronously(server, ask)]
    expected = server.models["masked"].embed(TEXTS, normalize=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_completions_are_those_of_the_python_call(client: Any, server: Server) -> None:
    model: LanguageModel = server.models["causal"]
    answer = client.completions.create(
        model="causal", prompt=PROMPT, max_tokens=12, temperature=0.7, top_p=0.9, seed=5, n=2
    )
    expected = model.generate(PROMPT, 12, 0.7, top_p=0.9, num_samples=2, seed=5)
    assert [choice.text for choice in answer.choices] == [each.text for each in expected]
    assert answer.usage.prompt_tokens == 2


def test_a_stream_is_the_text(client: Any, server: Server) -> None:
    (expected,) = server.models["causal"].generate(PROMPT, 30, 0.0)
    asked = {"model": "causal", "prompt": PROMPT, "max_tokens": 30, "temperature": 0}
    events = list(client.completions.create(**asked, stream=True))
    assert "".join(event.choices[0].text for event in events) == expected.text
    assert events[-1].choices[0].finish_reason == "length"

    async def ask(client: Any) -> Any:
        stream = await client.completions.create(**asked, stream=True)
        return "".join([event.choices[0].text async for event in stream])

    assert asynchronously(server, ask) == expected.text


@pytest.mark.parametrize("name", ["span_corruption", "text_infilling"])
def test_a_text_between_a_prompt_and_a_suffix(
    serve: Callable[..., Server], animal_text: Path, name: str
) -> None:
    model = in_use(name, animal_text)
    texts = {"prompt": "the dog", "suffix": " barks ."}
    asked: dict[str, Any] = {"model": name, **texts, "max_tokens": 9, "seed": 5}
    with opened(serve({name: model})) as client:
        answer = client.completions.create(**asked, logprobs=1)
        events = list(client.completions.create(**asked, stream=True))
        alone = client.completions.create(**{**asked, "suffix": ""})
    (expected,) = model.generate("the dog", 9, 1.0, seed=5, suffix=" barks .")
    (choice,) = answer.choices
    assert choice.text == expected.text
    assert len(choice.logprobs.token_logprobs) == len(expected.ids)
    assert "".join(event.choices[0].text for event in events) == expected.text
    rows = model.tokenizer.encode_batch([*texts.values()])
    assert answer.usage.prompt_tokens == sum(map(len, rows))
    (rewritten,) = model.generate(source="the dog", max_new_tokens=9, temperature=1.0, seed=5)
    assert alone.choices[0].text == rewritten.text


def test_a_suffix_is_refused_where_the_model_does_not_read_it(client: Any) -> None:
    for more in ({}, {"stream": True}):
        with pytest.raises(openai.BadRequestError, match="'causal' does not know what follows"):
            client.completions.create(model="causal", prompt=PROMPT, suffix=" ends", **more)


def test_log_probabilities(client: Any, server: Server) -> None:
    model: LanguageModel = server.models["causal"]
    answer = client.completions.create(
        model="causal", prompt=TEXTS[0], echo=True, logprobs=1, max_tokens=0
    )
    logprobs = answer.choices[0].logprobs
    assert "".join(logprobs.tokens) == TEXTS[0]
    (scores,) = model.token_scores([model.tokenizer.encode(TEXTS[0])])
    assert logprobs.token_logprobs == [None, *scores.log_probs]


def test_errors_are_those_that_the_client_knows(client: Any) -> None:
    for kind, ask in (
        (openai.NotFoundError, lambda: client.models.retrieve("nobody")),
        (openai.NotFoundError, lambda: client.completions.create(model="gpt-5", prompt="a")),
        (openai.NotFoundError, lambda: client.chat.completions.create(model="causal", messages=[])),
        (openai.BadRequestError, lambda: client.embeddings.create(model="masked", input=[1, 2])),
        (openai.BadRequestError, lambda: client.completions.create(model="masked", prompt="a")),
    ):
        with pytest.raises(kind) as raised:
            ask()
        assert raised.value.type == "invalid_request_error"
        assert raised.value.request_id


def test_a_key_is_asked_for(serve: Callable[..., Server], tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("a-secret-of-twenty-letters\n", encoding="utf-8")
    keys.chmod(0o600)
    server = serve({"words": word_vectors()}, api_key_file=keys)
    ask = {"model": "words", "input": "ship"}
    with opened(server, "another") as client, pytest.raises(openai.AuthenticationError):
        client.embeddings.create(**ask)
    with opened(server, "a-secret-of-twenty-letters") as client:
        assert client.embeddings.create(**ask).data


def test_a_full_server_is_asked_again_when_it_says(serve: Callable[..., Server]) -> None:
    """The first request holds the only place until the client has heard of that."""
    held, heard = threading.Event(), threading.Event()

    class Holding(LanguageModel):
        def generate(self, *args: Any, **settings: Any) -> Any:
            held.set()
            assert heard.wait(60)
            return super().generate(*args, **settings)

    model = gpt()
    causal = Holding(model.tokenizer, model.backbone, model.objective)
    server = serve({"causal": causal}, max_requests=1)
    answers: list[Any] = []

    def note(answer: Any) -> None:
        answers.append(answer)
        heard.set()

    http_client = openai.DefaultHttpxClient(event_hooks={"response": [note]})
    body = {"model": "causal", "prompt": PROMPT}
    first = threading.Thread(target=lambda: server.client.post("/v1/completions", json=body))
    first.start()
    assert held.wait(60)
    with opened(server, max_retries=2, http_client=http_client) as client:
        assert client.completions.create(**body, max_tokens=1).choices
    first.join(60)
    assert [answer.status_code for answer in answers] == [429, 200]
    assert 0 < int(answers[0].headers["retry-after-ms"]) <= 5000
    assert int(answers[0].headers["retry-after"]) >= 1
