"""The texts of one prompt, as they are written in the model's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from foretext.serving.abilities.generate import Generate, Written
from foretext.serving.abilities.likelihood import ScoredText
from foretext.serving.routes.openai.completion_body import CompletionBody
from foretext.serving.routes.openai.inputs import Item
from foretext.serving.token_texts import ScoredTokens
from foretext.serving.writing import Pause

if TYPE_CHECKING:
    from foretext.language_model import NewToken

__all__ = ["Choice", "PromptInWork"]

FINISHED = {"end": "stop", "stop": "stop", "length": "length"}  # our words, and those of OpenAI


class Choice(NamedTuple):
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


class PromptInWork:
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
        report: Callable[[Choice], None] | None,
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

    def write(self, pause: Pause) -> list[Choice]:
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

    def _only_echo(self) -> list[Choice]:
        choices = [
            Choice(self.first + number, self._echo, self._echoed, "length")
            for number in range(self.body.num_texts)
        ]
        if self._report is None:
            return choices
        for choice in choices:
            self._report(choice)
        return []

    def _whole(self, written: Sequence[Written], before: int | None) -> list[Choice]:
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
            choices.append(Choice(self.first + number, text, scored, reason))
        return choices

    def _tell(self, token: NewToken, report: Callable[[Choice], None]) -> None:
        """Report what a token adds, and before the first one of a text its prompt."""
        growing, index = self._texts[token.sample], self.first + token.sample
        if not growing.num_tokens and self.body.echo:
            report(Choice(index, self._echo, self._echoed))
        scored = None
        if self.body.logprobs is not None:
            scored = self.writer.scored([token], growing.before)
            scored = ScoredTokens([], [], [], []).then(scored, growing.length)
        growing.take(token)
        if token.text or scored is not None:
            report(Choice(index, token.text, scored))

    def _last_piece(self, sample: int, written: Written) -> Choice:
        certain = self._texts[sample].length - len(self._echo)
        text, reason = written.continuation.text, FINISHED[written.continuation.ended_by]
        return Choice(self.first + sample, text[certain:], None, reason)


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
