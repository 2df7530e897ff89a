from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from foretext.language_model import LanguageModel, NewToken
from foretext.serving.routes.openai.completions import reported
from tests.serving.conftest import Server

PROMPT = "the king"


def post(server: Server, **body: Any) -> httpx.Response:
    body = {"model": "causal", "prompt": PROMPT, "seed": 3, **body}
    return server.client.post("/v1/completions", json=body)


def choices(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["choices"]
    assert [choice["index"] for choice in found] == list(range(len(found)))
    return found


@pytest.fixture(scope="module")
def model(server: Server) -> LanguageModel:
    found: LanguageModel = server.models["causal"]
    return found


def test_a_text_is_that_of_the_python_call(server: Server, model: LanguageModel) -> None:
    answer = post(server, max_tokens=6)
    (expected,) = model.generate(PROMPT, 6, 1.0, seed=3)
    assert choices(answer) == [
        {"index": 0, "text": expected.text, "logprobs": None, "finish_reason": "length"}
    ]
    whole = answer.json()
    assert whole["object"] == "text_completion"
    assert whole["model"] == "causal"
    assert whole["id"].startswith("cmpl-")
    assert whole["usage"] == {"prompt_tokens": 2, "completion_tokens": 6, "total_tokens": 8}


@pytest.mark.parametrize(
    "body",
    [
        {"temperature": 0.7},
        {"temperature": 0},
        {"temperature": 0.7, "top_p": 0.8},
        {"temperature": 1.5, "top_k": 7},
    ],
)
def test_tokens_are_drawn_as_by_the_python_call(
    server: Server, model: LanguageModel, body: dict[str, Any]
) -> None:
    (expected,) = model.generate(PROMPT, 12, seed=3, **body)
    assert choices(post(server, max_tokens=12, **body))[0]["text"] == expected.text


def test_the_four_forms_of_prompts_are_answered_alike(server: Server) -> None:
    tokenizer = server.models["causal"].tokenizer
    texts = [PROMPT, "a ship"]
    both = choices(post(server, prompt=texts))
    rows = tokenizer.encode_batch(texts)
    assert choices(post(server, prompt=rows)) == both
    assert choices(post(server, prompt=PROMPT)) == both[:1]
    assert choices(post(server, prompt=rows[0])) == both[:1]


def test_without_a_prompt_a_text_begins(server: Server, model: LanguageModel) -> None:
    (expected,) = model.generate("", 16, 1.0, seed=3)
    answers = [post(server, prompt=prompt) for prompt in (None, "", [[]])]
    assert [choices(answer)[0]["text"] for answer in answers] == [expected.text] * 3


def test_a_seed_is_a_text_and_without_one_texts_differ(server: Server) -> None:
    assert choices(post(server)) == choices(post(server))
    texts = {choices(post(server, seed=None))[0]["text"] for _ in range(4)}
    assert len(texts) == 4


def test_several_texts_for_each_prompt(server: Server, model: LanguageModel) -> None:
    found = choices(post(server, prompt=[PROMPT, "a ship"], n=2, max_tokens=6))
    expected = [
        each.text
        for prompt in (PROMPT, "a ship")
        for each in model.generate(prompt, 6, 1.0, num_samples=2, seed=3)
    ]
    assert [choice["text"] for choice in found] == expected


def test_the_likeliest_of_several_texts(server: Server, model: LanguageModel) -> None:
    answer = post(server, n=2, best_of=5, max_tokens=6)
    seen: list[NewToken] = []
    drawn = model.generate(PROMPT, 6, 1.0, num_samples=5, seed=3, watch=seen.append, topn=0)

    def mean(sample: int) -> float:
        own = [each.log_prob for each in seen if each.sample == sample]
        return sum(value or 0.0 for value in own) / len(own)

    best = sorted(range(5), key=lambda sample: -mean(sample))[:2]
    assert [choice["text"] for choice in choices(answer)] == [drawn[each].text for each in best]
    written = sum(len(each.ids) for each in drawn)
    assert answer.json()["usage"]["completion_tokens"] == written


def test_a_stop_ends_the_text_before_it(server: Server) -> None:
    (whole,) = choices(post(server, max_tokens=30))
    stop = whole["text"][5:7]
    for stops in (stop, ["xyzzy", stop]):
        (cut,) = choices(post(server, max_tokens=30, stop=stops))
        assert cut["text"] == whole["text"][: whole["text"].index(stop)]
        assert cut["finish_reason"] == "stop"
    (kept,) = choices(post(server, max_tokens=30, stop=[]))
    assert kept == whole


def test_an_echo_begins_with_the_prompt(server: Server) -> None:
    (alone,), (echoed,) = choices(post(server)), choices(post(server, echo=True))
    assert echoed["text"] == PROMPT + alone["text"]
    ids = server.models["causal"].tokenizer.encode(PROMPT)
    assert choices(post(server, prompt=ids, echo=True)) == [echoed]
    nothing = choices(post(server, echo=True, max_tokens=0, n=2))
    assert [each["text"] for each in nothing] == [PROMPT] * 2
    assert nothing[0]["finish_reason"] == "length"


def test_log_probabilities_are_those_of_the_model(server: Server, model: LanguageModel) -> None:
    (found,) = choices(post(server, max_tokens=7, logprobs=3))
    seen: list[NewToken] = []
    (written,) = model.generate(PROMPT, 7, 1.0, seed=3, watch=seen.append, topn=3)
    logprobs = found["logprobs"]
    assert logprobs["token_logprobs"] == [token.log_prob for token in seen]
    for table, token in zip(logprobs["top_logprobs"], seen, strict=True):
        assert sorted(table.values(), reverse=True)[:3] == [value for _, value in token.likeliest]
        assert token.log_prob in table.values()
    assert len(logprobs["tokens"]) == len(logprobs["text_offset"]) == len(written.ids)
    (plain,) = choices(post(server, max_tokens=7, logprobs=0))
    assert plain["logprobs"]["token_logprobs"] == logprobs["token_logprobs"]
    assert plain["logprobs"]["top_logprobs"] == [None] * 7


def test_an_echo_with_log_probabilities_has_those_of_the_prompt(
    server: Server, model: LanguageModel
) -> None:
    (found,) = choices(post(server, echo=True, max_tokens=4, logprobs=1))
    (scores,) = model.token_scores([model.tokenizer.encode(PROMPT)], topn=1)
    (alone,) = choices(post(server, max_tokens=4, logprobs=1))
    logprobs = found["logprobs"]
    assert logprobs["tokens"][:2] == ["the", " king"]
    assert logprobs["text_offset"][:3] == [0, 3, len(PROMPT)]
    own = alone["logprobs"]["token_logprobs"]
    assert logprobs["token_logprobs"] == [None, *scores.log_probs, *own]
    assert logprobs["top_logprobs"][0] is None


def test_prompts_are_scored_as_lm_eval_asks_it(server: Server, model: LanguageModel) -> None:
    rows = model.tokenizer.encode_batch([PROMPT, "a ship sails to the island", "sea"])
    body = {"echo": True, "logprobs": 1, "temperature": 0}
    answer = post(server, prompt=rows, max_tokens=1, **body)
    expected = model.token_scores(rows, topn=1)
    for choice, row, scores in zip(choices(answer), rows, expected, strict=True):
        logprobs = choice["logprobs"]
        new, value = scores.likeliest[-1][0]
        assert logprobs["token_logprobs"] == [None, *scores.log_probs, value]
        best = [likeliest[0][1] for likeliest in scores.likeliest]
        assert [max(table.values()) for table in logprobs["top_logprobs"][1:]] == best
        assert choice["text"] == model.tokenizer.decode([*row, new])
    read = sum(map(len, rows))
    assert answer.json()["usage"] == {
        "prompt_tokens": read,
        "completion_tokens": 3,
        "total_tokens": read + 3,
    }
    for choice, scores in zip(
        choices(post(server, prompt=rows, max_tokens=0, **body)), expected, strict=True
    ):
        assert choice["logprobs"]["token_logprobs"] == [None, *scores.log_probs]


def test_the_quick_way_says_what_the_long_one_does(server: Server) -> None:
    body = {"echo": True, "logprobs": 2, "max_tokens": 1, "temperature": 0}
    (quick,) = choices(post(server, **body))
    (long,) = choices(post(server, **body, stop="xyzzy"))
    assert quick["text"] == long["text"]
    assert quick["logprobs"]["tokens"] == long["logprobs"]["tokens"]
    assert quick["logprobs"]["text_offset"] == long["logprobs"]["text_offset"]
    for one, other in zip(
        quick["logprobs"]["token_logprobs"][1:], long["logprobs"]["token_logprobs"][1:], strict=True
    ):
        assert one == pytest.approx(other, abs=0.01)  # new tokens: by weights in bfloat16


def test_a_prompt_longer_than_the_model_is_continued_with_a_warning(
    server: Server, model: LanguageModel
) -> None:
    prompt = "the king and the queen " * 20
    answer = post(server, prompt=prompt, max_tokens=5)
    (expected,) = model.generate(prompt, 5, 1.0, seed=3)
    assert choices(answer)[0]["text"] == expected.text
    assert f"the first {expected.num_forgotten} tokens" in answer.headers["x-warning"]
    assert "x-warning" not in post(server).headers
    refused = post(server, prompt=prompt, max_tokens=0, echo=True, logprobs=1)
    assert refused.status_code == 400
    assert "the model reads 32 at once" in refused.json()["error"]["message"]


def test_null_is_the_default(server: Server) -> None:
    names = (
        "max_tokens", "temperature", "top_p", "top_k", "n", "best_of", "stop", "stream", "suffix",
        "stream_options", "logprobs", "echo", "frequency_penalty", "presence_penalty",
        "logit_bias", "user",
    )  # fmt: skip
    assert choices(post(server, **dict.fromkeys(names))) == choices(post(server))
    langchain = {"frequency_penalty": 0, "presence_penalty": 0, "n": 1, "top_p": 1, "user": "me"}
    assert choices(post(server, **langchain, logit_bias={})) == choices(post(server))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"prompt": []}, "prompt is an empty list"),
        ({"prompt": {}}, "prompt: it should be a text, a list of texts"),
        ({"prompt": [5, 99_999]}, "The id 99,999 is not one of the model's tokenizer"),
        ({"prompt": [-1]}, "The id -1 is not one"),
        ({"max_tokens": -1}, "max_tokens"),
        ({"max_tokens": 10**9}, "max_tokens"),
        ({"temperature": 2.5}, "temperature"),
        ({"top_p": 1.5}, "top_p"),
        ({"logprobs": 6}, "logprobs"),
        ({"n": 0}, "body.n"),
        ({"n": 2, "temperature": 0}, "without temperature all texts would be the same"),
        ({"best_of": 2, "temperature": 1e-9}, "all texts would be the same"),
        ({"n": 3, "best_of": 2}, "best_of is less than n"),
        ({"best_of": 2, "stream": True}, "leave it out of a stream"),
        ({"stream_options": {"include_usage": True}}, "stream_options needs stream = true"),
        ({"stop": ""}, "stop"),
        ({"stop": ["a"] * 65}, "stop"),
        ({"suffix": "x"}, "suffix: 'causal' does not know what follows"),
        ({"frequency_penalty": 1}, "frequency_penalty: this server does not know it"),
        ({"presence_penalty": 0.5}, "presence_penalty: this server does not know it"),
        ({"logit_bias": {"5": 1}}, "logit_bias: this server does not know it"),
        ({"seed": 2**63}, "seed"),
        ({"guided_regex": "a"}, "guided_regex: Extra inputs are not permitted"),
        ({"model": "masked"}, "has no 'generate'"),
        ({"model": "words"}, "has no 'generate'"),
        ({"prompt": ["a"] * 10_001}, "asks for 10,001 texts"),
    ],
)
def test_what_would_have_no_effect_is_refused(
    server: Server, wrong: dict[str, Any], sentence: str
) -> None:
    answer = post(server, **wrong)
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]["message"]


def collected(work: Callable[..., object]) -> list[int]:
    async def collect() -> list[int]:
        return [report async for report in reported(work)]  # type: ignore[arg-type]

    return asyncio.run(collect())


def test_reports_of_another_thread_come_in_their_order() -> None:
    async def work(report: Callable[[int], None]) -> None:
        thread = threading.Thread(target=lambda: [report(number) for number in range(100)])
        thread.start()
        await asyncio.to_thread(thread.join)

    assert collected(work) == list(range(100))


def test_an_error_comes_after_the_reports() -> None:
    seen: list[int] = []

    async def work(report: Callable[[int], None]) -> None:
        report(1)
        raise LookupError("nothing")

    async def collect() -> None:
        async for report in reported(work):
            seen.append(report)

    with pytest.raises(LookupError, match="nothing"):
        asyncio.run(collect())
    assert seen == [1]


def test_closing_cancels_the_work() -> None:
    ended: list[str] = []

    async def work(report: Callable[[int], None]) -> None:
        report(1)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def leave() -> None:
        reports = reported(work)
        assert await anext(reports) == 1
        await reports.aclose()
        await asyncio.sleep(0)

    asyncio.run(leave())
    assert ended == ["cancelled"]
