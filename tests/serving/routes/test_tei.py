"""The routes of text-embeddings-inference: its forms, and the numbers of the Python calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.language_model import LanguageModel
from foretext.serving.batch import Computed
from tests.language_model.models import bert
from tests.serving.conftest import Server, running
from tests.serving.models import TEXTS

LONG = "the king and the queen live in a castle by the sea " * 30
CLOSE = {"rtol": 2e-2, "atol": 2e-2}  # of numbers in bfloat16, whose batches differ


def asked(server: Server, route: str, **body: Any) -> Any:
    answer = server.client.post(route, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(server: Server, route: str, status: int = 422, **body: Any) -> str:
    answer = server.client.post(route, json=body)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error", "error_type"}
    error: str = answer.json()["error"]
    return error


@pytest.mark.parametrize("name", ["words", "causal", "masked", "sentences"])
def test_vectors_are_those_of_python(server: Server, name: str) -> None:
    expected = server.models[name].embed(TEXTS, normalize=True)
    found = asked(server, "/embed", inputs=TEXTS, model=name)
    np.testing.assert_allclose(found, expected, **CLOSE)
    [alone] = asked(server, "/embed", inputs=TEXTS[0], model=name)
    one = server.models[name].embed(TEXTS[:1], normalize=True)[0]
    np.testing.assert_array_equal(np.array(alone, np.float32), one)


def test_vectors_as_a_client_wants_them(server: Server) -> None:
    found = asked(server, "/embed", inputs=TEXTS, normalize=False)  # the first model: words
    np.testing.assert_array_equal(np.array(found, np.float32), server.models["words"].embed(TEXTS))
    found = asked(server, "/embed", inputs=TEXTS, dimensions=4)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-6)
    assert "dim = 17" in refused(server, "/embed", inputs="a", dimensions=17)


def test_ids_stand_for_their_text(server: Server) -> None:
    model = server.models["masked"]
    ids = model.text_framing.around(model.tokenizer.encode(TEXTS[0]))
    [expected] = asked(server, "/embed", inputs=TEXTS[0], model="masked")
    for inputs in (ids, [ids]):
        assert asked(server, "/embed", inputs=inputs, model="masked") == [expected]
    both = asked(server, "/embed", inputs=[ids, TEXTS[0]], model="masked")
    assert both == [expected, expected]
    assert "has no 'decode'" in refused(server, "/embed", inputs=[1, 2], model="words")
    assert "id 999: the tokens" in refused(server, "/embed", inputs=[999], model="masked")


def test_a_long_text_is_answered_cut_or_refused(server: Server) -> None:
    body: dict[str, Any] = {"inputs": LONG, "model": "masked"}
    answer = server.client.post("/embed", json=body)
    windows = server.models["masked"].embed([LONG], normalize=True)
    np.testing.assert_allclose(answer.json(), windows, **CLOSE)
    assert answer.headers["x-warning"].startswith("1 of 1 inputs is longer than the 32 tokens")
    cut = server.client.post("/embed", json={**body, "truncate": True})
    assert cut.headers["x-warning"].endswith("was cut")
    assert cut.headers["x-compute-tokens"] == "32"
    left = server.client.post(
        "/embed", json={**body, "truncate": True, "truncation_direction": "left"}
    )
    assert cut.json() != left.json() != answer.json()
    assert "has 362 tokens" in refused(server, "/embed", **body, truncate=False)


def test_headers_say_what_an_answer_took(server: Server) -> None:
    batches: list[Computed] = []
    server.app.state.service.scheduler.observers.append(batches.append)
    answer = server.client.post("/embed", json={"inputs": TEXTS, "model": "masked"})
    server.app.state.service.scheduler.observers.remove(batches.append)
    encode = server.models["masked"].tokenizer.encode
    assert int(answer.headers["x-compute-tokens"]) == sum(len(encode(text)) + 2 for text in TEXTS)
    assert int(answer.headers["x-compute-tokens"]) == sum(batch.tokens for batch in batches)
    assert int(answer.headers["x-compute-characters"]) == sum(map(len, TEXTS))
    times = ("total", "tokenization", "queue", "inference")
    took = {name: int(answer.headers[f"x-{name}-time"]) for name in times}
    assert all(0 <= took[name] <= took["total"] + 2 for name in times)  # they are rounded
    assert "x-warning" not in answer.headers


def test_states_of_all_tokens(server: Server) -> None:
    found = asked(server, "/embed_all", inputs=TEXTS[:2], model="masked")
    for text, states in zip(TEXTS, found, strict=False):
        expected = server.models["masked"].layers(text).states[-1]
        np.testing.assert_array_equal(np.array(states, np.float32), expected)
    answer = server.client.post("/embed_all", json={"inputs": LONG})
    assert np.shape(answer.json())[:2] == (1, 32)
    assert answer.headers["x-warning"].endswith("was cut")
    assert "The text is empty" in refused(server, "/embed_all", inputs="")


def test_there_are_no_sparse_vectors(server: Server) -> None:
    assert "ask /embed for dense ones" in refused(server, "/embed_sparse", inputs="a")


def test_similarity_is_the_cosine(server: Server) -> None:
    inputs = {"source_sentence": TEXTS[0], "sentences": TEXTS}
    found = asked(server, "/similarity", inputs=inputs, model="sentences")
    encoder = server.models["sentences"]
    np.testing.assert_allclose(found, encoder.similarity(TEXTS[:1], TEXTS)[0], **CLOSE)
    parameters = {"truncate": False}
    inputs = {"source_sentence": LONG, "sentences": ["a"]}
    said = refused(server, "/similarity", inputs=inputs, parameters=parameters, model="sentences")
    assert "inputs.0 has" in said
    inputs = {"source_sentence": "a", "sentences": []}
    assert "is empty" in refused(server, "/similarity", 400, inputs=inputs)


@pytest.mark.parametrize("name", ["classifier", "linear"])
def test_labels_of_a_text(server: Server, name: str) -> None:
    expected = server.models[name].predict_top(TEXTS[:1], None)[0]
    for inputs in (TEXTS[0], [TEXTS[0]]):
        found = asked(server, "/predict", inputs=inputs, model=name)
        assert [(each["label"], each["score"]) for each in found] == expected
    raw = asked(server, "/predict", inputs=TEXTS[0], model=name, raw_scores=True)
    shares = np.exp([each["score"] for each in raw])
    np.testing.assert_allclose(shares / shares.sum(), [share for _, share in expected])


def test_two_texts_are_a_pair_and_lists_of_texts_a_batch(server: Server) -> None:
    linear, matcher = server.models["linear"], server.models["matcher"]
    batch = asked(server, "/predict", inputs=[[text] for text in TEXTS], model="linear")
    for found, expected in zip(batch, linear.predict_top(TEXTS, None), strict=True):
        assert [(each["label"], each["score"]) for each in found] == expected
    pair = asked(server, "/predict", inputs=TEXTS[:2], model="matcher")
    expected = matcher.predict_top([(TEXTS[0], TEXTS[1])], None)[0]
    assert [(each["label"], each["score"]) for each in pair] == expected
    assert asked(server, "/predict", inputs=[TEXTS[:2]], model="matcher") == [pair]
    assert '[["a text"], ["another text"]]' in refused(server, "/predict", inputs=["a"] * 3)
    said = refused(server, "/predict", inputs=["a", "b"], model="linear")
    assert said == "An input has 2 texts, and this model reads 1: text."
    assert "has one text" in refused(server, "/predict", inputs="a", model="matcher")


def test_tasks_without_labels_answer_with_their_record(server: Server) -> None:
    found = asked(server, "/predict", inputs=TEXTS[0], model="tagger")
    spans = server.models["tagger"].spans(TEXTS[:1])[0]
    assert found == {"spans": [span.record() for span in spans]}
    found = asked(server, "/predict", inputs=["who ?", TEXTS[0]], model="reader")
    assert [set(each) for each in found["answers"]] == [{"text", "start", "end", "probability"}]


@pytest.mark.parametrize("add_special_tokens", [True, False])
def test_tokens_with_their_places(server: Server, add_special_tokens: bool) -> None:
    found = asked(
        server,
        "/tokenize",
        inputs=TEXTS,
        model="masked",
        add_special_tokens=add_special_tokens,
    )
    model = server.models["masked"]
    for text, tokens in zip(TEXTS, found, strict=True):
        ids = model.tokenizer.encode(text)
        expected = model.text_framing.around(ids) if add_special_tokens else ids
        assert [token["id"] for token in tokens] == expected
        assert set(tokens[0]) == {"id", "text", "special", "start", "stop"}
    assert asked(server, "/tokenize", inputs=TEXTS[0], model="masked") == asked(
        server, "/tokenize", inputs=TEXTS[:1], model="masked"
    )


def test_ids_become_text_again(server: Server) -> None:
    encode = server.models["masked"].tokenizer.encode
    rows = [encode(text) for text in TEXTS]
    assert asked(server, "/decode", ids=rows, model="masked") == list(TEXTS)
    assert asked(server, "/decode", ids=rows[0], model="masked") == [TEXTS[0]]
    assert "id 999" in refused(server, "/decode", ids=[999], model="masked")


@pytest.mark.parametrize("route", ["/embed", "/embed_all", "/predict", "/tokenize"])
def test_an_empty_list_is_refused(server: Server, route: str) -> None:
    assert "empty" in refused(server, route, 400, inputs=[])
    assert "empty" in refused(server, "/decode", 400, ids=[])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"inputs": None},
        {"inputs": 3},
        {"inputs": ["a", 3]},
        {"inputs": {"text": "a"}},
        {"inputs": "a", "normalize": "yes"},
        {"inputs": "a", "truncation_direction": "up"},
        {"inputs": "a", "dimensions": 0},
        {"inputs": [[1, -2]]},
    ],
)
def test_other_bodies_are_refused(server: Server, body: dict[str, Any]) -> None:
    assert refused(server, "/embed", **body).startswith("body.")


def test_a_wrong_form_is_told_what_is_right(server: Server) -> None:
    said = refused(server, "/embed", inputs=["a", 3])
    assert said == "body.inputs: give a text, ids of its tokens, or a list of such."
    assert "a batch [[" in refused(server, "/predict", inputs=[["a"], "b"])
    assert "a list of texts" in refused(server, "/tokenize", inputs=[["a"]])
    assert "ids of tokens" in refused(server, "/decode", ids=["a"])


def test_fields_that_clients_add_are_not_read(server: Server) -> None:
    [found] = asked(server, "/embed", inputs="the king", task="feature-extraction")
    assert len(found) == 16


def test_prompts_are_put_before_texts() -> None:
    base = bert()
    model = LanguageModel(
        base.tokenizer, base.backbone, base.objective, prompts={"query": "the king : "}
    )
    with running({"prompted": model}) as server:
        found = asked(server, "/embed", inputs="the ship", prompt_name="query")
        assert found == asked(server, "/embed", inputs="the king : the ship")
        tokens = asked(server, "/tokenize", inputs="the ship", prompt_name="query")
        assert [token["text"] for token in tokens[0][1:3]] == ["the", "king"]
        said = refused(server, "/embed", inputs="a", prompt_name="passage")
        assert said.endswith("the model has no such prompt; there are: query.")


@pytest.mark.parametrize(
    "text",
    ["", "   ", "\n\t\r", "\x00\x01\x1b[2J\x7f", "\u202e\u200b\ufeff", "a\u0301" * 99, "🚢" * 99],
)
@pytest.mark.parametrize("name", ["words", "causal", "masked", "sentences"])
def test_odd_texts_are_answered_as_in_python(server: Server, name: str, text: str) -> None:
    found = asked(server, "/embed", inputs=text, model=name)
    expected = server.models[name].embed([text], normalize=True)
    np.testing.assert_allclose(found, expected, **CLOSE)


@pytest.mark.parametrize("name", ["classifier", "linear"])
@pytest.mark.parametrize("text", ["", "   ", "\x00", "x" * 100_000, "漢" * 10_000])
def test_odd_texts_are_classified(server: Server, name: str, text: str) -> None:
    found = asked(server, "/predict", inputs=[[text]], model=name)
    expected = server.models[name].predict_top([text], None)[0]
    for each, (_, share) in zip(found[0], expected, strict=True):
        assert each["score"] == pytest.approx(share, abs=1e-2)


@pytest.mark.parametrize("name", ["words", "causal", "masked"])
def test_a_text_of_many_letters(server: Server, name: str) -> None:
    text = ("the king " * 12_000)[:100_000]
    [found] = asked(server, "/embed", inputs=text, model=name)
    assert np.linalg.norm(found) == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("route", ["/embed", "/predict", "/tokenize"])
def test_half_of_a_letter_is_refused(server: Server, route: str) -> None:
    answer = server.client.post(
        route, content=b'{"inputs": "\\ud800"}', headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert "half" in answer.json()["error"]


def test_a_long_list_is_answered_in_its_order(server: Server) -> None:
    texts = [f"{TEXTS[number % 4]} " * (number % 7) for number in range(10_000)]
    found = np.array(asked(server, "/embed", inputs=texts, normalize=False), np.float32)
    np.testing.assert_array_equal(found, server.models["words"].embed(texts))
    found = np.array(asked(server, "/embed", inputs=texts[:400], model="causal"))
    expected = server.models["causal"].embed(texts[:400], normalize=True)
    np.testing.assert_allclose(found, expected, **CLOSE)
