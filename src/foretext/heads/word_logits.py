"""The wide part of a wide and deep network: what the words of a text say of its labels.

Cheng et al. 2016, "Wide & Deep Learning for Recommender Systems", section 3. The logits of a head
are W h + s (U x + b): h is the vector of a text that the network makes, and x its TF-IDF. There, U
is learned together with the network. Here it is what logistic regression found, and stays as it is;
the network learns what this leaves over, and s, how much it counts.

A regression is too sure of the rows that it has learned from, and a network that saw this would
learn too little. So rows to learn from bring their own logits, of a regression that has learned
from other rows (`foretext.tasks.classification.words`). A regression on the
sixteen overlaps of two texts hardly overfits, so pairs need none.
"""

from __future__ import annotations

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.data.batch import Inputs

__all__ = ["PairFeatureKind", "WordFeatureKind", "WordLogits"]

WordFeatureKind = Literal["none", "tfidf"]  # of a text
PairFeatureKind = Literal["none", "overlap"]  # of two


class WordLogits(nn.Module):
    """Logits of sparse features by weights that are given, times a scale that is learned.

    Args:
        num_features: V of them.
        num_outputs: C logits.

    Attributes:
        weight: (V, C), not learned.
        bias: (C,), not learned.
        scale: (1,)
    """

    def __init__(self, num_features: int, num_outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(num_features, num_outputs), requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(num_outputs), requires_grad=False)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, inputs: Inputs) -> Tensor:
        """Return (B, C) of features (B, W) and their values, or of the logits that rows bring."""
        logits = inputs.word_logits
        if logits is None:
            logits = self._summed(inputs.word_columns, inputs.word_values)
        return self.scale.float() * logits.float()

    def _summed(self, columns: Tensor | None, values: Tensor | None) -> Tensor:
        assert columns is not None, "the rows have no features of words"
        assert values is not None
        values = values.to(self.weight.dtype)
        return self.bias + F.embedding_bag(
            columns, self.weight, per_sample_weights=values, mode="sum"
        )
