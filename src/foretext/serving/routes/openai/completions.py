"""Texts that a model writes: ``POST /v1/completions``, whole or as server-sent events."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from foretext.base.errors import ForetextError
from foretext.serving.abilities.generate import Generate, Written
from foretext.serving.abilities.likelihood import LikelihoodOptions, ScoredText
from foretext.serving.errors import CannotServe, error_body
from foretext.serving.routes.openai.completion_body import CompletionBody
from foretext.serving.routes.openai.inputs import Item
from foretext.serving.service import Service, Trace
from foretext.serving.token_texts import ScoredTokens
from foretext.serving.writing import Pause

if TYPE_CHECKING:
    from foretext.language_model import NewToken

__all__ = ["reported", "router"]

router = APIRouter()

EVENT_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}  # pass on what comes

T = TypeVar("T")
Report = Callable[[T], None]

FINISHED = {"end": "stop", "stop": "stop", "length": "length"}  # our words, and those of OpenAI


@router.post("/completions")
async def completions(body: CompletionBody, request: Request) -> Response:
    """Return texts that continue each prompt."""
    completion = _Completion(body, request)
    if body.stream:
        events = _events(completion, request)
        first = await anext(events)  # an error before it has a status of its own
        return StreamingResponse(
            _after(first, events), media_type="text/event-stream", headers=EVENT_HEADERS
        )
    choices = await completion.choices()
    Trace.of(request.scope).num_tokens += completion.usage.completion_tokens
    warning = completion.warning
    headers = {} if warning is None else {"x-warning": warning}
    return Response(
        _json(completion.reply(choices)), media_type="application/json", headers=headers
    )


async def _events(completion: _Completion, request: Request) -> AsyncGenerator[bytes, None]:
    """Yield an event for each piece of text, and one that ends the stream."""
    begun = False
    try:
        async with aclosing(completion.stream()) as pieces:
            async for piece in pieces:
                yield _event(completion.reply([piece], usage=False))
                begun = True
    except ForetextError as error:
        if not begun:
            raise
        yield _event(error_body(request.url.path, error))
        return
    Trace.of(request.scope).num_tokens += completion.usage.completion_tokens
    options = completion.body.stream_options
    if options is not None and options.include_usage:
        yield _event(completion.reply([]))
    yield b"data: [DONE]\n\n"


async def _after(first: bytes, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(events):
        yield first
        async for event in events:
            yield event


def _event(content: dict[str, Any]) -> bytes:
    return b"data: " + _json(content) + b"\n\n"


def _json(content: Any) -> bytes:
    """Return JSON, in which a probability of 0 has no logarithm."""
    return to_json(content, inf_nan_mode="null")


class _Usage(NamedTuple):
    """How many tokens were read and written."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, read: int, written: int) -> _Usage:
        """Return the sum."""
        return _Usage(self.prompt_tokens + read, self.completion_tokens + written)

    def as_json(self) -> dict[str, int]:
        """Return the counts as OpenAI's clients read them."""
        return {**self._asdict(), "total_tokens": sum(self)}


