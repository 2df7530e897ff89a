"""The words or tokens, and their vectors, that a network over static vectors starts with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from foretext.base.errors import SettingError
from foretext.finetuning.material import Material
from foretext.finetuning.recipe import BaseModel
from foretext.run_folder import RunFolder
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.vocabulary import UNKNOWN
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.word_vectors import WordVectors

__all__ = ["TokenStart", "completed", "tokens_of_vectors"]

MAX_WORDS = 200_000  # of a vector file; the most frequent come first in such files


class TokenStart(NamedTuple):
    """What a network reads texts with, and what it knows of their tokens."""

    tokenizer: Tokenizer
    settings: dict[str, Any]  # of [tokenizer], resolved
    vectors: np.ndarray  # (V, E) float32, with NaN for tokens without a vector


def tokens_of_vectors(
    vectors: WordVectors, named: BaseModel, material: Material, settings: dict[str, Any]
) -> TokenStart:
    """Return the tokenizer that vectors came with, or one of the words of vectors and rows.

    Args:
        vectors: to start from.
        named: how the user named them.
        material: texts whose words join, where the vectors are of words.
        settings: of [tokenizer].

    Raises:
        SettingError: a setting of a tokenizer that the vectors came with.
    """
    if vectors.tokenizer is None:
        words = _words_of_vectors(vectors, named, material, settings)
        matrix = _vector_matrix(vectors, words.vocabulary.words)
        return TokenStart(words, words.config.kept(), matrix)
    if settings:
        raise SettingError(
            f"[tokenizer] {min(settings)} cannot be chosen here: '{named}' has vectors of the "
            "tokens of its own tokenizer."
        )
    return TokenStart(vectors.tokenizer, {}, vectors.vectors)


def _words_of_vectors(
    vectors: WordVectors, named: BaseModel, material: Material, settings: dict[str, Any]
) -> WordTokenizer:
    """Return a tokenizer of the words of vectors and rows.

    Text is split as in the run of the vectors; of other vectors their words show whether they are
    in lower case.

    Args:
        vectors: whose words are known.
        named: how the user named them; a run has the settings of its tokenizer.
        material: texts whose words join.
        settings: of [tokenizer], which go over those of the run.
    """
    run = RunFolder(named) if isinstance(named, str | Path) else None
    if run is not None and run.tokenizer.is_file() and not settings:
        config = WordTokenizer.load(run.tokenizer).config
        asked = {**config.model_dump(), "min_count": 2, "max_vocab_size": None}
    else:
        lowercase = not any(word != word.lower() for word in vectors.index_to_key[:10_000])
        asked = {"min_count": 2, "lowercase": lowercase}
    asked |= {**material.texts.word_settings(), **settings}
    config = WordTokenizer.Config.checked(asked, "tokenizer")
    learned = WordTokenizer.learn(config, material.texts, form=material.form)
    vocabulary = learned.vocabulary.extended(vectors.index_to_key[:MAX_WORDS], None)
    return WordTokenizer(learned.config, vocabulary, form=learned.form)


def _vector_matrix(vectors: WordVectors, words: Sequence[str]) -> np.ndarray:
    """Return the vectors of words, (V, E), with NaN for words without one."""
    matrix = np.full((len(words), vectors.vector_size), np.nan, np.float32)
    known = [at for at, word in enumerate(words) if word != UNKNOWN and word in vectors]
    matrix[known] = vectors[[words[at] for at in known]]
    return matrix


def completed(matrix: np.ndarray, drawn: torch.Tensor) -> np.ndarray:
    """Return a matrix (V, E) with random numbers where it has NaN, as large as the others.

    Args:
        matrix: with NaN in it.
        drawn: random numbers of the same shape; they are scaled.
    """
    values = drawn.detach().cpu().numpy()
    scale = np.nanstd(matrix) / max(float(values.std()), 1e-12)
    return np.where(np.isnan(matrix), values * scale, matrix)
