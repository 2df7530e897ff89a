"""Text generated after a prompt, after a source, or both.

New tokens of several samples, each reported as soon as it is chosen. B samples that have not
ended, V ids, K of the likeliest tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from foretext.base.errors import CorpusError, SettingError
from foretext.data.framing import Framing
from foretext.generation import BeamSearch, Decoder, Decoding, Sampling, generate_ids
from foretext.language_model.filling import cannot
from foretext.language_model.likelihood import check_ids
from foretext.language_model.networks import Networks
from foretext.objectives.base import Objective
from foretext.objectives.gap import Gap
from foretext.objectives.reading import Reading
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = [
    "Continuation",
    "NewToken",
    "Prompt",
    "Stream",
    "Writer",
    "Writing",
    "continue_prompt",
    "insert_text",
    "prompt_ids",
]

Prompt = str | Sequence[int]  # a text, or its ids

CONTEXT = 8  # tokens of the prompt, which decide how the first new one is written

Stream = Callable[[str], None]  # takes text as it comes
EndedBy = Literal["end", "stop", "length"]  # the end token, a stop, or the most tokens allowed
UNFINISHED = "\ufffd"  # stands for the first bytes of a letter


@dataclass(frozen=True)
class Continuation:
    """What was generated after a prompt."""

    prompt: str
    text: str  # without the prompt, and without the stop that ended it
    ids: list[int]  # every new token; of a beam search without the end token
    ended_by: EndedBy
    num_forgotten: int  # tokens at the beginning of the prompt that did not fit
    score: float | None = None  # of a beam search: log-probability, normalised by length

    def __str__(self) -> str:
        return self.prompt + self.text


class NewToken(NamedTuple):
    """A token that was chosen."""

    sample: int
    id: int
    text: str  # what has become certain with it: nothing, or that of several tokens
    log_prob: float | None  # in nats, before temperature, top_k and top_p; None: not asked for
    likeliest: tuple[tuple[int, float], ...]  # other choices and theirs, the likeliest first, (K,)


class Writing(NamedTuple):
    """How texts are generated; `LanguageModel.generate` describes it."""

    max_new_tokens: int
    sampling: Sampling
    num_samples: int = 1
    num_beams: int = 1
    seed: int = 0
    stop: Sequence[str] = ()
    stream: Stream | None = None
    watch: Callable[[NewToken], object] | None = None
    topn: int | None = None


def continue_prompt(
    networks: Networks,
    tokenizer: SubwordTokenizer,
    framing: Framing,
    prompt: Prompt,
    writing: Writing,
    source: Prompt | None = None,
) -> list[Continuation]:
    """Continue a prompt; `LanguageModel.generate` describes the arguments."""
    objective = _able(networks.original.objective, source)
    _check_writing(writing)
    reading = objective.reading(None if source is None else _ids_of(tokenizer, source))
    length = _check_source(reading, networks)
    ids = prompt_ids(tokenizer, framing, reading, prompt)
    kept = ids[-_room(length, writing.max_new_tokens) :]
    text = torch.tensor(kept, dtype=torch.int64, device=networks.device)
    end = _end(objective)
    writer = partial(Writer, tokenizer, kept[-CONTEXT:], [end], writing.stop)
    find = partial(_search, end=end) if writing.num_beams > 1 else _draw
    found = find(networks.decoder(reading), text, writing, writer)
    begun = prompt if isinstance(prompt, str) else tokenizer.decode(prompt)
    return [
        Continuation(begun, written.finish(), new, written.ended_by, len(ids) - len(kept), score)
        for written, new, score in found
    ]


class Writer:
    """Turns the tokens of one sample into text, looks for stops, and streams what is certain.

    Args:
        tokenizer: of the ids.
        context: ids that stand before the first new one.
        ends: ids each of which ends a text.
        stop: texts that end a sample, and are not part of it.
        stream: takes the text as it comes, or None.
    """

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        context: Sequence[int],
        ends: Sequence[int],
        stop: Sequence[str],
        stream: Stream | None,
    ) -> None:
        self.ended_by: EndedBy = "length"
        self._tokenizer = tokenizer
        self._ids = list(context)
        self._known = 0  # ids before these are written and needed no more
        self._written = len(self._ids)  # ids whose text is in `_text`
        self._ends = frozenset(ends)
        self._stop = stop
        self._stream = stream
        self._text = ""
        self._shown = 0  # letters that are certain, so that the stream got them

    @property
    def certain(self) -> str:
        """The text so far, without letters that may be the beginning of a stop."""
        return self._text[: self._shown]

    def take(self, token: int) -> bool:
        """Add a token; True where it ends the text."""
        if token in self._ends:
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
        if length > self._shown:
            if self._stream is not None:
                self._stream(self._text[self._shown : length])
            self._shown = length


class _Found(NamedTuple):
    writer: Writer
    ids: list[int]  # new ones
    score: float | None


def _draw(
    decoder: Decoder, text: Tensor, writing: Writing, writer: Callable[..., Writer]
) -> list[_Found]:
    """Return samples that begin with a text, (T,)."""
    writers = [writer(writing.stream) for _ in range(writing.num_samples)]
    reported = None if writing.watch is None else _NewTokens(writing.watch, writing.topn)

    def take(sample: int, new: list[int]) -> bool:
        ends = writers[sample].take(new[-1])
        if reported is not None:
            reported.take(sample, new[-1], writers[sample].certain)
        return ends

    samples = generate_ids(
        decoder,
        text,
        writing.sampling,
        take,
        max_new_tokens=writing.max_new_tokens,
        num_samples=writing.num_samples,
        seed=writing.seed,
        scored=None if reported is None else reported.scored,
    )
    return [_Found(*each, None) for each in zip(writers, samples, strict=True)]


def _search(
    decoder: Decoder, text: Tensor, writing: Writing, writer: Callable[..., Writer], end: int
) -> list[_Found]:
    """Return the likeliest continuations of a text, (T,), the best one first."""
    decoding = Decoding(
        num_beams=writing.num_beams,
        num_best=writing.num_samples,
        max_new_tokens=writing.max_new_tokens,
    )
    (outputs,) = BeamSearch(decoder, 1, decoding, end, text[None]).outputs()
    found = []
    for ids, score, ended in outputs:
        written = writer(None)
        if not any(written.take(token) for token in ids) and ended:
            written.take(end)
        found.append(_Found(written, ids, score))
    return found


def _able(objective: Objective | None, source: Prompt | None) -> Objective:
    """Return an objective that continues texts, after a source if there is one."""
    if objective is None or not objective.continues:
        raise cannot("generate", "a causal model (GPT)", objective)
    if source is not None and not objective.continues_sources:
        needed = "a model that learned to write after a source (UniLM, T5, BART)"
        raise cannot("source =", needed, objective)
    if source is None and objective.needs_source:
        raise SettingError(
            f"generate needs a source: a model of {type(objective).__name__} writes a text that "
            "depends on another one; give it by source = or --source."
        )
    return objective


def _end(objective: Objective) -> int:
    assert objective.end is not None, f"{type(objective).__name__} continues texts without an end"
    return objective.end


def _check_source(reading: Reading, networks: Networks) -> int:
    """Return the tokens of the text for which the source leaves room."""
    learned, num_read = networks.learned_length, len(reading.source or ())
    length, most = reading.room(learned), networks.original.backbone.max_length
    if length < 2 or num_read > most:
        taken = max(num_read, len(reading.opening))
        has = (
            f"has {most:,} positions"
            if num_read
            else f"has learned {learned:,} positions for it and the new text"
        )
        raise CorpusError(
            f"The source has {taken:,} tokens with those around it, and the model {has}; shorten "
            "it."
        )
    return length


def _room(max_length: int, max_new_tokens: int) -> int:
    """Tokens of a prompt that are read: all that leave room for the new ones, or half."""
    return max(max_length - max_new_tokens, max_length // 2, 1)


def prompt_ids(
    tokenizer: SubwordTokenizer, framing: Framing, reading: Reading, prompt: Prompt
) -> list[int]:
    """Return the ids that a text begins with; `LanguageModel.prompt_ids` describes them.

    Raises:
        CorpusError: an id is none of the tokenizer; there is nothing to begin with.
    """
    found = _ids_of(tokenizer, prompt)
    if reading.opening:
        return found
    ids = framing.around(found) if isinstance(prompt, str) else found
    if ids:
        return ids
    start = tokenizer.special.start
    if start is None:
        raise CorpusError("The prompt is empty, and the tokenizer has no token to begin with.")
    return [start]


def _ids_of(tokenizer: SubwordTokenizer, text: Prompt) -> list[int]:
    """Return the ids of a text; ids are taken as they are.

    Raises:
        CorpusError: an id is none of the tokenizer.
    """
    if isinstance(text, str):
        return tokenizer.encode(text)
    check_ids(text, tokenizer.vocab_size)
    return list(text)


def _check_writing(writing: Writing) -> None:
    """Refuse settings that have no effect, or no such value.

    Raises:
        SettingError: the sentence says which.
    """
    num_samples, num_beams = writing.num_samples, writing.num_beams
    least = min(num_samples, writing.max_new_tokens, num_beams)
    if least < 1:
        raise SettingError(
            f"num_samples = {num_samples}, max_new_tokens = {writing.max_new_tokens}, num_beams = "
            f"{num_beams}: take 1 or more."
        )
    if "" in writing.stop:
        raise SettingError("stop = '': an empty text would stop at once; leave it out.")
    if num_beams > 1 and (writing.sampling.temperature > 0 or num_samples > num_beams):
        raise SettingError(
            f"num_beams = {num_beams} searches for the likeliest texts: at most as many as there "
            "are beams, and none is drawn; leave out temperature, and take num_samples = "
            f"{num_beams} or fewer."
        )
    if num_beams == 1 and num_samples > 1 and writing.sampling.temperature == 0:
        raise SettingError(
            f"num_samples = {num_samples}: at temperature 0 all samples would be the same; set a "
            "temperature above 0, search with as many beams (num_beams), or take one sample."
        )
    if writing.stream is not None and max(num_samples, num_beams) > 1:
        raise SettingError(
            f"num_samples = {num_samples}, num_beams = {num_beams}: one sample that is written "
            "token by token can be streamed, several would mix."
        )
    if writing.watch is not None and num_beams > 1:
        raise SettingError(
            f"num_beams = {num_beams}: a beam search knows its texts at its end, so that there is "
            "no token to watch; leave out watch, or the beams."
        )
    if writing.topn is not None and writing.watch is None:
        raise SettingError(
            f"topn = {writing.topn} has no effect without watch, which gets the likeliest tokens."
        )


def insert_text(
    networks: Networks,
    tokenizer: SubwordTokenizer,
    prompt: Prompt,
    suffix: Prompt,
    writing: Writing,
) -> list[Continuation]:
    """Write what stands between a prompt and a suffix; `LanguageModel.generate` describes it.

    The model reads both with one gap in between, and writes a span: until the next sentinel (T5) or
    the next token of the suffix (BART).
    """
    objective = networks.original.objective
    if objective is None or not objective.writes_spans:
        raise cannot("suffix =", "a model that writes spans (T5, BART)", objective)
    _check_writing(writing)
    if writing.num_beams > 1:
        raise SettingError(
            f"num_beams = {writing.num_beams} has no effect on a text before a suffix, which is "
            "drawn; leave it out, or ask `fill` for the likeliest spans."
        )
    before = _ids_of(tokenizer, prompt)
    gap = objective.gap([before, _ids_of(tokenizer, suffix)], [])
    _check_room(gap, networks)
    reading = gap.reading._replace(never=_never(tokenizer, gap))
    nothing = torch.empty(0, dtype=torch.int64, device=networks.device)
    writer = partial(Writer, tokenizer, before[-CONTEXT:], gap.ends, writing.stop)
    begun = prompt if isinstance(prompt, str) else tokenizer.decode(prompt)
    return [
        Continuation(begun, written.finish(), new, written.ended_by, 0)
        for written, new, _ in _draw(networks.decoder(reading), nothing, writing, writer)
    ]


def _check_room(gap: Gap, networks: Networks) -> None:
    length, num_read = networks.learned_length, len(gap.reading.source or ())
    if gap.reading.room(length) < 2 or num_read > networks.original.backbone.max_length:
        raise CorpusError(
            f"The prompt and the suffix have {num_read:,} tokens with those around them, which "
            f"leaves no room for a text: the model has learned {length:,} positions; shorten them."
        )


def _never(tokenizer: SubwordTokenizer, gap: Gap) -> tuple[int, ...]:
    """Return the special tokens that do not end the text."""
    special = np.flatnonzero(~np.asarray(tokenizer.ordinary)).tolist()
    return tuple(index for index in special if index not in gap.ends)


class _NewTokens:
    """Calls `watch` with each new token.

    Args:
        watch: what it raises ends the writing.
        topn: K; None: no log-probabilities are computed.
    """

    def __init__(self, watch: Callable[[NewToken], object], topn: int | None) -> None:
        self._watch = watch
        self._topn = topn
        self._shown: dict[int, int] = {}  # letters of each sample that were reported
        self._scores: list[tuple[float, tuple[tuple[int, float], ...]]] = []  # of the newest tokens

    def scored(self, logits: Tensor, tokens: Tensor) -> None:
        """Keep what the samples expected, logits (B, V), of the tokens that they take, (B,)."""
        if self._topn is None:
            return
        logits = logits.float()
        sums = logits.logsumexp(-1, keepdim=True)
        best, ids = logits.topk(min(self._topn, logits.shape[1]))
        chosen = (logits.gather(1, tokens[:, None]) - sums)[:, 0].tolist()
        rows = zip(ids.tolist(), (best - sums).tolist(), strict=True)
        likeliest = [tuple(zip(*row, strict=True)) for row in rows]
        self._scores = list(zip(chosen, likeliest, strict=True))

    def take(self, sample: int, token: int, certain: str) -> None:
        """Report a token of a sample whose text is `certain` so far; samples come in their order.

        Raises:
            Exception: whatever `watch` raises.
        """
        log_prob, likeliest = self._scores.pop(0) if self._scores else (None, ())
        text = certain[self._shown.get(sample, 0) :]
        self._shown[sample] = len(certain)
        self._watch(NewToken(sample, token, text, log_prob, likeliest))
