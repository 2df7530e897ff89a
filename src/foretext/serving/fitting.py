"""Inputs that are longer than a model reads at once: counted, and cut or refused if a client asks.

Without a wish of the client a model does what it does in Python: a text's vector is the mean over
its windows, a classifier cuts or averages as it has learned to. The answer says so in a header.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from foretext.serving.errors import CannotServe

if TYPE_CHECKING:
    from foretext.data.framing import Framing
    from foretext.tokenizers.base import Tokenizer

__all__ = ["Cutting", "Direction", "Fitted", "fit"]

Direction = Literal["left", "right"]
Texts = tuple[str, ...]  # one input: a text, or the texts of a pair

SHORT = 1 << 13  # characters that are counted at once, without a thread


class Cutting(NamedTuple):
    """What a client wants of inputs that are too long."""

    truncate: bool | None = None  # False: they are refused; None: as the model does it in Python
    direction: Direction = "right"  # the end that is cut off


class Fitted(NamedTuple):
    """Inputs as they go to a model."""

    inputs: list[Texts]
    num_tokens: list[int] | None  # of each, with special tokens; None: the model counts none
    warning: str | None  # of inputs that were too long


async def fit(model: Any, inputs: Sequence[Texts], cutting: Cutting) -> Fitted:
    """Return inputs as a client wants them to be read.

    Raises:
        CannotServe: one is too long, and the client wants it to be refused.
        CorpusError: a text cannot be encoded.
    """
    framing: Framing | None = model.text_framing
    if framing is None:
        return Fitted(list(inputs), None, None)
    tokenizer: Tokenizer = model.tokenizer
    if sum(len(text) for texts in inputs for text in texts) <= SHORT:
        return _fit(tokenizer, framing, inputs, cutting)
    return await asyncio.to_thread(_fit, tokenizer, framing, inputs, cutting)


def _fit(
    tokenizer: Tokenizer, framing: Framing, inputs: Sequence[Texts], cutting: Cutting
) -> Fitted:
    sizes = _sizes(tokenizer, inputs)
    fitted, num_tokens, num_long = list(inputs), list[int](), 0
    for place, (texts, own) in enumerate(zip(inputs, sizes, strict=True)):
        room = framing.room if len(texts) == 1 else framing.pair_room
        around = framing.max_length - room
        num_tokens.append(sum(own) + around)
        if sum(own) <= room:
            continue
        num_long += 1
        if cutting.truncate is False:
            raise CannotServe(
                f"inputs.{place} has {sum(own) + around:,} tokens with those around it, and the "
                f"model reads {framing.max_length:,} at once; shorten it, or leave out truncate."
            )
        if cutting.truncate:
            kept = _shares(own, room)
            num_tokens[place] = sum(kept) + around
            fitted[place] = tuple(
                _cut(tokenizer, text, size, cutting.direction)
                for text, size in zip(texts, kept, strict=True)
            )
    return Fitted(fitted, num_tokens, _warning(num_long, len(inputs), framing, cutting))


def _sizes(tokenizer: Tokenizer, inputs: Sequence[Texts]) -> list[list[int]]:
    """Return the number of tokens of each text of each input."""
    encoded = tokenizer.encode_batch([text for texts in inputs for text in texts])
    ends = accumulate(map(len, inputs), initial=0)
    return [[len(ids) for ids in encoded[start:end]] for start, end in pairwise(ends)]


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Return how many tokens of each text are kept: the longer one is shortened first."""
    if len(sizes) == 1:
        return [room]
    first, second = sizes
    short = min(first, second, room // 2)
    return [short, room - short] if first <= second else [room - short, short]


def _cut(tokenizer: Tokenizer, text: str, size: int, direction: Direction) -> str:
    """Return what a text's first tokens stand for, or its last ones: `size` of them at most."""
    while len(text) and size < (count := len(tokenizer.encode(text))):
        if tokenizer.kind == "words":
            text = _cut_words(tokenizer, text, size, direction)
            continue
        places = tokenizer.encode_with_offsets([text])[0].offsets
        # One letter at least, since several tokens may stand for one letter.
        if direction == "right":
            text = text[: min(int(places[size][0]), len(text) - 1)]
        else:
            text = text[max(int(places[count - size - 1][1]), 1) :]
    return text


def _cut_words(tokenizer: Tokenizer, text: str, size: int, direction: Direction) -> str:
    """Return the longest beginning or end of a text that has `size` words, by bisection."""
    low, high = 0, len(text) - 1
    while low < high:
        middle = (low + high + 1) // 2
        part = text[:middle] if direction == "right" else text[-middle:]
        low, high = (middle, high) if len(tokenizer.encode(part)) <= size else (low, middle - 1)
    return text[:low] if direction == "right" else text[len(text) - low :]


def _warning(num_long: int, num_inputs: int, framing: Framing, cutting: Cutting) -> str | None:
    if not num_long:
        return None
    done = "cut" if cutting.truncate else "cut, or read in windows whose results are averaged"
    verbs = ("is", "was") if num_long == 1 else ("are", "were")
    return (
        f"{num_long} of {num_inputs} inputs {verbs[0]} longer than the {framing.max_length} tokens "
        f"that the model reads at once and {verbs[1]} {done}"
    )
