"""Text written between two others, by a model that fills spans: T5 and BART."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.language_model.abilities import cannot
from foretext.language_model.continuation import (
    CONTEXT,
    Continuation,
    Prompt,
    Writing,
    check_writing,
    draw,
    ids_of,
)
from foretext.language_model.networks import Networks
from foretext.language_model.writer import Writer
from foretext.objectives.gap import Gap
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["insert_text"]


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
    check_writing(writing)
    if writing.num_beams > 1:
        raise SettingError(
            f"num_beams = {writing.num_beams} has no effect on a text before a suffix, which is "
            "drawn; leave it out, or ask `fill` for the likeliest spans."
        )
    before = ids_of(tokenizer, prompt)
    gap = objective.gap([before, ids_of(tokenizer, suffix)], [])
    _check_room(gap, networks)
    reading = gap.reading._replace(never=_never(tokenizer, gap))
    nothing = torch.empty(0, dtype=torch.int64, device=networks.device)
    writer = partial(Writer, tokenizer, before[-CONTEXT:], gap.ends, writing.stop)
    begun = prompt if isinstance(prompt, str) else tokenizer.decode(prompt)
    return [
        Continuation(begun, written.finish(), new, written.ended_by, 0)
        for written, new, _ in draw(networks.decoder(reading), nothing, writing, writer)
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
