"""The words and the vectors that a network over static word vectors starts with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from foretext.data.rows.row_texts import RowTexts
from foretext.finetuning.recipe import BaseModel
from foretext.run_folder import RunFolder
from foretext.tokenizers.vocabulary import UNKNOWN
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.word_vectors import WordVectors

__all__ = ["completed", "vector_matrix", "words_of_vectors"]

MAX_WORDS = 200_000  # of a vector file; the most frequent come first in such files


def words_of_vectors(
    vectors: WordVectors, named: BaseModel, rows: RowTexts, settings: dict[str, Any]
) -> WordTokenizer:
    """Return a tokenizer of the words of vectors and rows.

    Text is split as in the run of the vectors; of other vectors their words show whether they are
    in lower case.

    Args:
        vectors: whose words are known.
        named: how the user named them; a run has the settings of its tokenizer.
        rows: whose words join.
        settings: of [tokenizer], which go over those of the run.
    """
    run = RunFolder(named) if isinstance(named, str | Path) else None
    if run is not None and run.tokenizer.is_file() and not settings:
        config = WordTokenizer.load(run.tokenizer).config
        asked = {**config.model_dump(), "min_count": 2, "max_vocab_size": None}
    else:
        lowercase = not any(word != word.lower() for word in vectors.index_to_key[:10_000])
        asked = {"min_count": 2, "lowercase": lowercase, **settings}
    asked |= rows.word_settings()
    learned = WordTokenizer.learn(WordTokenizer.Config.checked(asked, "tokenizer"), rows)
    known = vectors.index_to_key[:MAX_WORDS]
    return WordTokenizer(learned.config, learned.vocabulary.extended(known, None))


def vector_matrix(vectors: WordVectors, words: Sequence[str]) -> np.ndarray:
    """Return the vectors of words, (V, E), with NaN for words without one."""
    matrix = np.full((len(words), vectors.vector_size), np.nan, np.float32)
    for index, word in enumerate(words):
        if word != UNKNOWN and word in vectors:
            matrix[index] = vectors.get_vector(word)
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
