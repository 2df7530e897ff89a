"""A word of a text replaced by another one, to show whether a model finds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from foretext.data.batch import Inputs
from foretext.data.framing import Framing
from foretext.objectives.in_use import ModelInUse

__all__ = ["plant_a_word"]

NUM_ANSWERS = 3  # of a sample


def plant_a_word(
    model: ModelInUse, row: list[int], detect: Callable[[Tensor], Tensor]
) -> Mapping[str, Any] | None:
    """Replace the word in the middle of a row as the model would fill it, and ask which it is.

    Args:
        model: that fills masks.
        row: ids of a text.
        detect: maps the backbone's states (..., D) to logits (...), high at replaced tokens.

    Returns:
        As `Objective.sample`; None for a row without a word.
    """
    tokenizer = model.tokenizer
    words = np.flatnonzero((tokenizer.ordinary & tokenizer.word_starts)[row])
    if not len(words):
        return None
    place = int(words[len(words) // 2])
    parts = [tokenizer.decode(row[:place]), "[MASK]", tokenizer.decode(row[place + 1 :])]
    answers = model.fill(" ".join(parts).strip(), topn=2)[0]
    planted = next(each.token for each in answers if each.token != tokenizer.tokens[row[place]])
    ids = [*row[:place], tokenizer.tokens.index(planted), *row[place + 1 :]]
    chances = _chances(model, ids, detect)
    likeliest = np.argsort(-chances, kind="stable")[:NUM_ANSWERS].tolist()
    return {
        "text": f"Which token was replaced? {tokenizer.decode(ids)}",
        "hidden": planted,
        "answers": [[tokenizer.tokens[ids[at]], round(float(chances[at]), 4)] for at in likeliest],
    }


@torch.inference_mode()
def _chances(model: ModelInUse, ids: list[int], detect: Callable[[Tensor], Tensor]) -> np.ndarray:
    """The probability that each token was replaced, (T,)."""
    backbone = model.backbone
    framing = Framing.of(model.tokenizer, "full", backbone.max_length)
    row = torch.tensor([framing.around(ids)], device=backbone.embedding.device)  # (1, T)
    first = len(framing.prefix)
    logits = detect(backbone(Inputs(row)).last)[0, first : first + len(ids)]
    chances: np.ndarray = logits.float().sigmoid().cpu().numpy()
    return chances
