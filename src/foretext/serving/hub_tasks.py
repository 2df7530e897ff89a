"""Tasks as huggingface_hub's `InferenceClient` knows them: what it sends, and what it reads.

The forms are those of `huggingface_hub/inference/_generated/types`. Each function answers by an
ability of a model that has it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from pydantic import ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from foretext.serving.abilities.answer import AnswerOptions
from foretext.serving.abilities.decode import decoded
from foretext.serving.abilities.fill import FillOptions
from foretext.serving.abilities.predict import PredictOptions
from foretext.serving.abilities.translate import TranslateOptions
from foretext.serving.errors import CannotServe
from foretext.serving.fitting import Cutting, Texts
from foretext.serving.hub_generation import text_generation
from foretext.serving.hub_parameters import HubParameters, checked_parameters
from foretext.serving.served_model import ServedModel
from foretext.serving.tei_predictions import predictions_of
from foretext.serving.text_request import Asked, ask, json_reply, single_texts

__all__ = ["TASKS", "HubRequest", "question_answering"]


AS_IN_PYTHON = Cutting()


class HubRequest(NamedTuple):
    """One request, for one model."""

    request: Request
    model: ServedModel
    inputs: Any
    parameters: Mapping[str, Any] | None
    is_stream: bool = False

    @property
    def texts(self) -> list[str]:
        """The text, or the texts.

        Raises:
            CannotServe: the inputs are something else.
        """
        texts = [self.inputs] if isinstance(self.inputs, str) else self.inputs
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise CannotServe("inputs is neither a text nor a list of texts.")
        return texts

    async def ask(
        self,
        ability: str,
        inputs: list[Texts],
        options: Any = None,
        cutting: Cutting = AS_IN_PYTHON,
        as_items: Callable[[list[Texts]], list[Any]] = single_texts,
    ) -> Asked:
        """Ask the model; see `foretext.serving.text_request.ask`."""
        return await ask(
            self.request,
            ability,
            inputs,
            options,
            model=self.model.name,
            cutting=cutting,
            as_items=as_items,
        )

    def reply(self, answers: list[Any], asked: Asked) -> Response:
        """Return the answer to a text as it is, those to a list in a list."""
        return json_reply(answers[0] if isinstance(self.inputs, str) else answers, asked.headers)


Task = Callable[[HubRequest], Awaitable[Response]]


class ClassificationParameters(HubParameters):
    """Which labels a client wants."""

    top_k: int | None = Field(default=None, ge=1)
    function_to_apply: Literal["none"] | None = None  # the model has its own
    truncation: bool | None = None


async def text_classification(asked: HubRequest) -> Response:
    """Return the labels of a text, or of a pair of texts, in a list more than ``/predict`` does."""
    wanted = checked_parameters(ClassificationParameters, asked.parameters)
    options = PredictOptions(all_labels=True, raw=wanted.function_to_apply == "none")
    inputs: list[Texts] = [(text,) for text in asked.texts]
    if len(asked.model.model.fields) > 1:
        inputs = [tuple(asked.texts)]
    found = await asked.ask("predict", inputs, options, as_items=list)
    answers = [predictions_of(record) for record in found.answers]
    return json_reply([_first(each, wanted.top_k) for each in answers], found.headers)


def _first(answer: Any, k: int | None) -> Any:
    return answer[:k] if isinstance(answer, list) else answer


class TokenParameters(HubParameters):
    """Which entities a client wants; they are whole, so that all strategies give the same."""

    aggregation_strategy: Literal["simple", "first", "average", "max"] | None = None
    ignore_labels: tuple[str, ...] = ()

    model_config = ConfigDict(strict=False, extra="forbid")


async def token_classification(asked: HubRequest) -> Response:
    """Return the entities of a text with their places, or all its tokens with their tags."""
    wanted = checked_parameters(TokenParameters, asked.parameters)
    found = await asked.ask("tag", [(text,) for text in asked.texts])
    answers = [
        [each for each in _tagged(record) if each["label"] not in wanted.ignore_labels]
        for record in found.answers
    ]
    for each in (entity for answer in answers for entity in answer):
        each[each.pop("is")] = each.pop("label")
    return asked.reply(answers, found)


def _tagged(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entities of a record, or its tokens; a tag alone has no probability."""
    if "spans" in record:
        return [
            {
                "is": "entity_group",
                "label": span["label"],
                "score": span["probability"],
                "word": span["text"],
                "start": span["start"],
                "end": span["end"],
            }
            for span in record["spans"]
        ]
    tokens, text, end = [], record["text"], 0
    for word, tag in record["tags"]:
        start = text.index(word, end)
        end = start + len(word)
        tokens.append(
            {"is": "entity", "label": tag, "score": None, "word": word, "start": start, "end": end}
        )
    return tokens


