"""Weights under the names of all releases, and the heads that they belong to."""

from __future__ import annotations

import re

import torch
from torch import Tensor

from foretext.interop.family import Family, Settings
from foretext.interop.transfer import NO_HEADS, Heads

__all__ = ["canonical_names", "found_heads"]


def canonical_names(family: Family, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return weights under today's names: the backbone's with prefix, no gamma and no beta."""
    of_heads = {name for row in (*family.head_rows, *family.pair_head_rows) for name in row.theirs}
    of_heads |= {family.decoder, *(family.decoder_twin or ())}
    of_heads |= {name for head in family.task_heads for row in head.rows for name in row.theirs}
    prefixed = any(name.startswith(family.prefix) for name in weights)
    names = {}
    for name, weight in weights.items():
        new = re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", name)
        new = re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", new)
        names[new if prefixed or new in of_heads else family.prefix + new] = weight
    return family.renamed(names)


def found_heads(family: Family, theirs: Settings, weights: dict[str, Tensor]) -> Heads:
    """Return the heads of a folder; second copies of a weight are removed from `weights`.

    Args:
        family: of the model.
        theirs: its settings.
        weights: under canonical names.
    """
    if not family.has_head(theirs, weights):
        return NO_HEADS
    pair_names = {row.theirs[0] for row in family.pair_head_rows}
    tied = bool(theirs.get("tie_word_embeddings", family.tied))
    decoder, embedding = weights.get(family.decoder), family.head_vectors(weights)
    if tied and decoder is not None and embedding is not None:
        tied = torch.equal(decoder, embedding)  # what is stored counts, as it does for them
    if tied:
        weights.pop(family.decoder, None)
    if family.decoder_twin is not None and family.decoder_twin[1] in weights:
        first, second = family.decoder_twin
        weights[first] = weights.pop(second)  # the one that they compute with
    return Heads(True, bool(pair_names) and weights.keys() >= pair_names, tied)
