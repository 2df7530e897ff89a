"""Sources and targets as ids, and as examples that a network learns from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from foretext.base.errors import CorpusError
from foretext.data.padded_examples import IGNORED, PaddedExamples, PrefixExamples, Ragged
from foretext.data.rows import ParallelText
from foretext.heads.base import TaskBase
from foretext.heads.text_to_text import TextToTextHead
from foretext.objectives.reading import Reading

__all__ = ["EncodedSources", "encode_sources", "encode_targets", "pair_examples"]


class EncodedSources(NamedTuple):
    """Sources as a network reads them."""

    ids: list[list[int]]  # without a frame, cut to what there is room for
    is_cut: list[bool]


def encode_sources(
    base: TaskBase, head: TextToTextHead, texts: Sequence[str], places: Sequence[str] = ()
) -> EncodedSources:
    """Encode sources, and cut or refuse those that are longer than the network reads.

    Args:
        base: with the tokenizer of sources.
        head: with the room for them, and what is done with longer ones.
        texts: of the sources.
        places: of the texts in files, for the error; without them it counts the texts.

    Raises:
        CorpusError: one is too long, and ``task.long_sources`` is "refuse".
    """
    room = head.source_room
    encoded = base.tokenizer.encode_batch(texts)
    is_cut = [len(ids) > room for ids in encoded]
    if any(is_cut) and head.config.long_sources == "refuse":
        number = is_cut.index(True)
        place = places[number] if places else f"text {number + 1}"
        raise CorpusError(
            f"{place}: the source has {len(encoded[number]):,} tokens, and the model has room for "
            f"{room:,}; shorten or divide it, or set task.long_sources to cut or warn."
        )
    return EncodedSources([ids[:room] for ids in encoded], is_cut)


def encode_targets(base: TaskBase, head: TextToTextHead, texts: Sequence[str]) -> list[list[int]]:
    """Encode targets with their end, as far as there is room for them."""
    tokenizer = base.target_tokenizer or base.tokenizer
    return [[*ids, head.end][: head.target_room] for ids in tokenizer.encode_batch(texts)]


def pair_examples(
    base: TaskBase, head: TextToTextHead, rows: Sequence[ParallelText]
) -> PaddedExamples:
    """Return examples of rows, none of whose texts is empty.

    Raises:
        CorpusError: a source is too long and shall be refused.
    """
    places = [row.place for row in rows]
    sources = encode_sources(base, head, [row.source for row in rows], places).ids
    targets = encode_targets(base, head, [row.target for row in rows])
    readings = [head.reading(source) for source in sources]
    ids, right = _inputs_and_targets(head, readings, targets)
    if head.needs_source:
        framed = Ragged([list(reading.source or ()) for reading in readings])
        return PaddedExamples(
            ids, {"next": right}, pad=base.pad, visibility="causal", sources=framed
        )
    return PrefixExamples(
        ids,
        right,
        np.array([len(reading.opening) for reading in readings], np.int64),
        pad=base.pad,
        sees_prefix=head.sees_prefix,
        segments=_segments(readings[0]),
        mask=readings[0].mask,
    )


def _inputs_and_targets(
    head: TextToTextHead, readings: Sequence[Reading], targets: Sequence[list[int]]
) -> tuple[Ragged, Ragged]:
    """Return what is read, and what is predicted at each position of it.

    The next token, which the newest one does not see; or, where tokens are hidden, the token there.
    """
    inputs, right = [], []
    for reading, target in zip(readings, targets, strict=True):
        opening = [*reading.opening, *([] if reading.first is None else [reading.first])]
        seen, free = (target, 0) if head.hides_tokens else (target[:-1], 1)
        inputs.append([*opening, *seen])
        right.append([IGNORED] * (len(opening) - free) + target)
    return Ragged(inputs), Ragged(right)


def _segments(reading: Reading) -> tuple[int, int] | None:
    if reading.opening_segment is None or reading.text_segment is None:
        return None
    return reading.opening_segment, reading.text_segment
