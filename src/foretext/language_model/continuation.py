"""Text generated after a prompt, after a source, or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from foretext.base.errors import CorpusError, SettingError
from foretext.data.framing import Framing
from foretext.generation import BeamSearch, Decoder, Decoding, Sampling, generate_ids
from foretext.language_model.abilities import cannot
from foretext.language_model.networks import Networks
from foretext.language_model.new_tokens import NewToken, NewTokens
from foretext.language_model.token_scores import check_ids
from foretext.language_model.writer import EndedBy, Stream, Writer
from foretext.objectives.base import Objective
from foretext.objectives.reading import Reading
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = [
    "CONTEXT",
    "Continuation",
    "Prompt",
    "Writing",
    "check_writing",
    "continue_prompt",
    "draw",
    "ids_of",
    "prompt_ids",
]

Prompt = str | Sequence[int]  # a text, or its ids

CONTEXT = 8  # tokens of the prompt, which decide how the first new one is written


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
    check_writing(writing)
    reading = objective.reading(None if source is None else ids_of(tokenizer, source))
    length = _check_source(reading, networks)
    ids = prompt_ids(tokenizer, framing, reading, prompt)
    kept = ids[-_room(length, writing.max_new_tokens) :]
    text = torch.tensor(kept, dtype=torch.int64, device=networks.device)
    end = _end(objective)
    writer = partial(Writer, tokenizer, kept[-CONTEXT:], [end], writing.stop)
    find = partial(_search, end=end) if writing.num_beams > 1 else draw
    found = find(networks.decoder(reading), text, writing, writer)
    begun = prompt if isinstance(prompt, str) else tokenizer.decode(prompt)
    return [
        Continuation(begun, written.finish(), new, written.ended_by, len(ids) - len(kept), score)
        for written, new, score in found
    ]


class _Found(NamedTuple):
    writer: Writer
    ids: list[int]  # new ones
    score: float | None


def draw(
    decoder: Decoder, text: Tensor, writing: Writing, writer: Callable[..., Writer]
) -> list[_Found]:
    """Return samples that begin with a text, (T,)."""
    writers = [writer(writing.stream) for _ in range(writing.num_samples)]
    reported = None if writing.watch is None else NewTokens(writing.watch, writing.topn)

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
    found = ids_of(tokenizer, prompt)
    if reading.opening:
        return found
    ids = framing.around(found) if isinstance(prompt, str) else found
    if ids:
        return ids
    start = tokenizer.special.start
    if start is None:
        raise CorpusError("The prompt is empty, and the tokenizer has no token to begin with.")
    return [start]


def ids_of(tokenizer: SubwordTokenizer, text: Prompt) -> list[int]:
    """Return the ids of a text; ids are taken as they are.

    Raises:
        CorpusError: an id is none of the tokenizer.
    """
    if isinstance(text, str):
        return tokenizer.encode(text)
    check_ids(text, tokenizer.vocab_size)
    return list(text)


def check_writing(writing: Writing) -> None:
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
