"""Routes of tasks: equal to ``foretext predict --json``."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from foretext.serving.routes.tasks import Translation
from tests.serving.conftest import Server
from tests.serving.routes.conftest import Verb

TEXTS = ("the king in the castle", "the ship and the captain of the ship")


def close(answer: Any, expected: Any) -> None:
    """Equal, but for the last digits, which depend on the texts that are computed together."""
    if isinstance(expected, dict):
        assert list(answer) == list(expected)
        for name in expected:
            close(answer[name], expected[name])
    elif isinstance(expected, list):
        for each, other in zip(answer, expected, strict=True):
            close(each, other)
    else:
        assert answer == (
            pytest.approx(expected, abs=2e-5) if isinstance(expected, float) else expected
        )


def test_tags_are_those_of_the_verb(server: Server, verb: Verb) -> None:
    expected = verb("predict", "tagger", lines=TEXTS)
    close(server.client.post("/tag", json={"inputs": TEXTS}).json(), expected)
    close(server.client.post("/tag", json={"inputs": TEXTS[0]}).json(), expected[0])


@pytest.mark.parametrize("k", [None, 3])
def test_answers_are_those_of_the_verb(server: Server, verb: Verb, k: int | None) -> None:
    question = "who is there?"
    options = [] if k is None else ["-k", k]
    [expected] = verb("predict", "reader", *options, lines=(f"{question}\t{TEXTS[0]}",))
    body = {"question": question, "passage": TEXTS[0], "k": k}
    close(server.client.post("/answer", json=body).json(), expected)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"k": 2},
        {"num_beams": 3, "max_new_tokens": 4},
        {"num_beams": 2, "k": 3},
        {"num_beams": 12, "max_new_tokens": 90},  # is written in turns
    ],
)
def test_translations_are_those_of_the_verb(
    server: Server, verb: Verb, options: dict[str, int]
) -> None:
    names = {"k": "-k", "num_beams": "--num-beams", "max_new_tokens": "--max-new-tokens"}
    given = [part for name, value in options.items() for part in (names[name], value)]
    expected = verb("predict", "writer", *given, lines=TEXTS)
    close(server.client.post("/translate", json={"inputs": TEXTS, **options}).json(), expected)
    [alone] = verb("predict", "writer", *given, lines=TEXTS[:1])
    close(server.client.post("/translate", json={"inputs": TEXTS[0], **options}).json(), alone)


def test_others_are_answered_while_a_long_output_is_written(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WRITING_SECONDS", "SHORTEST_TURN"):  # every pause ends a turn
        monkeypatch.setattr(f"foretext.serving.scheduler.{name}", 0.0)
    body = {"inputs": "the ship " * 5, "num_beams": 20, "max_new_tokens": 80}
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(server.client.post, "/translate", json=body)
        answers = []
        while not writing.done():
            answers.append(server.client.post("/neighbors", json={"words": ["ship"]}).status_code)
    assert writing.result().status_code == 200
    assert len(answers) > 3
    assert set(answers) == {200}


def test_a_translation_comes_with_its_alignment(server: Server) -> None:
    answer = server.client.post("/translate", json={"inputs": TEXTS[0], "alignment": True}).json()
    Translation.model_validate(answer)
    output = answer["outputs"][0]["text"]
    expected = server.models["writer"].alignment(TEXTS[0], output)
    found = answer["alignment"]
    assert found["source_tokens"] == expected.source == TEXTS[0].split()
    assert found["target_tokens"] == expected.output
    np.testing.assert_allclose(found["weights"], expected.weights, atol=1e-4)


@pytest.mark.parametrize("label", [None, "sea"])
@pytest.mark.parametrize("model", ["classifier", "linear", "matcher"])
def test_an_explanation_is_that_of_the_python_call(
    server: Server, model: str, label: str | None
) -> None:
    inputs: Any = list(TEXTS) if model == "matcher" else TEXTS[0]
    label = "1" if label and model == "matcher" else label
    body = {"inputs": inputs, "label": label, "model": model}
    answer = server.client.post("/explain", json=body).json()
    texts = TEXTS if model == "matcher" else TEXTS[:1]
    [expected] = server.models[model].explain([tuple(texts)], label)
    close(answer, expected.record())


@pytest.mark.parametrize(
    ("route", "body", "sentence"),
    [
        ("/tag", {"inputs": []}, "inputs"),
        ("/tag", {"inputs": "the", "model": "writer"}, "has no 'tag'"),
        ("/answer", {"question": "who?"}, "passage"),
        ("/translate", {"inputs": "the", "num_beams": 0}, "num_beams"),
        ("/translate", {"inputs": "the", "k": 100}, "100 beams of 256 tokens"),
        ("/explain", {"inputs": ["a", "b"], "model": "classifier"}, "texts"),
        ("/explain", {"inputs": "a", "label": "sky", "model": "classifier"}, "sky"),
        ("/explain", {"inputs": "a", "model": "index"}, "has no 'explain'"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    server: Server, route: str, body: dict[str, object], sentence: str
) -> None:
    refused = server.client.post(route, json=body)
    assert refused.status_code == 422
    assert sentence in refused.json()["error"]
