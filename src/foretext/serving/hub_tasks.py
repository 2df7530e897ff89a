"""Tasks as huggingface_hub's `InferenceClient` knows them: what it sends, and what it reads.

The forms are those of `huggingface_hub/inference/_generated/types`. Each function answers by an
ability of a model that has it.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from foretext.base.errors import ForetextError
from foretext.serving.abilities.answer import AnswerOptions
from foretext.serving.abilities.decode import decoded
from foretext.serving.abilities.fill import FillOptions
from foretext.serving.abilities.generate import Generate, GenerateOptions, Written
from foretext.serving.abilities.predict import PredictOptions
from foretext.serving.abilities.translate import TranslateOptions
from foretext.serving.errors import CannotServe, error_body
from foretext.serving.fitting import Cutting, Texts
from foretext.serving.routes.openai.completions import EVENT_HEADERS, reported
from foretext.serving.routes.tei import predictions_of
from foretext.serving.served_model import ServedModel
from foretext.serving.service import Service
from foretext.serving.text_request import Answered, ask, json_reply, single_texts
from foretext.serving.writing import Pause

if TYPE_CHECKING:
    from foretext.language_model import NewToken

__all__ = ["TASKS", "HubRequest", "question_answering"]

AS_IN_PYTHON = Cutting()

SEEDS = 1 << 31
ENDED = {"length": "length", "end": "eos_token", "stop": "stop_sequence"}
SAMPLING = ("temperature", "top_k", "top_p")

T = TypeVar("T", bound="_HubParameters")


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
    ) -> Answered:
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

    def reply(self, answers: list[Any], answered: Answered) -> Response:
        """Return the answer to a text as it is, those to a list in a list."""
        return json_reply(answers[0] if isinstance(self.inputs, str) else answers, answered.headers)


Task = Callable[[HubRequest], Awaitable[Response]]


class _HubParameters(BaseModel):
    """Those of a task that have an effect; a client leaves the others out."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="forbid")


class ClassificationParameters(_HubParameters):
    """Which labels a client wants."""

    top_k: int | None = Field(default=None, ge=1)
    function_to_apply: Literal["none"] | None = None  # the model has its own
    truncation: bool | None = None


async def text_classification(task_request: HubRequest) -> Response:
    """Return the labels of a text, or of a pair of texts, in a list more than ``/predict`` does."""
    wanted = _checked_parameters(ClassificationParameters, task_request.parameters)
    options = PredictOptions(all_labels=True, raw=wanted.function_to_apply == "none")
    inputs: list[Texts] = [(text,) for text in task_request.texts]
    if len(task_request.model.model.fields) > 1:
        inputs = [tuple(task_request.texts)]
    found = await task_request.ask("predict", inputs, options, as_items=list)
    answers = [predictions_of(record) for record in found.answers]
    return json_reply([_first(each, wanted.top_k) for each in answers], found.headers)


def _first(answer: Any, k: int | None) -> Any:
    return answer[:k] if isinstance(answer, list) else answer


class TokenParameters(_HubParameters):
    """Which entities a client wants; they are whole, so that all strategies give the same."""

    aggregation_strategy: Literal["simple", "first", "average", "max"] | None = None
    ignore_labels: tuple[str, ...] = ()

    model_config = ConfigDict(strict=False, extra="forbid")


async def token_classification(task_request: HubRequest) -> Response:
    """Return the entities of a text with their places, or all its tokens with their tags."""
    wanted = _checked_parameters(TokenParameters, task_request.parameters)
    found = await task_request.ask("tag", [(text,) for text in task_request.texts])
    answers = [
        [each for each in _tagged(record) if each["label"] not in wanted.ignore_labels]
        for record in found.answers
    ]
    for each in (entity for answer in answers for entity in answer):
        each[each.pop("is")] = each.pop("label")
    return task_request.reply(answers, found)


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


class FillParameters(_HubParameters):
    """Which tokens a client wants at a mask."""

    top_k: int | None = Field(default=None, ge=1, le=1000)
    targets: list[str] | None = Field(default=None, min_length=1, max_length=1000)


