"""huggingface_hub's `InferenceClient` talks to the server unchanged, at once and asynchronously."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.serving.conftest import Server
from tests.serving.models import TEXTS

hub = pytest.importorskip("huggingface_hub")


CLOSE = {"rtol": 2e-2, "atol": 2e-2}  # of numbers in bfloat16, whose batches differ
LONG = "the king and the queen live in a castle by the sea " * 30
QUESTION, PASSAGE = "who is in the castle?", "the king is in the castle"
Call = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def call(server: Server, request: pytest.FixtureRequest) -> Call:
    """``call(model, task, ...)``: the answer of a client of that model."""

    def of_async(url: str, task: str, *arguments: Any, **options: Any) -> Any:
        async def ask() -> Any:
            async with hub.AsyncInferenceClient(url, provider="hf-inference", timeout=60) as client:
                found = await getattr(client, task)(*arguments, **options)
                return [each async for each in found] if inspect.isasyncgen(found) else found

        return asyncio.run(ask())

    def of_sync(url: str, task: str, *arguments: Any, **options: Any) -> Any:
        with hub.InferenceClient(url, provider="hf-inference", timeout=60) as client:
            found = getattr(client, task)(*arguments, **options)
            return list(found) if inspect.isgenerator(found) else found

    ask = of_async if request.param == "async" else of_sync
    return lambda model, *arguments, **options: ask(
        f"{server.url}/models/{model}" if model else server.url, *arguments, **options
    )


def refused(call: Call, *arguments: Any, status: int = 422, **options: Any) -> str:
    with pytest.raises(hub.errors.HfHubHTTPError) as error:
        call(*arguments, **options)
    assert error.value.response.status_code == status
    said: str = error.value.response.json()["error"]
    return said


@pytest.mark.parametrize("model", ["words", "causal", "masked", "sentences"])
def test_features(call: Call, server: Server, model: str) -> None:
    found = call(model, "feature_extraction", list(TEXTS))
    assert found.dtype == np.float32
    expected = server.models[model].embed(TEXTS, normalize=True)
    np.testing.assert_allclose(found, expected, **CLOSE)
    one = call(model, "feature_extraction", TEXTS[0], normalize=False, truncate=True)
    np.testing.assert_array_equal(one, server.models[model].embed(TEXTS[:1], normalize=False))


def test_features_as_a_client_wants_them(call: Call) -> None:
    assert call("", "feature_extraction", "the king", dimensions=4).shape == (1, 4)
    options: dict[str, Any] = {"truncate": True, "truncation_direction": "left"}
    cut = call("masked", "feature_extraction", LONG, **options)
    assert (cut != call("masked", "feature_extraction", LONG)).any()
    said = refused(call, "", "feature_extraction", "a", encoding_format="base64")
    assert "ask /v1/embeddings" in said
    assert "no such prompt" in refused(call, "", "feature_extraction", "a", prompt_name="query")


def test_sentence_similarity(call: Call, server: Server) -> None:
    found = call("sentences", "sentence_similarity", TEXTS[0], list(TEXTS))
    expected = server.models["sentences"].similarity(TEXTS[:1], TEXTS)[0]
    np.testing.assert_allclose(found, expected, **CLOSE)


@pytest.mark.parametrize("model", ["classifier", "linear"])
def test_text_classification(call: Call, server: Server, model: str) -> None:
    [expected] = server.models[model].predict_top(TEXTS[:1], None)
    found = call(model, "text_classification", TEXTS[0])
    assert [(each.label, each.score) for each in found] == expected
    [best] = call(model, "text_classification", TEXTS[0], top_k=1)
    assert (best.label, best.score) == expected[0]
    raw = call(model, "text_classification", TEXTS[0], function_to_apply="none")
    assert [each.label for each in raw] == [label for label, _ in expected]
    assert raw[0].score - raw[1].score == pytest.approx(np.log(expected[0][1] / expected[1][1]))
    said = refused(call, model, "text_classification", "a", function_to_apply="sigmoid")
    assert said == "parameters.function_to_apply: Input should be 'none'."


def test_classification_of_pairs_and_of_lists(server: Server) -> None:
    body = {"inputs": list(TEXTS[:2]), "parameters": {}}
    [pair] = server.client.post("/models/matcher", json=body).json()
    [expected] = server.models["matcher"].predict_top([(TEXTS[0], TEXTS[1])], None)
    assert [(each["label"], each["score"]) for each in pair] == expected
    texts = server.client.post("/models/linear", json=body).json()
    assert [[each["label"] for each in answer] for answer in texts] == [
        [label for label, _ in answer]
        for answer in server.models["linear"].predict_top(TEXTS[:2], None)
    ]


def test_token_classification(call: Call, server: Server) -> None:
    [expected] = server.models["tagger"].spans([PASSAGE])
    found = call("tagger", "token_classification", PASSAGE, aggregation_strategy="simple")
    for entity, span in zip(found, expected, strict=True):
        assert (entity.entity_group, entity.word) == (span.label, span.text)
        assert (entity.start, entity.end) == (span.start, span.end)
        assert entity.score == pytest.approx(span.probability, abs=1e-2)
    labels = {span.label for span in expected}
    assert call("tagger", "token_classification", PASSAGE, ignore_labels=list(labels)) == []
    said = refused(call, "tagger", "token_classification", PASSAGE, aggregation_strategy="none")
    assert "aggregation_strategy" in said
    said = refused(call, "tagger", "token_classification", PASSAGE, stride=3)
    assert said.startswith("parameters.stride has no effect on this model; leave it out")


def test_fill_mask(call: Call, server: Server) -> None:
    text = "the [MASK] of the ship"
    model = server.models["masked"]
    [expected] = model.fill(text, 3)
    found = call("masked", "fill_mask", text, top_k=3)
    for element, filling in zip(found, expected, strict=True):
        assert element.sequence == filling.text
        assert element.score == pytest.approx(filling.probability, rel=1e-4)
        assert model.tokenizer.tokens[element.token] == filling.token
    assert len(call("masked", "fill_mask", text)) == 5
    found = call("masked", "fill_mask", text, targets=["king", "sea"])
    assert {element.token_str for element in found} == {"king", "sea"}
    assert "'xyzzy' is no token" in refused(call, "masked", "fill_mask", text, targets=["xyzzy"])
    assert "The text has no [MASK]" in refused(call, "masked", "fill_mask", "the king")


def test_several_masks_have_a_list_each(server: Server) -> None:
    body = {"inputs": "the [MASK] of the [MASK]", "parameters": {"top_k": 2}}
    found = server.client.post("/models/masked", json=body).json()
    assert [len(mask) for mask in found] == [2, 2]


@pytest.mark.parametrize("model", ["reader", ""])
def test_question_answering(call: Call, server: Server, model: str) -> None:
    [expected] = server.models["reader"].answers([(QUESTION, PASSAGE)])
    found = call(model, "question_answering", QUESTION, PASSAGE)
    assert (found.answer, found.start, found.end) == expected[:3]
    assert found.score == pytest.approx(expected.probability, abs=1e-5)
    several = call(model, "question_answering", QUESTION, PASSAGE, top_k=2)
    assert [each.answer for each in several][:1] == [found.answer]
    said = refused(call, model, "question_answering", QUESTION, PASSAGE, doc_stride=8)
    assert "doc_stride has no effect" in said


def test_text_generation(call: Call, server: Server) -> None:
    model = server.models["causal"]
    prompt = "the captain of"
    [greedy] = model.generate(prompt, 8, temperature=0)
    assert call("causal", "text_generation", prompt, max_new_tokens=8) == greedy.text
    options: dict[str, Any] = {"max_new_tokens": 8, "temperature": 0.9, "top_k": 20, "seed": 3}
    [drawn] = model.generate(prompt, **options)
    found = call("causal", "text_generation", prompt, **options, details=True)
    assert found.generated_text == drawn.text
    assert [token.id for token in found.details.tokens] == drawn.ids
    assert (found.details.seed, found.details.generated_tokens) == (3, len(drawn.ids))
    assert found.details.finish_reason == "length"
    whole = call("causal", "text_generation", prompt, **options, return_full_text=True)
    assert whole == prompt + drawn.text


def test_a_stop_ends_a_text(call: Call, server: Server) -> None:
    [whole] = server.models["causal"].generate("the", 24, temperature=0)
    stop = whole.text[4:6]
    [expected] = server.models["causal"].generate("the", 24, temperature=0, stop=stop)
    found = call("causal", "text_generation", "the", max_new_tokens=24, stop=[stop], details=True)
    assert found.generated_text == expected.text
    assert found.details.finish_reason == "stop_sequence"


def test_a_text_comes_token_by_token(call: Call, server: Server) -> None:
    [greedy] = server.models["causal"].generate("the ship", 8, temperature=0)
    options: dict[str, Any] = {"max_new_tokens": 8, "stream": True}
    events = call("causal", "text_generation", "the ship", **options, details=True)
    assert [event.token.id for event in events] == greedy.ids
    assert [event.generated_text for event in events] == [None] * 7 + [greedy.text]
    assert all(event.token.logprob < 0 for event in events)
    assert (events[-1].details.finish_reason, events[-1].details.generated_tokens) == ("length", 8)
    pieces = call("causal", "text_generation", "the ship", **options)
    assert greedy.text.startswith("".join(pieces))


def test_a_stream_that_cannot_begin_has_the_status_of_its_error(server: Server) -> None:
    body = {"inputs": "the", "stream": True, "parameters": {"stop": [""]}}
    answer = server.client.post("/models/causal", json=body)
    assert answer.status_code == 422
    assert "stop = ''" in answer.json()["error"]


def test_draws_without_a_seed_differ(server: Server) -> None:
    parameters = {"do_sample": True, "details": True, "max_new_tokens": 2}
    body = {"inputs": "the", "parameters": parameters}
    answers = [server.client.post("/models/causal", json=body).json()[0] for _ in range(3)]
    assert len({answer["details"]["seed"] for answer in answers}) == 3


@pytest.mark.parametrize(
    "parameters",
    [{"seed": 2**63 - 1, "do_sample": True}, {"temperature": 0.01}, {"temperature": 100.0}],
)
def test_the_ends_of_what_generation_takes(server: Server, parameters: dict[str, Any]) -> None:
    body = {"inputs": "the", "parameters": {**parameters, "max_new_tokens": 3}}
    assert server.client.post("/models/causal", json=body).status_code == 200
    for name, wrong in (("temperature", 1e-300), ("seed", 2**63), ("stop", [""])):
        answer = server.client.post(
            "/models/causal", json={"inputs": "the", "parameters": {name: wrong}}
        )
        assert (answer.status_code, name in answer.json()["error"]) == (422, True)


def test_errors_of_generation(call: Call, server: Server) -> None:
    body = {"inputs": "the", "parameters": {"repetition_penalty": 2}}
    answer = server.client.post("/models/causal", json=body)
    assert answer.status_code == 422
    assert "repetition_penalty has no effect" in answer.json()["error"]
    body = {"inputs": ["the", "a"], "parameters": {}}
    assert "a prompt is one text" in server.client.post("/models/causal", json=body).text


@pytest.mark.parametrize(
    ("task", "field"), [("translation", "translation_text"), ("summarization", "summary_text")]
)
def test_text_to_text(call: Call, server: Server, task: str, field: str) -> None:
    [expected] = server.models["writer"].predict(TEXTS[:1])
    assert call("writer", task, TEXTS[0])[field] == expected
    parameters = {"num_beams": 3, "max_new_tokens": 4}
    [expected] = server.models["writer"].predict(TEXTS[:1], **parameters)
    found = call("writer", task, TEXTS[0], generate_parameters=parameters)
    assert found[field] == expected
    said = refused(call, "writer", task, LONG, truncation="do_not_truncate")
    assert "the model reads" in said
    parameters = {"temperature": 0.5}
    said = refused(call, "writer", task, "a", generate_parameters=parameters)
    assert said.startswith("parameters.generate_parameters.temperature has no effect")


def test_zero_shot_is_refused(call: Call) -> None:
    said = refused(call, "classifier", "zero_shot_classification", "a text", ["sea", "land"])
    assert said.startswith("Zero-shot classification needs a model of entailment")


def test_what_a_client_asks_of_the_server_itself(server: Server) -> None:
    for url in (server.url, f"{server.url}/models/causal"):
        client = hub.InferenceClient(url, provider="hf-inference")
        assert client.health_check()
        assert client.get_endpoint_info()
    unknown = hub.InferenceClient(f"{server.url}/models/nobody", provider="hf-inference")
    assert not unknown.health_check()


def test_the_first_model_answers_where_none_is_named(call: Call, server: Server) -> None:
    np.testing.assert_array_equal(
        call("", "feature_extraction", "the king"),
        call("words", "feature_extraction", "the king"),
    )
    body = {"inputs": "the king", "model": "linear", "parameters": {}}
    assert "label" in server.client.post("/", json=body).json()[0][0]


def test_a_body_of_rerank_is_ranked(server: Server) -> None:
    body = {"query": "the king", "texts": list(TEXTS), "model": "matcher"}
    found = server.client.post("/", json=body).json()
    assert found == server.client.post("/rerank", json=body).json()


@pytest.mark.parametrize(
    ("route", "body", "status", "said"),
    [
        ("/", {}, 422, "inputs: Field required"),
        ("/", {"inputs": []}, 400, "empty"),
        ("/", {"inputs": {"question": "a"}}, 422, "'question' and 'context'"),
        ("/", {"inputs": {"source_sentence": "a"}}, 422, "inputs.sentences: Field required"),
        ("/", {"inputs": "a", "parameters": 3}, 422, "parameters"),
        ("/models/tagger", {"inputs": [3]}, 422, "inputs is neither a text nor a list of texts"),
        ("/models/tagger", {"inputs": []}, 400, "empty"),
        ("/models/nobody", {"inputs": "a"}, 404, "There is no model 'nobody'"),
        ("/models/index", {"inputs": "a"}, 422, "has no task that POST / answers"),
    ],
)
def test_other_bodies_are_refused(
    server: Server, route: str, body: Any, status: int, said: str
) -> None:
    answer = server.client.post(route, json=body)
    assert answer.status_code == status
    assert said in answer.json()["error"]


@pytest.mark.quick_cases(16)
@pytest.mark.parametrize("text", ["", "  ", "\x00\x1b[2J", "x" * 100_000])
@pytest.mark.parametrize(
    "model", ["words", "causal", "masked", "classifier", "linear", "tagger", "writer", "sentences"]
)
def test_odd_texts_are_answered_or_refused_with_a_sentence(
    server: Server, model: str, text: str
) -> None:
    for parameters in ({}, {"parameters": {}}):
        answer = server.client.post(f"/models/{model}", json={"inputs": text, **parameters})
        assert answer.status_code in (200, 422), answer.text
        assert answer.status_code == 200 or answer.json()["error"].endswith((".", ").", "word."))
