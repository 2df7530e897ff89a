"""Masked words: what a masked language model predicts where a text has ``[MASK]``.

What a model writes that does not predict single tokens is in `span_filling`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.data.framing import Framing
from foretext.language_model.abilities import cannot
from foretext.language_model.networks import Network
from foretext.nn.token_head import TokenHead
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["WRITTEN", "Filling", "fill_masks", "filled", "written_piece"]

WRITTEN = "[MASK]"  # what a user may write, whatever the tokenizer calls it


class Filling(NamedTuple):
    """One answer."""

    token: str  # or the text of several, where the model writes spans
    probability: float  # among all tokens of the vocabulary, or all spans
    text: str  # with this token at this mask; other masks stay


def fill_masks(
    network: Network,
    tokenizer: SubwordTokenizer,
    framing: Framing,
    text: str,
    topn: int,
    targets: Sequence[str] | None = None,
) -> list[list[Filling]]:
    """Return the likeliest tokens of each mask, the likeliest first; no special tokens.

    With `targets`, these tokens alone are answers; their probabilities are among all tokens.

    Raises:
        SettingError: the model is not one that fills masks, or a target is no token.
        CorpusError: no mask in the text, or more text than the model sees at once.
    """
    objective = network.objective
    if objective is None or not objective.fills:
        raise cannot("fill", "a masked model (BERT)", objective)
    head = objective.token_head
    assert head is not None, f"{type(objective).__name__} fills masks and has no token head"
    mask = tokenizer.special.required("mask")
    name = tokenizer.tokens[mask]
    parts = re.split(rf"{re.escape(WRITTEN)}|{re.escape(name)}", text)
    if len(parts) == 1:
        raise CorpusError(f"The text has no {WRITTEN}; write it in place of a word.")
    # The blank before a mask belongs to the masked token, where blanks are part of tokens.
    ids = tokenizer.encode(name.join([*(part.rstrip() for part in parts[:-1]), parts[-1]]))
    if len(ids) > framing.room:
        raise CorpusError(
            f"The text has {len(ids):,} tokens, and the model sees {framing.room:,} at once; "
            f"shorten it around {WRITTEN}."
        )
    allowed = _allowed(tokenizer, targets)
    best = _likeliest(network, head, framing.around(ids), mask, allowed, topn)
    positions = [position for position, token in enumerate(ids) if token == mask]
    return [
        [
            Filling(
                tokenizer.tokens[token],
                share,
                filled(parts, number, written_piece(tokenizer, ids[:position], [token])),
            )
            for token, share in answers
        ]
        for number, (position, answers) in enumerate(zip(positions, best, strict=True))
    ]


def _likeliest(
    network: Network,
    head: TokenHead,
    row: list[int],
    mask: int,
    allowed: torch.Tensor,
    topn: int,
) -> list[list[tuple[int, float]]]:
    """Tokens and probabilities of each mask, of the allowed tokens, (V,) bool."""
    ids = torch.tensor([row], device=network.backbone.embedding.device)
    assert network.objective is not None
    states = network.objective.states_of_masks(network.backbone, ids, ids == mask)  # (M, D)
    shares = head(states).float().softmax(-1)  # (M, V)
    shares = shares[:, : len(allowed)]  # a head may have rows beyond the vocabulary
    num_answers = min(topn, int(allowed.sum()))
    values, tokens = torch.topk(shares.masked_fill(~allowed.to(shares.device), -1.0), num_answers)
    return [
        list(zip(row, shares_of_row, strict=True))
        for row, shares_of_row in zip(tokens.tolist(), values.tolist(), strict=True)
    ]


def _allowed(tokenizer: SubwordTokenizer, targets: Sequence[str] | None) -> torch.Tensor:
    """Return which tokens may be answers, (V,) bool: those that stand for text, or the targets."""
    if targets is None:
        return torch.from_numpy(tokenizer.ordinary)
    ids = {token: index for index, token in enumerate(tokenizer.tokens)}
    if unknown := [target for target in targets if target not in ids]:
        raise SettingError(
            f"targets: '{unknown[0]}' is no token of this model; give tokens of its vocabulary."
        )
    allowed = torch.zeros(len(tokenizer.tokens), dtype=torch.bool)
    allowed[[ids[target] for target in targets]] = True
    return allowed


def written_piece(tokenizer: SubwordTokenizer, before: Sequence[int], ids: Sequence[int]) -> str:
    """Return the text of ids behind others: with a blank where they open a word."""
    left, whole = tokenizer.decode(before), tokenizer.decode([*before, *ids])
    return whole[len(left) :] if whole.startswith(left) else f" {tokenizer.decode(ids)}"


def filled(parts: Sequence[str], number: int, piece: str) -> str:
    """Return the user's text with `piece` at one mask, and the other masks as they were."""
    left, right = WRITTEN.join(parts[: number + 1]), WRITTEN.join(parts[number + 1 :])
    return f"{left.rstrip()}{piece}".lstrip() + right if left.strip() else piece.lstrip() + right
