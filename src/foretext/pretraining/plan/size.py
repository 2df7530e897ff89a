"""Which size is expected to learn most in the time; speeds come from a function that measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from foretext.base.errors import SettingError
from foretext.base.sizes import SIZES, Size
from foretext.pretraining.plan.forecast import ORDERING, expected_loss
from foretext.progress.bar import human_bytes

__all__ = ["SHAPES", "Candidate", "Circumstances", "choose", "shape_name"]

FASTER = 1.4  # larger matrix products may do so much more work a second than smaller ones
CLEARLY = 0.03  # in loss: more than the forecast errs between neighbouring sizes

# The published sizes, and some between: each takes two or three times the work of the one before.
SHAPES = (
    SIZES["tiny"],
    Size(3, 192, 3),
    SIZES["mini"],
    Size(4, 384, 6),
    Size(6, 384, 6),
    SIZES["small"],
    SIZES["medium"],
    SIZES["base"],
)


@dataclass(frozen=True)
class Circumstances:
    """What all candidates share."""

    loss_law: str | None  # of the objective; None: its loss cannot be forecast
    seconds: float  # of training
    text_tokens: int  # to train on
    free_bytes: int | None


def choose(
    candidates: Sequence[Candidate],
    given: Circumstances,
    measure: Callable[[Candidate], float],
) -> tuple[Candidate, ...]:
    """Return the candidates with what was found of them; exactly one is `chosen`.

    Where the objective has no law of its loss, `ORDERING` orders the sizes, and no loss is given.
    Neither is one of a network without layers, which no law describes.

    Args:
        candidates: from small to large.
        given: what they share.
        measure: returns the tokens a second of a candidate; not called for hopeless ones.

    Raises:
        SettingError: not even the smallest fits into memory, or there is no such law.
    """
    _must_fit(candidates[0], given)
    found = list(_measured(candidates, given, measure))
    losses = [each.expected_loss for each in found if each.expected_loss is not None]
    best = next(each for each in found if each.expected_loss == min(losses))
    judged = tuple(replace(each, chosen=each is best) for each in found)
    if given.loss_law is not None and all(each.layer_parameters for each in judged):
        return judged
    return tuple(replace(each, expected_loss=None) for each in judged)


def _measured(
    candidates: Sequence[Candidate],
    given: Circumstances,
    measure: Callable[[Candidate], float],
) -> Iterator[Candidate]:
    """Yield each candidate; after one that is too large or too slow, none is measured."""
    last: Candidate | None = None
    lowest, why = float("inf"), ""
    for candidate in candidates:
        if not why and not _fits(candidate, given):
            why = "too large for the memory"
        if not why and last is not None and _hopeless(candidate, last, lowest, given):
            why = "too slow for the time"
        if why:
            yield replace(candidate, note=why)
            continue
        last = _at_speed(candidate, measure(candidate), given)
        assert last.expected_loss is not None, last
        lowest = min(lowest, last.expected_loss)
        yield last


def _at_speed(candidate: Candidate, tokens_per_second: float, given: Circumstances) -> Candidate:
    tokens = tokens_per_second * given.seconds
    return replace(
        candidate,
        tokens_per_second=tokens_per_second,
        tokens=round(tokens),
        epochs=tokens / given.text_tokens,
        expected_loss=expected_loss(
            given.loss_law or ORDERING, candidate.layer_parameters, tokens, given.text_tokens
        ),
    )


def _hopeless(
    candidate: Candidate, smaller: Candidate, lowest: float, given: Circumstances
) -> bool:
    """Whether the candidate would be clearly worse even at the best speed to hope for."""
    assert smaller.tokens_per_second is not None, smaller
    work = candidate.layer_parameters / smaller.layer_parameters
    hoped = _at_speed(candidate, smaller.tokens_per_second * FASTER / work, given)
    assert hoped.expected_loss is not None, hoped
    return hoped.expected_loss > lowest + CLEARLY


def _fits(candidate: Candidate, given: Circumstances) -> bool:
    return given.free_bytes is None or candidate.memory_bytes <= given.free_bytes


def _must_fit(candidate: Candidate, given: Circumstances) -> None:
    if not _fits(candidate, given):
        assert given.free_bytes is not None
        raise SettingError(
            f"[backbone] a training of size {candidate.name} needs about "
            f"{human_bytes(candidate.memory_bytes)} of memory, and "
            f"{human_bytes(given.free_bytes)} are free; lower training.batch_examples or "
            "objective.row_length, set training.micro_batch_examples, or take a smaller size."
        )


@dataclass(frozen=True)
class Candidate:
    """One size, and what a training of it would be."""

    name: str
    num_layers: int
    dim: int
    num_heads: int
    parameters: int
    layer_parameters: int  # embeddings apart
    memory_bytes: int
    tokens_per_second: float | None = None  # None: not measured
    tokens: int | None = None  # read in the training
    epochs: float | None = None
    expected_loss: float | None = None  # None: not measured, or not to be forecast
    note: str = ""  # why it was not measured
    chosen: bool = False


def shape_name(shape: Size) -> str:
    """Return ``mini``, or ``4×384`` for a size without a name."""
    names = {size: name for name, size in SIZES.items()}
    return names.get(shape, f"{shape.num_layers}×{shape.dim}")
