"""Masked words: what a model predicts where a text has ``[MASK]``.

A masked language model scores single tokens. T5 and BART write what is missing, any number of
tokens: the spans of a mask are searched for with a beam, as tokens that are followed by what comes
after a span, the next sentinel or the next token of the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.data.framing import Framing
from foretext.generation import Decoder
from foretext.language_model.networks import Network
from foretext.nn.token_head import TokenHead
from foretext.objectives.base import Objective
from foretext.objectives.gap import Gap
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Filling", "cannot", "fill_masks", "fill_spans", "filled"]

WRITTEN = "[MASK]"  # what a user may write, whatever the tokenizer calls it

MAX_TOKENS = 16  # of a span
WIDTH = 32  # spans that go on at once, at least


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
                filled(parts, number, _written_piece(tokenizer, ids[:position], [token])),
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


def _written_piece(tokenizer: SubwordTokenizer, before: Sequence[int], ids: Sequence[int]) -> str:
    """Return the text of ids behind others: with a blank where they open a word."""
    left, whole = tokenizer.decode(before), tokenizer.decode([*before, *ids])
    return whole[len(left) :] if whole.startswith(left) else f" {tokenizer.decode(ids)}"


def filled(parts: Sequence[str], number: int, piece: str) -> str:
    """Return the user's text with `piece` at one mask, and the other masks as they were."""
    left, right = WRITTEN.join(parts[: number + 1]), WRITTEN.join(parts[number + 1 :])
    return f"{left.rstrip()}{piece}".lstrip() + right if left.strip() else piece.lstrip() + right


def cannot(verb: str, needed: str, objective: Objective | None) -> SettingError:
    """Return the error of a verb that needs another kind of model.

    Args:
        verb: that was called, or an argument of `generate` with its ``=``.
        needed: the kind of model that it needs, such as "a causal model (GPT)".
        objective: that the model was pretrained by, or None.
    """
    if objective is None:
        what, instead = "has no head", "embed"
    else:
        by = f"was pretrained by {type(objective).__name__}"
        what = by if objective.kind is None else f"is {objective.kind}"
        instead = "fill" if objective.fills else "generate" if objective.continues else "embed"
    advice = "leave it out" if verb.endswith("=") and instead == "generate" else f"use {instead}"
    return SettingError(f"{verb.removesuffix(' =')} needs {needed}; this one {what}: {advice}.")


class Span(NamedTuple):
    """What a model writes at a mask."""

    ids: list[int]
    score: float  # log-probability of the tokens and of what follows


def fill_spans(
    network: Network, tokenizer: SubwordTokenizer, text: str, topn: int
) -> list[list[Filling]]:
    """Return the likeliest spans of each mask, the likeliest first; no special tokens.

    Raises:
        SettingError: the tokenizer has neither a mask nor sentinels.
        CorpusError: no mask in the text, more text than the model sees at once, or masks that the
            model cannot fill together.
    """
    objective = network.objective
    assert objective is not None
    parts, pieces = _split(tokenizer, text)
    written: list[list[int]] = []
    answers = []
    for number in range(len(pieces) - 1):
        found = _search(network, tokenizer, objective.gap(pieces, written), topn)
        before = [i for piece, span in zip(pieces, written, strict=False) for i in (*piece, *span)]
        before += pieces[number]
        texts = [_written_piece(tokenizer, before, span.ids) for span in found]
        answers.append(
            [
                Filling(piece.strip(), math.exp(span.score), filled(parts, number, piece))
                for piece, span in zip(texts, found, strict=True)
            ]
        )
        written.append(found[0].ids)
    return answers


def _split(tokenizer: SubwordTokenizer, text: str) -> tuple[list[str], list[list[int]]]:
    """The text between the masks, and its ids."""
    special = tokenizer.special
    own = [*special.sentinels[:1]] if special.mask is None else [special.mask]
    if not own:
        raise SettingError(
            "The tokenizer has neither a mask token nor sentinels (<extra_id_0>, <extra_id_1>, "
            "...), so no text can have a mask; take a model that was pretrained with them."
        )
    names = [tokenizer.tokens[index] for index in (*own, *special.sentinels)]
    parts = re.split("|".join(map(re.escape, (WRITTEN, *names))), text)
    if len(parts) == 1:
        raise CorpusError(f"The text has no {WRITTEN}; write it in place of some words.")
    # The blank before a mask belongs to what is missing, where blanks are part of tokens.
    marked = tokenizer.tokens[own[0]].join([*(part.rstrip() for part in parts[:-1]), parts[-1]])
    pieces: list[list[int]] = [[]]
    for index in tokenizer.encode(marked):
        if index == own[0]:
            pieces.append([])
        else:
            pieces[-1].append(index)
    return parts, pieces


@torch.inference_mode()
def _search(network: Network, tokenizer: SubwordTokenizer, gap: Gap, topn: int) -> list[Span]:
    """Search for the likeliest spans of a gap, the best first.

    A span only loses by another token, so one that is behind the found ones is left. The rest is
    cut at `WIDTH`: with one row the best span is missed where its first token is not the best one.
    """
    decoder = _decoder(network, tokenizer, gap)
    ordinary = torch.from_numpy(tokenizer.ordinary).to(decoder.device)
    ends = torch.tensor(gap.ends, device=decoder.device)
    begun: list[list[int]] = [[]]  # spans that go on, a row each
    scores = torch.zeros(1, device=decoder.device)
    found: list[Span] = []
    logits = decoder.read(torch.empty(1, 0, dtype=torch.int64, device=decoder.device))
    for _ in range(MAX_TOKENS + 1):
        gains = logits.float().log_softmax(-1)  # (B, V)
        ended = scores + gains[:, ends].logsumexp(-1)
        found += [Span(*each) for each in zip(begun, ended.tolist(), strict=True)]
        found = sorted(found, key=lambda span: -span.score)[:topn]
        going = (scores[:, None] + gains).masked_fill(~ordinary, -torch.inf).flatten()
        best, places = going.topk(min(max(topn, WIDTH), going.numel()))
        least = found[-1].score if len(found) == topn else -math.inf
        best, places = best[best > least], places[best > least]
        if not len(best):
            break
        rows, tokens = places // gains.shape[1], places % gains.shape[1]
        begun = [
            [*begun[row], token] for row, token in zip(rows.tolist(), tokens.tolist(), strict=True)
        ]
        scores = best
        decoder.keep_rows(rows)
        logits = decoder.read(tokens[:, None])
    return found


def _decoder(network: Network, tokenizer: SubwordTokenizer, gap: Gap) -> Decoder:
    backbone, objective = network.backbone, network.objective
    assert objective is not None
    assert objective.token_head is not None, f"{type(objective).__name__} has no token head"
    reading, length = gap.reading, backbone.max_length
    longest = max(len(reading.source or ()), len(reading.opening) + MAX_TOKENS)
    if longest > length:
        raise CorpusError(
            f"The text and what is to be written have {longest:,} tokens, and the model sees "
            f"{length:,} at once; shorten it around {WRITTEN}."
        )
    return Decoder(backbone, objective.token_head, [reading], tokenizer.vocab_size)
