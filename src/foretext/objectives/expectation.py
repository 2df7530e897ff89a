"""What a model expects at each position of a row, beside what stands there, as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from foretext.messages import MessageTable
from foretext.nn.token_head import TokenHead
from foretext.shown import Cell, Note, Part, Table

__all__ = [
    "Expected",
    "Row",
    "expectation_parts",
    "expected_at",
    "from_both_sides",
    "from_the_left",
    "from_the_right",
    "target_expectations",
]

MOST_SHOWN = 64  # positions of a table
NUM_BEST = 3
DIGITS = 4

EXPECTED = MessageTable("insight.expected")

# Log-probabilities of all ids at each position (T, V), by what the model has seen: "left", "right",
# or "both" sides; NaN where it predicts nothing.
Expected = Mapping[str, Tensor]


class Row(NamedTuple):
    """A text with what stands around it, as ids."""

    ids: Tensor  # (T,)
    hideable: Tensor  # (T,) bool, True = no special token
    mask: int = 0  # the id that hides a token, where the model knows one
    spelling: Tensor | None = None  # of words without an id, as of `Inputs`


class _At(NamedTuple):
    """What is expected at one position."""

    log_prob: float | None  # of the token that stands there; None: a word without an id
    best: list[tuple[int, float]]  # the likeliest ids with their probabilities


def expected_at(log_probs: Tensor, ids: Sequence[int]) -> list[_At | None]:
    """Return what is expected at each position, None where nothing is.

    Args:
        log_probs: (T, V).
        ids: T that stand there.
    """
    found: list[_At | None] = []
    for row, token in zip(log_probs, ids, strict=True):
        if bool(row[0].isnan()):
            found.append(None)
            continue
        values, places = row.topk(min(NUM_BEST, len(row)))
        best = list(zip(places.tolist(), values.exp().tolist(), strict=True))
        found.append(_At(float(row[token]) if token < len(row) else None, best))
    return found


def expectation_parts(
    expected: Expected, ids: Sequence[int], name: Callable[[int], str], num_ids: int
) -> list[Part]:
    """Return, for each side, the probability of each token and what would have been likelier.

    Args:
        expected: of one row.
        ids: T of the row.
        name: names an id.
        num_ids: that the tokenizer has; a head may have rows behind them.
    """
    parts: list[Part] = []
    for side, log_probs in expected.items():
        found = expected_at(log_probs[:, :num_ids], ids)
        logs = [each.log_prob for each in found if each and each.log_prob is not None]
        if not logs:
            continue
        bits = -sum(logs) / math.log(2)
        figures = {
            "num": len(logs),
            "bits": bits / len(logs),
            "perplexity": 2 ** (bits / len(logs)),
        }
        parts.append(Note(EXPECTED(f"{side}", **figures)))
        parts.append(_table(side, found, ids, name))
    return parts


def _share_and_bits(log_prob: float) -> tuple[float, float]:
    return round(math.exp(log_prob), DIGITS), round(-log_prob / math.log(2), 2)


def _table(
    side: str, found: Sequence[_At | None], ids: Sequence[int], name: Callable[[int], str]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for token, each in list(zip(map(name, ids), found, strict=True))[:MOST_SHOWN]:
        if each is None:
            rows.append((token, None, None, *[None] * NUM_BEST))
            continue
        likeliest = [f"{name(place)} {share:.3f}" for place, share in each.best]
        likeliest += [""] * (NUM_BEST - len(likeliest))
        own = (None, None) if each.log_prob is None else _share_and_bits(each.log_prob)
        rows.append((token, *own, *likeliest))
    said = ["token", "probability", "bits", *(f"best_{n}" for n in range(1, NUM_BEST + 1))]
    columns = EXPECTED.columns(*said)
    return Table.of(EXPECTED(f"{side}_table"), columns, rows)


@torch.no_grad()
def target_expectations(head: TokenHead, states: Tensor, num_given: int) -> Expected:
    """Return what a source and the tokens before let expect at each step of a text.

    Args:
        head: from states to tokens.
        states: (T, D) of which each expects the next token.
        num_given: states at the beginning, whose next token is given.
    """
    logs = head(states).float().log_softmax(-1)
    logs[: max(num_given, 0)] = torch.nan
    return {"source": logs}


@torch.no_grad()
def from_the_left(head: TokenHead, states: Tensor) -> Tensor:
    """Return what states (T, D) expect of the position after them: (T, V), the first is NaN."""
    logs = head(states).float().log_softmax(-1)
    return torch.cat([torch.full_like(logs[:1], torch.nan), logs[:-1]])


@torch.no_grad()
def from_the_right(head: TokenHead, states: Tensor) -> Tensor:
    """Return what states (T, D) expect of the position before them: (T, V), the last is NaN."""
    logs = head(states).float().log_softmax(-1)
    return torch.cat([logs[1:], torch.full_like(logs[:1], torch.nan)])


@torch.no_grad()
def from_both_sides(
    head: TokenHead, states_of_masks: Callable[[Tensor, Tensor], Tensor], row: Row
) -> Tensor:
    """Return what is expected at each position while it alone is hidden, (T, V).

    The sum of the logarithms is the pseudo-log-likelihood of Salazar et al. 2020.

    Args:
        head: from states to tokens.
        states_of_masks: of ids (1, T) and which of them are masks, (1, T).
        row: to hide the positions of, one after another.
    """
    places = row.hideable.nonzero()[:, 0].tolist()
    found: Tensor | None = None
    for place in places[:MOST_SHOWN]:
        ids = row.ids[None].clone()
        masked = torch.zeros_like(ids, dtype=torch.bool)
        masked[0, place] = True
        logs = head(states_of_masks(ids.masked_fill(masked, row.mask), masked)).float()
        if found is None:
            found = torch.full((len(row.ids), logs.shape[-1]), torch.nan)
        found[place] = logs[0].log_softmax(-1).cpu()
    return torch.full((len(row.ids), 1), torch.nan) if found is None else found