class FillParameters(HubParameters):
    """Which tokens a client wants at a mask."""

    top_k: int | None = Field(default=None, ge=1, le=1000)
    targets: list[str] | None = Field(default=None, min_length=1, max_length=1000)


async def fill_mask(asked: HubRequest) -> Response:
    """Return the likeliest tokens of a mask; of several masks, a list for each."""
    wanted = checked_parameters(FillParameters, asked.parameters)
    targets = None if wanted.targets is None else tuple(wanted.targets)
    k = wanted.top_k or (5 if targets is None else len(targets))
    found = await asked.ask("fill", [(text,) for text in asked.texts], FillOptions(k, targets))
    answers = []
    for masks in found.answers:
        filled = [[_filled(asked.model, answer) for answer in mask] for mask in masks]
        answers.append(filled[0] if len(filled) == 1 else filled)
    return asked.reply(answers, found)


def _filled(model: ServedModel, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a token at a mask; what models of spans write is text already, and has no id."""
    index = _token_ids(model).get(answer["token"])
    tokenizer = model.model.tokenizer
    return {
        "score": answer["probability"],
        "token": -1 if index is None else index,
        "token_str": answer["token"]
        if index is None
        else decoded(tokenizer, [index], skip_special=False),
        "sequence": answer["text"],
    }


@lru_cache(16)
def _token_ids(model: ServedModel) -> dict[str, int]:
    return {token: index for index, token in enumerate(model.model.tokenizer.tokens)}


class QuestionParameters(HubParameters):
    """Which answers a client wants."""

    top_k: int = Field(default=1, ge=1, le=100)
    handle_impossible_answer: bool | None = None  # the model knows whether it may abstain


async def question_answering(asked: HubRequest) -> Response:
    """Return the answer to a question; several in a list. ``""`` stands for none."""
    wanted = checked_parameters(QuestionParameters, asked.parameters)
    question, passage = (asked.inputs.get(name) for name in ("question", "context"))
    if not isinstance(question, str) or not isinstance(passage, str):
        raise CannotServe("inputs has no texts 'question' and 'context'.")
    options = AnswerOptions(None if wanted.top_k == 1 else wanted.top_k)
    found = await asked.ask("answer", [(question, passage)], options, as_items=list)
    answers = [
        {
            "answer": each["text"],
            "score": each["probability"],
            "start": each["start"] or 0,
            "end": each["end"] or 0,
        }
        for each in found.answers[0]["answers"]
    ]
    return json_reply(answers[0] if wanted.top_k == 1 else answers, found.headers)


class DecodingParameters(HubParameters):
    """How a client wants texts to be searched for."""

    num_beams: int | None = Field(default=None, ge=1, le=100)
    max_new_tokens: int | None = Field(default=None, ge=1, le=4096)


class WritingParameters(HubParameters):
    """How a client wants texts to be read and written."""

    generate_parameters: DecodingParameters = DecodingParameters()
    truncation: Literal["do_not_truncate", "longest_first", "only_first"] | None = None


async def text_to_text(asked: HubRequest) -> Response:
    """Return what each text becomes; nothing in a request says whether that is a translation."""
    wanted = checked_parameters(WritingParameters, asked.parameters)
    cutting = Cutting(False if wanted.truncation == "do_not_truncate" else None)
    options = TranslateOptions(
        1, wanted.generate_parameters.num_beams, wanted.generate_parameters.max_new_tokens
    )
    found = await asked.ask("translate", [(text,) for text in asked.texts], options, cutting)
    texts = [record["outputs"][0]["text"] for record in found.answers]
    names = ("translation_text", "summary_text", "generated_text")
    return json_reply([dict.fromkeys(names, text) for text in texts], found.headers)


async def written_text(asked: HubRequest) -> Response:
    """Return a text that continues a prompt."""
    [prompt] = asked.texts if len(asked.texts) == 1 else [None]
    if prompt is None:
        raise CannotServe("inputs is a list; a prompt is one text.")
    return await text_generation(
        asked.request, asked.model, prompt, asked.parameters, is_stream=asked.is_stream
    )


# Ability to task; the first one that a model has is its own.
TASKS: dict[str, Task] = {
    "tag": token_classification,
    "fill": fill_mask,
    "generate": written_text,
    "translate": text_to_text,
    "predict": text_classification,
}