async def fill_mask(task_request: HubRequest) -> Response:
    """Return the likeliest tokens of a mask; of several masks, a list for each."""
    wanted = _checked_parameters(FillParameters, task_request.parameters)
    targets = None if wanted.targets is None else tuple(wanted.targets)
    k = wanted.top_k or (5 if targets is None else len(targets))
    found = await task_request.ask(
        "fill", [(text,) for text in task_request.texts], FillOptions(k, targets)
    )
    answers = []
    for masks in found.answers:
        filled = [[_filled(task_request.model, answer) for answer in mask] for mask in masks]
        answers.append(filled[0] if len(filled) == 1 else filled)
    return task_request.reply(answers, found)


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


class QuestionParameters(_HubParameters):
    """Which answers a client wants."""

    top_k: int = Field(default=1, ge=1, le=100)
    handle_impossible_answer: bool | None = None  # the model knows whether it may abstain


async def question_answering(task_request: HubRequest) -> Response:
    """Return the answer to a question; several in a list. ``""`` stands for none."""
    wanted = _checked_parameters(QuestionParameters, task_request.parameters)
    question, passage = (task_request.inputs.get(name) for name in ("question", "context"))
    if not isinstance(question, str) or not isinstance(passage, str):
        raise CannotServe("inputs has no texts 'question' and 'context'.")
    options = AnswerOptions(None if wanted.top_k == 1 else wanted.top_k)
    found = await task_request.ask("answer", [(question, passage)], options, as_items=list)
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


class DecodingParameters(_HubParameters):
    """How a client wants texts to be searched for."""

    num_beams: int | None = Field(default=None, ge=1, le=100)
    max_new_tokens: int | None = Field(default=None, ge=1, le=4096)


class WritingParameters(_HubParameters):
    """How a client wants texts to be read and written."""

    generate_parameters: DecodingParameters = DecodingParameters()
    truncation: Literal["do_not_truncate", "longest_first", "only_first"] | None = None


async def text_to_text(task_request: HubRequest) -> Response:
    """Return what each text becomes; nothing in a request says whether that is a translation."""
    wanted = _checked_parameters(WritingParameters, task_request.parameters)
    cutting = Cutting(False if wanted.truncation == "do_not_truncate" else None)
    options = TranslateOptions(
        1, wanted.generate_parameters.num_beams, wanted.generate_parameters.max_new_tokens
    )
    found = await task_request.ask(
        "translate", [(text,) for text in task_request.texts], options, cutting
    )
    texts = [record["outputs"][0]["text"] for record in found.answers]
    names = ("translation_text", "summary_text", "generated_text")
    return json_reply([dict.fromkeys(names, text) for text in texts], found.headers)


async def written_text(task_request: HubRequest) -> Response:
    """Return a text that continues a prompt."""
    [prompt] = task_request.texts if len(task_request.texts) == 1 else [None]
    if prompt is None:
        raise CannotServe("inputs is a list; a prompt is one text.")
    return await text_generation(
        task_request.request,
        task_request.model,
        prompt,
        task_request.parameters,
        is_stream=task_request.is_stream,
    )


# Ability to task; the first one that a model has is its own.
TASKS: dict[str, Task] = {
    "tag": token_classification,
    "fill": fill_mask,
    "generate": written_text,
    "translate": text_to_text,
    "predict": text_classification,
}


class GenerationParameters(_HubParameters):
    """How a client wants the text; nothing is drawn where it sets nothing of drawing."""

    max_new_tokens: int = Field(default=100, ge=1, le=4096)
    do_sample: bool = False
    temperature: float | None = Field(default=None, ge=0.01, le=100)
    top_k: int | None = Field(default=None, ge=1)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = Field(default=None, ge=0, lt=1 << 63)
    stop: list[str] = Field(default=[], max_length=4)
    return_full_text: bool = False
    details: bool = False

    def options(self) -> GenerateOptions:
        """Return them as those of the ability."""
        draws = self.do_sample or not self.model_fields_set.isdisjoint(SAMPLING)
        seed = secrets.randbelow(SEEDS) if draws and self.seed is None else self.seed or 0
        return GenerateOptions(
            max_new_tokens=self.max_new_tokens,
            temperature=(self.temperature or 1.0) if draws else 0.0,
            top_k=self.top_k,
            top_p=self.top_p,
            seed=seed,
            stop=tuple(self.stop),
            topn=1,
        )


class Told(NamedTuple):
    """A token of a stream, or at its end the whole text."""

    token: NewToken | None
    written: Written | None = None


