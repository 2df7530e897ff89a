"""Texts that continue a prompt, in the form of text-generation-inference, whole or as a stream."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import orjson
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from foretext.base.errors import ForetextError
from foretext.serving.abilities.generate import Generate, GenerateOptions, Written
from foretext.serving.errors import error_body
from foretext.serving.hub_parameters import HubParameters, checked_parameters
from foretext.serving.routes.openai.completions import EVENT_HEADERS
from foretext.serving.routes.openai.events import reported
from foretext.serving.served_model import ServedModel
from foretext.serving.service import Service
from foretext.serving.text_request import json_reply
from foretext.serving.writing import Pause

if TYPE_CHECKING:
    from foretext.language_model import NewToken

__all__ = ["text_generation"]

SEEDS = 1 << 31
ENDED = {"length": "length", "end": "eos_token", "stop": "stop_sequence"}
SAMPLING = ("temperature", "top_k", "top_p")


class GenerationParameters(HubParameters):
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
    wanted = checked_parameters(GenerationParameters, parameters)
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
        written = await self._write(lambda told: None)
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
