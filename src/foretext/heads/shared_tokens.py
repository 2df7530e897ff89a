"""Which tokens two texts share: what a small network hardly finds by attention alone.

The exact match of Chen et al. 2017 ("Reading Wikipedia to Answer Open-Domain Questions", 3.2). A
backbone reads it in the way in which it reads which text a token is of: as two more segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.data.framing import Framing
from foretext.heads.base import TaskBase

__all__ = [
    "SharedTokens",
    "has_small_backbone",
    "mark_shared_tokens",
    "marks_shared",
    "refuse_without_segments",
    "shared_token_note",
    "shared_tokens",
]

SharedTokens = Literal["auto"] | bool  # auto: where the backbone is small

# Parameters; larger networks were pretrained for long, and find what texts share by themselves.
# BERT-base has 110 million, the smallest sentence encoders 22; an hour's pretraining gives 3.
SMALL = 20_000_000
NUM_TEXTS = 2
NUM_KINDS = 2 * NUM_TEXTS  # tokens of the first text, of the second; the same, if in both
SCALE = 0.5  # of the random vector, relative to those of tokens: from 0 it is learned too slowly


@torch.no_grad()
def mark_shared_tokens(base: TaskBase) -> None:
    """Give a backbone a random vector that it adds to tokens which stand in both texts.

    A backbone that has one stays as it is.

    Raises:
        SettingError: the backbone reads no segments.
    """
    backbone = base.backbone
    if backbone.num_segments >= NUM_KINDS:
        return
    refuse_without_segments(base, "shared_tokens")
    tokens = backbone.embedding
    width = tokens.shape[1]
    vectors = tokens.new_zeros(NUM_TEXTS, width)
    if backbone.segment_vectors is not None:
        vectors += backbone.segment_vectors[:NUM_TEXTS]  # a single one is that of both texts
    noise = torch.randn(width).to(tokens) * SCALE * tokens.std()
    backbone.replace_segments(torch.cat([vectors, vectors + noise]))


def refuse_without_segments(base: TaskBase, setting: str) -> None:
    """Refuse a setting that marks tokens where the backbone cannot read the marks.

    Raises:
        SettingError: it reads no segments.
    """
    if not base.backbone.takes_segments:
        raise SettingError(
            f"[task] {setting} marks tokens by their segments, and the base is a "
            f"{type(base.backbone).__name__}, which reads none; leave it out."
        )


def marks_shared(chosen: SharedTokens, base: TaskBase) -> bool:
    """Return whether shared tokens are marked: as chosen, or as suits a base."""
    if chosen != "auto":
        return chosen
    backbone = base.backbone
    knows_marks = backbone.num_segments >= NUM_KINDS
    return knows_marks or (backbone.takes_segments and has_small_backbone(base))


def has_small_backbone(base: TaskBase) -> bool:
    """Whether a backbone is too small to find by itself which tokens two texts share."""
    return base.num_parameters < SMALL


def shared_token_note(base: TaskBase) -> str:
    """Say that the tokens of both texts are marked where the user left it open, and at what price.

    Args:
        base: whose backbone reads the marks.
    """
    size = f"a network of {base.num_parameters / 1e6:.1f} million parameters"
    why = size if has_small_backbone(base) else "this network"
    return (
        f"task.shared_tokens=true was chosen: {why} hardly finds by itself which tokens two texts "
        "share, so they are marked; only foretext opens the model (task.shared_tokens=false: "
        "transformers opens it too, with worse answers)"
    )


def shared_tokens(
    framing: Framing,
    first: Sequence[int] | NDArray[np.integer],
    second: Sequence[int] | NDArray[np.integer],
) -> NDArray[np.int64]:
    """Return 1 where a token of a framed row stands in both its texts, else 0, (T,).

    Special tokens around the texts are in neither.
    """
    parts = (
        np.zeros(len(framing.prefix), np.bool_),
        np.isin(first, second),
        np.zeros(len(framing.between), np.bool_),
        np.isin(second, first),
        np.zeros(len(framing.suffix), np.bool_),
    )
    return np.concatenate(parts).astype(np.int64)
