"""Where a character stands in its word: what a network over Chinese characters hardly finds itself.

The "softword" feature of Zhao and Kit 2008 and of Zhang and Yang 2018 ("Chinese NER Using Lattice
LSTM", 3.1). Words are those of jieba, whose dictionary has far more words than the rows of a task.
A backbone reads the feature in the way in which it reads which text a token is of: as segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.corpus.chinese_words import mark_words
from foretext.heads.shared_tokens import SCALE, has_small_backbone, refuse_without_segments
from foretext.heads.task_base import TaskBase

__all__ = [
    "NUM_PLACES",
    "WordBoundaries",
    "gains_from_boundaries",
    "mark_word_boundaries",
    "word_places",
]

WordBoundaries = Literal["auto"] | bool  # auto: where rows are Chinese and the backbone is small

SINGLE, FIRST, INSIDE, LAST = range(4)  # a word of one token, and the places in a longer one
NUM_PLACES = 4


@torch.no_grad()
def mark_word_boundaries(base: TaskBase) -> None:
    """Give a backbone a random vector for each place in a longer word, which it adds to tokens.

    A backbone that has them stays as it is.

    Raises:
        SettingError: the backbone reads no segments.
    """
    backbone = base.backbone
    refuse_without_segments(base, "word_boundaries")
    if backbone.num_segments >= NUM_PLACES:
        return
    tokens = backbone.embedding
    width = tokens.shape[1]
    vectors = torch.randn(NUM_PLACES, width).to(tokens) * SCALE * tokens.std()
    vectors[SINGLE] = 0.0  # as tokens were read before
    if backbone.segment_vectors is not None:
        vectors += backbone.segment_vectors[0]
    backbone.replace_segments(vectors)


def gains_from_boundaries(base: TaskBase) -> bool:
    """Whether a base can read the places, and is too small to know words by itself."""
    return base.backbone.takes_segments and has_small_backbone(base)


def word_places(sentences: Sequence[Sequence[str]]) -> list[NDArray[np.int64]]:
    """Return where each token stands in a word that jieba finds in its sentence, (T,) each.

    A token of several characters is a part of all words that it touches.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    texts = ["".join(tokens) for tokens in sentences]
    marks = np.frombuffer(mark_words("\n".join(texts)).encode(), np.uint8) == ord("1")
    begins = np.append(marks, True)  # (all characters + 1,) whether a word begins there
    places, start = [], 0
    for tokens, text in zip(sentences, texts, strict=True):
        ends = start + np.cumsum([len(token) for token in tokens], dtype=np.int64)  # (T,)
        starts = np.append(start, ends)[: len(tokens)]
        # What follows the last character is a line break, which is a word of its own.
        is_first, is_last = begins[starts], begins[ends]
        places.append(
            np.select([is_first & is_last, is_first, is_last], [SINGLE, FIRST, LAST], INSIDE)
        )
        start += len(text) + 1
    return places