class _Completion:
    """The prompts of a request, and how they are continued.

    Raises:
        ServingError: the model cannot do what is asked.
    """

    def __init__(self, body: CompletionBody, request: Request) -> None:
        self.body = body
        self.request = request
        self.service = Service.of(request)
        self.model = self.service.models.find(body.model, "generate")
        self.writer = cast(Generate, self.model.ability("generate"))
        self.prompts = body.prompts
        self.usage = _Usage()
        self.num_forgotten = 0  # tokens of prompts that did not fit
        self._facts = {
            "id": f"cmpl-{uuid.uuid4().hex}",
            "object": "text_completion",
            "created": int(time.time()),
            "model": self.model.name,
        }
        self._check()

    def _check(self) -> None:
        num_texts = len(self.prompts) * self.body.num_samples
        if num_texts > self.service.settings.max_inputs:
            raise CannotServe(
                f"The request asks for {num_texts:,} texts, and this server writes "
                f"{self.service.settings.max_inputs:,} for a request; send several."
            )
        if self.body.suffix and not self.writer.writes_spans:
            raise CannotServe(
                f"suffix: '{self.model.name}' does not know what follows the text that it writes; "
                "leave suffix out, or ask a model that writes spans (T5, BART)."
            )
        if self.body.echo and self.writer.answers_prompts:
            raise CannotServe(
                f"echo: '{self.model.name}' writes a text for the prompt and does not continue it; "
                "leave echo out."
            )

    def reply(self, choices: list[_Choice], *, usage: bool = True) -> dict[str, Any]:
        """Return an answer, or an event of a stream."""
        return {
            **self._facts,
            "choices": [choice.as_json() for choice in choices],
            "usage": self.usage.as_json() if usage else None,
        }

    @property
    def warning(self) -> str | None:
        """What a client should know of prompts that did not fit; None: all did."""
        if not self.num_forgotten:
            return None
        return (
            f"the prompts and the new texts are longer than the model reads at once: the first "
            f"{self.num_forgotten} tokens of the prompts were not read"
        )

    async def choices(self) -> list[_Choice]:
        """Return the texts of all prompts."""
        found: list[_Choice] = []
        for prompt, scored in zip(self.prompts, await self._scored(), strict=True):
            if scored is not None and self.body.only_scores:
                found.append(self._from_scores(scored, len(found)))
            else:
                found += await self._write(prompt, scored, len(found))
        return found

    async def stream(self) -> AsyncGenerator[_Choice, None]:
        """Yield pieces of texts as they come; those of a prompt's texts alternate."""
        first = 0
        for prompt, scored in zip(self.prompts, await self._scored(), strict=True):
            async with aclosing(reported(partial(self._write, prompt, scored, first))) as pieces:
                async for piece in pieces:
                    yield piece
            first += self.body.num_texts

    async def _scored(self) -> list[ScoredText] | list[None]:
        """Return the prompts with the scores of their tokens, where both are asked for."""
        if not self.body.echo or self.body.logprobs is None:
            return [None] * len(self.prompts)
        options = LikelihoodOptions(self.body.logprobs)
        answered = await self.service.answer(
            self.request, "likelihood", self.prompts, options, model=self.model.name
        )
        return answered.answers

    def _from_scores(self, scored: ScoredText, index: int) -> _Choice:
        """Return a prompt with the token that is likeliest after it, or without."""
        if self.body.num_tokens == 0:
            self.usage = self.usage.plus(scored.num_tokens, 0)
            return _Choice(index, scored.text, scored.tokens, "length")
        self.usage = self.usage.plus(scored.num_tokens, 1)
        tokens = scored.tokens.then(scored.following, len(scored.text))
        reason = "stop" if scored.new_text is None else "length"
        return _Choice(index, scored.text + (scored.new_text or ""), tokens, reason)

    async def _write(
        self,
        prompt: Item,
        scored: ScoredText | None,
        first: int,
        report: Callable[[_Choice], None] | None = None,
    ) -> list[_Choice]:
        """Return the texts of a prompt, the first of them with the index `first`."""
        turn = _PromptInWork(self.body, self.writer, prompt, scored, first, report)
        written = await self.service.write(
            self.request, "generate", turn.write, model=self.model.name
        )
        self.usage = self.usage.plus(turn.num_read, turn.num_written)
        self.num_forgotten += turn.num_forgotten
        return written


async def reported(work: Callable[[Report[T]], Awaitable[object]]) -> AsyncGenerator[T, None]:
    """Yield what work reports, from whichever thread; closing the iterator cancels the work.

    Args:
        work: gets what to call with each report.

    Raises:
        Exception: what the work raises, after its reports.
    """
    loop = asyncio.get_running_loop()
    reports: asyncio.Queue[tuple[T] | None] = asyncio.Queue()

    def report(content: T) -> None:
        loop.call_soon_threadsafe(reports.put_nowait, (content,))

    async def run() -> None:
        try:
            await work(report)
        finally:
            loop.call_soon(reports.put_nowait, None)  # behind the reports that are on their way

    task = asyncio.create_task(run())
    try:
        while (found := await reports.get()) is not None:
            yield found[0]
        await task
    finally:
        task.cancel()


class _Choice(NamedTuple):
    """A text, or a piece of it in a stream."""

    place: int  # among the texts of a request
    text: str
    tokens: ScoredTokens | None = None  # None: they are not asked for
    finish_reason: str | None = None  # None: there is more to come

    def as_json(self) -> dict[str, Any]:
        """Return the choice as OpenAI's clients read it."""
        logprobs = None
        if self.tokens is not None:
            logprobs = {
                "tokens": self.tokens.pieces,
                "token_logprobs": self.tokens.log_probs,
                "top_logprobs": self.tokens.likeliest,
                "text_offset": self.tokens.starts,
            }
        return {
            "index": self.place,
            "text": self.text,
            "logprobs": logprobs,
            "finish_reason": self.finish_reason,
        }