async def text_generation(
    request: Request,
    model: ServedModel,
    prompt: str,
    parameters: Mapping[str, Any] | None,
    *,
    is_stream: bool,
) -> Response:
    """Return a text that continues a prompt, or, of some models, that is written for it.

    Raises:
        ForetextError: a parameter has no effect, or the model cannot continue the prompt.
    """
    wanted = _checked_parameters(GenerationParameters, parameters)
    generation = _Generation(request, model, prompt, wanted)
    if not is_stream:
        return json_reply([await generation.whole()])
    events = generation.events()
    first = await anext(events)  # what is refused before it has a status of its own
    sent = _after(first, events, request.url.path)
    return StreamingResponse(sent, media_type="text/event-stream", headers=EVENT_HEADERS)


async def _after(
    first: bytes, events: AsyncGenerator[bytes, None], path: str
) -> AsyncGenerator[bytes, None]:
    """Yield events, and where the text cannot be finished the reason as the last one."""
    async with aclosing(events):
        yield first
        try:
            async for event in events:
                yield event
        except ForetextError as error:
            yield _line(error_body(path, error))


class _Generation:
    """One prompt, and what is written for it."""

    def __init__(
        self, request: Request, model: ServedModel, prompt: str, wanted: GenerationParameters
    ) -> None:
        self.request = request
        self.model = model
        self.prompt = prompt
        self.wanted = wanted
        self.options = wanted.options()
        self.writer = cast(Generate, model.ability("generate"))

    async def whole(self) -> dict[str, Any]:
        """Return the text, and how it was written where that is asked for."""
        written = await self._write(lambda _: None)
        found: dict[str, Any] = {"generated_text": self._text(written)}
        if self.writer.answers_prompts:  # nothing in a request says whether it is a translation
            found |= dict.fromkeys(("translation_text", "summary_text"), written.continuation.text)
        if self.wanted.details:
            tokens = [self._token(token) for token in written.tokens]
            found["details"] = {**self._details(written), "prefill": [], "tokens": tokens}
        return found

    async def events(self) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events, a token each; the last one has the whole text."""
        held: NewToken | None = None
        async with aclosing(reported(self._write)) as reports:
            async for token, written in reports:
                if held is not None:
                    yield self._event(held, written)
                held = token

    async def _write(self, report: Callable[[Told], object]) -> Written:
        def work(pause: Pause) -> Written:
            def watch(token: NewToken) -> None:
                report(Told(token))
                pause()

            [written] = self.writer.write(self.prompt, self.options, watch)
            report(Told(None, written))
            return written

        service = Service.of(self.request)
        return await service.write(self.request, "generate", work, model=self.model.name)

    def _text(self, written: Written) -> str:
        text = written.continuation.text
        return self.prompt + text if self.wanted.return_full_text else text

    def _event(self, token: NewToken, written: Written | None) -> bytes:
        """Return a token; the last one has `written`."""
        event: dict[str, Any] = {
            "index": 0,
            "token": self._token(token),
            "generated_text": None if written is None else self._text(written),
            "details": None if written is None else self._details(written),
        }
        return _line(event)

    def _token(self, token: NewToken) -> dict[str, Any]:
        is_special = not self.model.model.tokenizer.ordinary[token.id]
        return {
            "id": token.id,
            "text": token.text,
            "logprob": token.log_prob,
            "special": bool(is_special),
        }

    def _details(self, written: Written) -> dict[str, Any]:
        return {
            "finish_reason": ENDED[written.continuation.ended_by],
            "generated_tokens": len(written.tokens),
            "seed": self.options.seed,
        }


def _line(event: Mapping[str, Any]) -> bytes:
    return b"data:" + orjson.dumps(event) + b"\n\n"


def _checked_parameters(kind: type[T], given: Mapping[str, Any] | None) -> T:
    """Return parameters that a client gave; null and false stand for what it did not give.

    Raises:
        CannotServe: one has no effect on this task, or no such value.
    """
    chosen = {name: value for name, value in (given or {}).items() if value not in (None, False)}
    try:
        return kind.model_validate(chosen)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            known = ", ".join(kind.model_fields) or "none"
            raise CannotServe(
                f"parameters.{name} has no effect on this model; leave it out (known: {known})."
            ) from None
        raise CannotServe(f"parameters.{name}: {first['msg']}.") from None
