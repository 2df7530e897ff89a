"""Text generated after a prompt: pieces as they come, and where it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from foretext.data.framing import Framing
from foretext.errors import CorpusError, SettingError
from foretext.generation import Sampling, generate_ids
from foretext.language_model.abilities import cannot
from foretext.language_model.networks import Networks
from foretext.objectives.reading import Reading
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Continuation", "Stream", "continue_prompt"]

Stream = Callable[[str], None]  # takes text as it comes
CONTEXT = 8  # tokens of the prompt, which decide how the first new one is written
UNFINISHED = "\ufffd"  # stands for the first bytes of a letter


@dataclass(frozen=True)
class Continuation:
    """What was generated after a prompt."""

    prompt: str
    text: str  # without the prompt, and without the stop that ended it
    ids: list[int]  # every new token
    ended_by: Literal["end", "stop", "length"]  # the end token, a stop, or max_new_tokens
    num_forgotten: int  # tokens at the beginning of the prompt that did not fit

    def __str__(self) -> str:
        return self.prompt + self.text


def continue_prompt(
    networks: Networks,
    tokenizer: SubwordTokenizer,
    framing: Framing,
    prompt: str,
    sampling: Sampling,
    *,
    max_new_tokens: int,
    num_samples: int,
    seed: int,
    stop: Sequence[str],
    stream: Stream | None,
    source: str | None = None,
) -> list[Continuation]:
    """Continue a prompt; `LanguageModel.generate` describes the arguments."""
    objective = networks.original.objective
    if objective is None or not objective.continues:
        raise cannot("generate", "a causal model (GPT)", objective)
    if source is not None and not objective.continues_sources:
        raise cannot("source =", "a model that learned to write after a source (UniLM)", objective)
    end = objective.end
    assert end is not None, f"{type(objective).__name__} continues texts and has no end token"
    _check(sampling, num_samples, max_new_tokens, stop, stream)
    reading = objective.reading(None if source is None else tokenizer.encode(source))
    length = reading.room(framing.max_length)
    if length < 2:
        raise CorpusError(
            f"The source has {len(reading.opening):,} tokens with those around it, and the model "
            f"has {framing.max_length:,} positions for it and the new text; shorten it."
        )
    ids = _prompt_ids(tokenizer, framing, reading, prompt)
    kept = ids[-_room(length, max_new_tokens) :]
    writers = [Writer(tokenizer, kept[-CONTEXT:], end, stop, stream) for _ in range(num_samples)]
    samples = generate_ids(
        networks.decoder(reading),
        torch.tensor(kept, dtype=torch.int64, device=networks.device),
        sampling,
        lambda sample, new: writers[sample].take(new[-1]),
        max_new_tokens=max_new_tokens,
        num_samples=num_samples,
        seed=seed,
    )
    return [
        Continuation(prompt, writer.finish(), new, writer.ended_by, len(ids) - len(kept))
        for writer, new in zip(writers, samples, strict=True)
    ]


class Writer:
    """Turns the tokens of one sample into text, looks for stops, and streams what is certain.

    Args:
        tokenizer: of the ids.
        context: ids that stand before the first new one.
        end: id that ends a text.
        stop: texts that end a sample, and are not part of it.
        stream: takes the text as it comes, or None.
    """

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        context: Sequence[int],
        end: int,
        stop: Sequence[str],
        stream: Stream | None,
    ) -> None:
        self.ended_by: Literal["end", "stop", "length"] = "length"
        self._tokenizer = tokenizer
        self._ids = list(context)
        self._known = 0  # ids before these are written and needed no more
        self._written = len(self._ids)  # ids whose text is in `_text`
        self._end = end
        self._stop = stop
        self._stream = stream
        self._text = ""
        self._shown = 0  # letters that the stream got

    def take(self, token: int) -> bool:
        """Add a token; True where it ends the text."""
        if token == self._end:
            self.ended_by = "end"
            return True
        self._ids.append(token)
        self._write(self._piece(), certain=False)
        if self.ended_by == "stop":
            return True
        self._show(len(self._text) - self._held_back())
        return False

    def finish(self) -> str:
        """Return the whole text, and show what was held back."""
        if self.ended_by != "stop":
            self._write(self._piece(), certain=True)
        self._show(len(self._text))
        return self._text

    def _piece(self) -> str:
        """Text of the ids that are not written yet, as it reads after those before them."""
        before = self._tokenizer.decode(self._ids[self._known : self._written])
        return self._tokenizer.decode(self._ids[self._known :])[len(before) :]

    def _write(self, piece: str, *, certain: bool) -> None:
        if piece.endswith(UNFINISHED) and not certain:
            return
        self._known, self._written = self._written, len(self._ids)
        searched = max(len(self._text) - max(map(len, self._stop), default=0), 0)
        self._text += piece
        found = [at for stop in self._stop if (at := self._text.find(stop, searched)) >= 0]
        if found:
            self._text, self.ended_by = self._text[: min(found)], "stop"

    def _held_back(self) -> int:
        """Letters at the end of the text that may be the beginning of a stop."""
        return max(
            (
                length
                for stop in self._stop
                for length in range(1, len(stop))
                if self._text.endswith(stop[:length])
            ),
            default=0,
        )

    def _show(self, length: int) -> None:
        if self._stream is not None and length > self._shown:
            self._stream(self._text[self._shown : length])
            self._shown = length


def _room(max_length: int, max_new_tokens: int) -> int:
    """Tokens of a prompt that are read: all that leave room for the new ones, or half."""
    return max(max_length - max_new_tokens, max_length // 2, 1)


def _prompt_ids(
    tokenizer: SubwordTokenizer, framing: Framing, reading: Reading, prompt: str
) -> list[int]:
    if reading.opening:
        return tokenizer.encode(prompt)
    ids = framing.around(tokenizer.encode(prompt))
    if ids:
        return ids
    start = tokenizer.special.start
    if start is None:
        raise CorpusError("The prompt is empty, and the tokenizer has no token to begin with.")
    return [start]


def _check(
    sampling: Sampling,
    num_samples: int,
    max_new_tokens: int,
    stop: Sequence[str],
    stream: Stream | None,
) -> None:
    if num_samples < 1 or max_new_tokens < 1:
        raise SettingError(
            f"num_samples = {num_samples}, max_new_tokens = {max_new_tokens}: take 1 or more."
        )
    if "" in stop:
        raise SettingError("stop = '': an empty text would stop at once; leave it out.")
    if num_samples > 1 and sampling.temperature == 0:
        raise SettingError(
            f"num_samples = {num_samples}: at temperature 0 all samples would be the same; set a "
            "temperature above 0, or take one sample."
        )
    if num_samples > 1 and stream is not None:
        raise SettingError(
            f"num_samples = {num_samples}: one sample can be streamed, several would mix."
        )
