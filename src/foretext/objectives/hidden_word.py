"""A whole word that is hidden, to show what a model writes in its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from foretext.objectives.in_use import ModelInUse

__all__ = ["hide_whole_word"]

NUM_ANSWERS = 3  # of a sample


def hide_whole_word(model: ModelInUse, row: list[int]) -> Mapping[str, Any] | None:
    """Mask all tokens of the word in the middle of a row, and fill it; see `Objective.sample`.

    None for a row without a word.
    """
    tokenizer = model.tokenizer
    ordinary = tokenizer.ordinary[row]
    opens = ordinary & tokenizer.word_starts[row]
    words = np.flatnonzero(opens)
    if not len(words):
        return None
    first = int(words[len(words) // 2])
    behind = np.flatnonzero(opens | ~ordinary)  # the next word, or what is no text
    end = int(min((place for place in behind if place > first), default=len(row)))
    text = " ".join([tokenizer.decode(row[:first]), "[MASK]", tokenizer.decode(row[end:]).strip()])
    answers = model.fill(text.strip(), topn=NUM_ANSWERS)[0]
    return {
        "text": text.strip(),
        "hidden": tokenizer.decode(row[first:end]).strip(),
        "answers": [[answer.token, round(answer.probability, 4)] for answer in answers],
    }
