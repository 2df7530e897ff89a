"""A language model with further tokens, each of which begins as the mean of its old pieces.

The mean of the pieces is what Gee et al. 2022 begin with ("Fast Vocabulary Transfer for Language
Model Compression"), and far better than random vectors. Outputs and biases begin in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from foretext.base.errors import SettingError
from foretext.interop.transfer import named_weights
from foretext.language_model.model import LanguageModel
from foretext.tokenizers.added_words import add_words

__all__ = ["Extension", "extend_vocabulary"]


class Extension(NamedTuple):
    """A larger model, and the words that it has tokens for now."""

    model: LanguageModel
    words: list[str]


def extend_vocabulary(model: LanguageModel, words: Iterable[str]) -> Extension:
    """Return a copy of a model with a token for each word that it cuts into pieces so far.

    Texts without these words have the same tokens, the same states, and the same scores of all old
    tokens.

    Raises:
        SettingError: the model reads whole words or has two vocabularies, its softmax is adaptive,
            or no word needs a token.
    """
    old = model.backbone
    if old.reads_words or model.target_tokenizer is not None:
        raise SettingError(
            "Tokens cannot be added here: the model reads whole words, or has a vocabulary of its "
            "own for outputs; give one with sub-word tokens."
        )
    tokenizer, added, pieces = add_words(model.tokenizer, words)
    size = max(tokenizer.vocab_size, old.vocab_size + 1)  # published models may have spare rows
    backbone = type(old).build(old.config, size, **dict(old.arguments))
    objective = model.objective
    if objective is not None:
        objective = objective.reinitialised(backbone, tokenizer)
    before = named_weights(backbone=old, objective=model.objective)
    after = named_weights(backbone=backbone, objective=objective)
    rows = [tokenizer.library.token_to_id(word) for word in added]
    for name, weight in after.items():
        _fill(weight, before[name], (old.vocab_size, size), rows, pieces, name)
    return Extension(model.over(tokenizer, backbone, objective), added)


@torch.no_grad()
def _fill(
    weight: Tensor,
    old: Tensor,
    sizes: tuple[int, int],
    rows: Sequence[int | None],
    pieces: Sequence[Sequence[int]],
    name: str,
) -> None:
    """Copy a weight; in one with a row for each token, set the new rows to means of old ones."""
    old = old.to(weight.device, weight.dtype)
    if weight.shape == old.shape:
        weight.copy_(old)
        return
    if (len(old), len(weight)) != sizes or weight.shape[1:] != old.shape[1:]:
        raise SettingError(
            f"Tokens cannot be added to this model: '{name}' divides the vocabulary, as an "
            "adaptive softmax does; pretrain it with the new vocabulary."
        )
    weight.zero_()
    weight[: len(old)] = old
    for row, parts in zip(rows, pieces, strict=True):
        weight[row] = old[list(parts)].mean(dim=0)
