"""What stands for a word before anything reads it."""

from __future__ import annotations

import numpy as np
import torch

from foretext.nn.word_embedding import WordEmbedding


def test_vectors_may_be_mapped_and_read_only() -> None:
    vectors = np.arange(6, dtype=np.float32).reshape(3, 2)
    vectors.flags.writeable = False
    embedding = WordEmbedding(WordEmbedding.Config(vector_size=2), 3)
    embedding.load_vectors(vectors)
    assert torch.equal(embedding.vectors.weight, torch.tensor(vectors))