class _PromptInWork:
    """Writes the texts of a prompt, and reports their pieces.

    Args:
        body: of the request.
        writer: of the model.
        prompt: to continue.
        scored: the prompt with the scores of its tokens, where they are echoed.
        first: index of the first text.
        report: takes each piece as it comes; None: the texts are returned whole.
    """

    def __init__(
        self,
        body: CompletionBody,
        writer: Generate,
        prompt: Item,
        scored: ScoredText | None,
        first: int,
        report: Callable[[_Choice], None] | None,
    ) -> None:
        self.body = body
        self.writer = writer
        self.prompt = prompt
        self.first = first
        self.num_read = self.num_written = self.num_forgotten = 0
        self._echo = writer.prompt_text(prompt) if body.echo else ""
        self._echoed = None if scored is None else scored.tokens
        self._report = report
        self._texts: list[_Growing] = []

    def write(self, pause: Pause) -> list[_Choice]:
        """Return the texts; called in the model's thread."""
        ids, suffix = self.writer.prompt_ids(self.prompt), self.body.suffix
        self.num_read = len(ids) + (len(self.writer.prompt_ids(suffix)) if suffix else 0)
        is_source = self.writer.answers_prompts and not suffix
        before = None if is_source or not ids else ids[-1]
        if self.body.num_tokens == 0:
            return self._only_echo()
        self._texts = [_Growing(before, len(self._echo)) for _ in range(self.body.num_samples)]

        def watch(token: NewToken) -> None:
            if self._report is not None:
                self._tell(token, self._report)
            pause()

        written = self.writer.write(self.prompt, self.body.options(), watch)
        self.num_written = sum(len(each.tokens) for each in written)
        self.num_forgotten = written[0].continuation.num_forgotten
        if self._report is not None:
            for sample, each in enumerate(written):
                self._report(self._last_piece(sample, each))
            return []
        return self._whole(written, before)

    def _only_echo(self) -> list[_Choice]:
        choices = [
            _Choice(self.first + number, self._echo, self._echoed, "length")
            for number in range(self.body.num_texts)
        ]
        if self._report is None:
            return choices
        for choice in choices:
            self._report(choice)
        return []

    def _whole(self, written: Sequence[Written], before: int | None) -> list[_Choice]:
        """Return the texts that are asked for, of all that were written."""
        if self.body.num_samples > self.body.num_texts:
            written = sorted(written, key=lambda each: -each.mean_log_prob)[: self.body.num_texts]
        choices = []
        for number, (continuation, tokens) in enumerate(written):
            scored = None
            if self.body.logprobs is not None:
                scored = self.writer.scored(tokens, before)
                if self._echoed is not None:
                    scored = self._echoed.then(scored, len(self._echo))
            text = self._echo + continuation.text
            reason = FINISHED[continuation.ended_by]
            choices.append(_Choice(self.first + number, text, scored, reason))
        return choices

    def _tell(self, token: NewToken, report: Callable[[_Choice], None]) -> None:
        """Report what a token adds, and before the first one of a text its prompt."""
        growing, index = self._texts[token.sample], self.first + token.sample
        if not growing.num_tokens and self.body.echo:
            report(_Choice(index, self._echo, self._echoed))
        scored = None
        if self.body.logprobs is not None:
            scored = self.writer.scored([token], growing.before)
            scored = ScoredTokens([], [], [], []).then(scored, growing.length)
        growing.take(token)
        if token.text or scored is not None:
            report(_Choice(index, token.text, scored))

    def _last_piece(self, sample: int, written: Written) -> _Choice:
        certain = self._texts[sample].length - len(self._echo)
        text, reason = written.continuation.text, FINISHED[written.continuation.ended_by]
        return _Choice(self.first + sample, text[certain:], None, reason)


class _Growing:
    """How far one text is."""

    def __init__(self, before: int | None, length: int) -> None:
        self.before = before  # the newest token, of the prompt or of the text
        self.length = length  # letters that were reported, those of an echoed prompt too
        self.num_tokens = 0

    def take(self, token: NewToken) -> None:
        self.before = token.id
        self.length += len(token.text)
        self.num_tokens += 1
