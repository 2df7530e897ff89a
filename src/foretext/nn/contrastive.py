"""Losses that compare the vectors of a batch by their cosines; pure functions of tensors.

InfoNCE (van den Oord et al. 2018) in the form of SimCSE (Gao, Yao and Chen 2021, sections 3 and 4),
and CoSENT (Su 2022), which asks only for the right order of pairs that have scores.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

__all__ = ["cosent", "info_nce", "right_answers"]


def info_nce(
    anchors: Tensor, candidates: Tensor, is_right: Tensor, temperature: float
) -> tuple[Tensor, Tensor]:
    """Return the summed loss of finding its candidate by each anchor, and how often it is found.

    Args:
        anchors: (N, D).
        candidates: (M, D), M >= N; the candidate of anchor i is number i.
        is_right: (N, M) bool, of `right_answers`; no such candidate is a negative.
        temperature: that cosines are divided by.
    """
    cosines = F.normalize(anchors, dim=-1) @ F.normalize(candidates, dim=-1).T  # (N, M)
    own = torch.arange(len(anchors), device=anchors.device)
    is_left_out = is_right.index_put((own, own), torch.zeros((), dtype=torch.bool).to(own.device))
    logits = (cosines / temperature).masked_fill(is_left_out, -torch.inf)
    return F.cross_entropy(logits, own, reduction="sum"), (logits.argmax(1) == own).sum()


def right_answers(texts: Tensor, anchor: int, answered: int) -> Tensor:
    """Return which candidates answer an anchor by their texts, (N, M) bool: none is a negative.

    A candidate has the text of the anchor or of its answer, or is the answer of an equal anchor.
    The candidates are all texts of the batch in the place `answered`, then those in places behind
    both.

    Args:
        texts: (N, group) int64, equal numbers of equal texts.
        anchor: column of the anchors in `texts`.
        answered: place of their answers.
    """
    anchors, answers = texts[:, anchor], texts[:, answered]  # (N,) each
    further = texts[:, max(anchor, answered) + 1 :].T.flatten()
    candidates = torch.cat([answers, further])  # (M,)
    same = (candidates == anchors[:, None]) | (candidates == answers[:, None])
    same[:, : len(texts)] |= anchors == anchors[:, None]
    return same


def cosent(cosines: Tensor, scores: Tensor, temperature: float) -> Tensor:
    """Return log(1 + sum of exp((cos j - cos i) / temperature)) over pairs with score i > score j.

    Args:
        cosines: (N,) of pairs.
        scores: (N,) the right ones; their order counts alone.
        temperature: that differences are divided by.
    """
    wrong = (cosines - cosines[:, None]) / temperature  # (N, N), [i, j] = cos j - cos i
    counts = scores[:, None] > scores
    terms = wrong.masked_fill(~counts, -torch.inf).flatten()
    return torch.cat([terms, terms.new_zeros(1)]).logsumexp(0)
