"""lm-eval's `local-completions` against a running server, with tasks that are defined here.

lm-eval is no extra: a package below it wants a chardet before 7. Install ``lm-eval[api]``, and then
``chardet`` again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foretext.language_model import LanguageModel
from tests.language_model.models import gpt
from tests.serving.conftest import Server
from tests.serving.models import TEXTS

pytest.importorskip("lm_eval")
pytest.importorskip("aiohttp")

PAIRS = [
    ("the king", " and the queen live in a castle"),
    ("a ship sails", " from the harbour"),
    ("the captain", " of the ship"),
    ("", "an island in the sea"),
]


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return gpt()


@pytest.fixture
def alone(serve: Callable[..., Server], model: LanguageModel) -> Server:
    """A server with one model that scores texts."""
    return serve({"causal": model})


@pytest.fixture(scope="module")
def folder(model: LanguageModel, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model folder of Hugging Face, whose tokenizer lm-eval opens."""
    path: Path = tmp_path_factory.mktemp("models") / "causal"
    model.save(path)
    return str(path)


def client(server: Server, **settings: Any) -> Any:
    from lm_eval.models.openai_completions import LocalCompletionsAPI

    url = f"{server.url}/v1/completions"
    return LocalCompletionsAPI(
        base_url=url, model="causal", max_length=32, max_retries=1, **settings
    )


def instances(kind: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
    from lm_eval.api.instance import Instance

    return [Instance(kind, {}, each, number) for number, each in enumerate(arguments)]


def log_probs(model: LanguageModel, text: str) -> list[float]:
    """Of each token of a text, behind the token that a text begins with."""
    (scores,) = model.token_scores([[model.prompt_ids("")[0], *model.tokenizer.encode(text)]])
    return scores.log_probs


def own_tokenizer(folder: str) -> dict[str, Any]:
    return {"tokenizer": folder, "tokenizer_backend": "huggingface"}


@pytest.mark.parametrize("batch_size", [1, 4])
def test_continuations_are_as_likely_as_in_python(
    alone: Server, model: LanguageModel, folder: str, batch_size: int
) -> None:
    asked = client(alone, batch_size=batch_size, **own_tokenizer(folder))
    found = asked.loglikelihood(instances("loglikelihood", PAIRS), disable_tqdm=True)
    encode = model.tokenizer.encode
    for (before, after), (value, is_greedy) in zip(PAIRS, found, strict=True):
        row = encode(before) or model.prompt_ids("")
        (scores,) = model.token_scores([[*row, *encode(after)]], topn=1)
        expected = scores.log_probs[len(row) - 1 :]
        assert value == pytest.approx(sum(expected), rel=1e-5)
        best = [likeliest[0][1] for likeliest in scores.likeliest[len(row) - 1 : -1]]
        assert is_greedy == (expected == best)


def test_the_likeliest_continuation_is_known_as_such(
    alone: Server, model: LanguageModel, folder: str
) -> None:
    (scores,) = model.token_scores([model.tokenizer.encode("the king")], topn=1)
    token = scores.likeliest[-1][0][0]
    asked = client(alone, **own_tokenizer(folder))
    pair = (("the king", ""), model.tokenizer.encode("the king"), [token])
    ((value, is_greedy),) = asked._loglikelihood_tokens([pair])
    assert is_greedy
    assert value == pytest.approx(scores.likeliest[-1][0][1])


@pytest.mark.parametrize("backend", ["huggingface", "auto"])
def test_rolling_likelihood_is_that_of_the_text(
    alone: Server, model: LanguageModel, folder: str, backend: str
) -> None:
    """By the folder's tokenizer, or by that of the server, which lm-eval finds by itself."""
    tokenizer = {} if backend == "auto" else own_tokenizer(folder)
    asked = client(alone, **({"tokenizer_backend": "auto"} | tokenizer))
    assert asked.tokenizer_backend == ("remote" if backend == "auto" else backend)
    requests = instances("loglikelihood_rolling", [(text,) for text in TEXTS])
    for text, value in zip(
        TEXTS, asked.loglikelihood_rolling(requests, disable_tqdm=True), strict=True
    ):
        assert value == pytest.approx(sum(log_probs(model, text)), rel=1e-5)
        end = model.tokenizer.special.end
        row = [end, *model.tokenizer.encode(text), end]
        of_end = model.token_scores([row])[0].log_probs[-1]  # which `likelihood` predicts, too
        assert -value - of_end == pytest.approx(model.likelihood(text).nll, rel=1e-5)


def test_texts_are_written_until_a_stop(alone: Server, model: LanguageModel, folder: str) -> None:
    (whole,) = model.generate("the king", 12, 0.0)
    stop = whole.text[len(whole.text) // 2 :][:2]
    settings = [{"until": ["xyzzy"], "max_gen_toks": 12}, {"until": [stop], "max_gen_toks": 12}]
    requests = instances("generate_until", [("the king", each) for each in settings])
    asked = client(alone, **own_tokenizer(folder))
    found = asked.generate_until(requests, disable_tqdm=True)
    assert found == [whole.text, whole.text[: whole.text.index(stop)]]


def test_texts_without_a_tokenizer_are_written_too(alone: Server, model: LanguageModel) -> None:
    asked = client(alone, tokenizer_backend=None, eos_string="xyzzy")
    requests = instances("generate_until", [("the king", {"until": [], "max_gen_toks": 8})])
    (expected,) = model.generate("the king", 8, 0.0)
    assert asked.generate_until(requests, disable_tqdm=True) == [expected.text]


def test_requests_may_be_concurrent(alone: Server, model: LanguageModel, folder: str) -> None:
    asked = client(alone, num_concurrent=3, batch_size=2, **own_tokenizer(folder))
    requests = instances("loglikelihood", PAIRS * 3)
    found = asked.loglikelihood(requests, disable_tqdm=True)
    alone_found = client(alone, **own_tokenizer(folder)).loglikelihood(
        instances("loglikelihood", PAIRS), disable_tqdm=True
    )
    for (one, _), (other, _) in zip(found, alone_found * 3, strict=True):
        assert one == pytest.approx(other, rel=1e-5)


def test_a_task_of_choices_has_the_accuracy_of_the_python_call(
    alone: Server, model: LanguageModel, folder: str
) -> None:
    from datasets import Dataset
    from lm_eval import evaluate
    from lm_eval.api.task import ConfigurableTask

    choices = [" castle", " ship", " sea"]
    rows = [
        {"question": text[:20], "choices": choices, "answer": number % 3}
        for number, text in enumerate(TEXTS)
    ]
    task = ConfigurableTask(
        config={
            "task": "places",
            "custom_dataset": lambda **settings: {"test": Dataset.from_list(rows)},
            "test_split": "test",
            "output_type": "multiple_choice",
            "doc_to_text": "{{question}}",
            "doc_to_choice": "{{choices}}",
            "doc_to_target": "{{answer}}",
            "target_delimiter": "",
            "metric_list": [{"metric": "acc"}],
        }
    )
    asked = client(alone, **own_tokenizer(folder))
    results = evaluate(lm=asked, task_dict={"places": task}, bootstrap_iters=0)
    encode, num_right = model.tokenizer.encode, 0
    for row in rows:
        scored = []
        for choice in choices:
            ids = encode(str(row["question"]))
            (scores,) = model.token_scores([[*ids, *encode(choice)]])
            scored.append(math.fsum(scores.log_probs[len(ids) - 1 :]))
        num_right += scored.index(max(scored)) == row["answer"]
    assert results["results"]["places"]["acc,none"] == num_right / len(rows)
