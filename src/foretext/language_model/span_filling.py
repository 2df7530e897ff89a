"""Masked words of a model that writes what is missing, any number of tokens: T5 and BART.

The spans of a mask are searched for with a beam: tokens that are followed by what
comes after a span, the next sentinel or the next token of the text.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.generation import Decoder
from foretext.language_model.filling import WRITTEN, Filling, filled, written_piece
from foretext.language_model.networks import Network
from foretext.objectives.gap import Gap
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["fill_spans"]

MAX_TOKENS = 16  # of a span
WIDTH = 32  # spans that go on at once, at least


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
        texts = [written_piece(tokenizer, before, span.ids) for span in found]
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
