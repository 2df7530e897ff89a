"""``POST /v1/completions`` with ``stream``: server-sent events."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import httpx
import pytest

from foretext.base.errors import CorpusError
from foretext.language_model import LanguageModel
from tests.language_model.models import gpt
from tests.serving.conftest import Server

PROMPT = "the king"


def body_of(**settings: Any) -> dict[str, Any]:
    return {"model": "causal", "prompt": PROMPT, "seed": 3, "stream": True, **settings}


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The events of a stream, which has to end as it should."""
    for line in lines:
        if line == "data: [DONE]":
            return
        if line:
            assert line.startswith("data: ")
            yield json.loads(line.removeprefix("data: "))
    pytest.fail("the stream has no end")


def streamed(server: Server, **settings: Any) -> list[dict[str, Any]]:
    with server.client.stream("POST", "/v1/completions", json=body_of(**settings)) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(events(answer.iter_lines()))


def joined(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The choices that the events make together."""
    choices: dict[int, dict[str, Any]] = {}
    for event in found:
        for piece in event["choices"]:
            start = {"index": piece["index"], "text": "", "logprobs": None, "finish_reason": None}
            whole = choices.setdefault(piece["index"], start)
            assert whole["finish_reason"] is None, "a piece after the last one"
            whole["text"] += piece["text"]
            whole["finish_reason"] = piece["finish_reason"]
            if piece["logprobs"] is not None:
                columns = whole["logprobs"] or {name: [] for name in piece["logprobs"]}
                whole["logprobs"] = {
                    name: columns[name] + values for name, values in piece["logprobs"].items()
                }
    return [choices[index] for index in sorted(choices)]


@pytest.mark.parametrize(
    "settings",
    [
        {"max_tokens": 20},
        {"max_tokens": 1},
        {"max_tokens": 0},
        {"max_tokens": 0, "echo": True, "logprobs": 1},
        {"max_tokens": 12, "echo": True},
        {"max_tokens": 30, "stop": "s"},
        {"max_tokens": 12, "n": 3},
        {"prompt": [PROMPT, "a ship"], "n": 2, "max_tokens": 8, "echo": True},
        {"max_tokens": 12, "temperature": 0},
        {"max_tokens": 12, "temperature": 0, "logprobs": 2, "echo": True},
        {"max_tokens": 1, "temperature": 0, "logprobs": 1},
    ],
    ids=str,
)
def test_pieces_make_the_whole_answer(server: Server, settings: dict[str, Any]) -> None:
    found = streamed(server, **settings)
    whole = server.client.post("/v1/completions", json=body_of(**settings) | {"stream": False})
    expected = whole.json()["choices"]
    for one, other in zip(joined(found), expected, strict=True):
        if one["logprobs"] is not None:
            # The pieces of an unfinished letter are known to be one when it ends.
            del one["logprobs"]["text_offset"], other["logprobs"]["text_offset"]
        assert one == other
    assert len({event["id"] for event in found}) == 1
    assert all(event["usage"] is None for event in found)


def test_text_comes_in_pieces(server: Server) -> None:
    found = streamed(server, max_tokens=30, temperature=0)
    assert len([event for event in found if event["choices"][0]["text"]]) > 5


def test_samples_alternate(server: Server) -> None:
    order = [event["choices"][0]["index"] for event in streamed(server, max_tokens=20, n=2)]
    assert order != sorted(order)


def test_usage_comes_last_where_it_is_asked_for(server: Server) -> None:
    found = streamed(server, max_tokens=6, stream_options={"include_usage": True})
    assert found[-1]["choices"] == []
    assert found[-1]["usage"] == {"prompt_tokens": 2, "completion_tokens": 6, "total_tokens": 8}
    assert all(event["usage"] is None for event in found[:-1])


@pytest.mark.parametrize(
    ("settings", "status"),
    [({"prompt": [5, 99_999]}, 400), ({"model": "nobody"}, 404), ({"temperature": 3}, 400)],
)
def test_an_error_before_the_first_piece_has_a_status(
    server: Server, settings: dict[str, Any], status: int
) -> None:
    answer = server.client.post("/v1/completions", json=body_of(**settings))
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


class Failing(LanguageModel):
    """Writes some tokens, and then meets a text that it cannot read."""

    def generate(self, *args: Any, watch: Any, **settings: Any) -> Any:
        def failing(token: Any) -> None:
            watch(token)
            if token.text and len(token.text.strip()) == 1:
                raise CorpusError("This text cannot be continued.")

        return super().generate(*args, watch=failing, **settings)


def test_an_error_among_the_pieces_is_an_event(serve: Callable[..., Server]) -> None:
    model = gpt()
    server = serve({"causal": Failing(model.tokenizer, model.backbone, model.objective)})
    body = body_of(max_tokens=60, temperature=0)
    with server.client.stream("POST", "/v1/completions", json=body) as answer:
        lines = [line for line in answer.iter_lines() if line]
    assert len(lines) > 1
    error = json.loads(lines[-1].removeprefix("data: "))["error"]
    assert error["message"] == "This text cannot be continued."
    assert error["type"] == "invalid_request_error"


def test_two_streams_take_turns_and_both_are_right(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = server.models["causal"]
    prompts = [PROMPT, "a ship sails"]
    expected = [model.generate(prompt, 250, 0.0)[0] for prompt in prompts]
    assert {each.ended_by for each in expected} == {"length"}
    slow = LanguageModel.generate

    def slower(self: LanguageModel, *args: Any, watch: Any, **settings: Any) -> Any:
        def waiting(token: Any) -> None:
            time.sleep(0.001)  # so that a text takes longer than a turn
            watch(token)

        return slow(self, *args, watch=waiting, **settings)

    monkeypatch.setattr(LanguageModel, "generate", slower)
    order: list[int] = []
    texts = ["", ""]

    def read(number: int) -> None:
        body = body_of(prompt=prompts[number], max_tokens=250, temperature=0)
        with (
            httpx.Client(base_url=server.url, timeout=60) as client,
            client.stream("POST", "/v1/completions", json=body) as answer,
        ):
            for event in events(answer.iter_lines()):
                order.append(number)
                texts[number] += event["choices"][0]["text"]

    readers = [threading.Thread(target=read, args=(number,)) for number in (0, 1)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(60)
    assert texts == [each.text for each in expected]
    turns = sum(one != other for one, other in pairwise(order))
    assert turns >= 3


def test_a_client_that_leaves_ends_the_work(serve: Callable[..., Server]) -> None:
    written: list[Any] = []

    class Counting(LanguageModel):
        def generate(self, *args: Any, watch: Any, **settings: Any) -> Any:
            def counting(token: Any) -> None:
                written.append(token)
                time.sleep(0.001)
                watch(token)

            return super().generate(*args, watch=counting, **settings)

    model = gpt()
    server = serve({"causal": Counting(model.tokenizer, model.backbone, model.objective)})
    body = body_of(max_tokens=16_000, temperature=0)
    with server.client.stream("POST", "/v1/completions", json=body) as answer:
        assert next(answer.iter_lines())
    scheduler = server.app.state.service.scheduler
    deadline = time.monotonic() + 60
    while scheduler.queue_size:
        assert time.monotonic() < deadline, "the work goes on"
        time.sleep(0.01)
    number = len(written)
    assert number < 16_000
    time.sleep(0.05)
    assert len(written) <= number + 1
