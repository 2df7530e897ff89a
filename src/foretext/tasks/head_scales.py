"""How much a head trusts its network and its words, as held-out rows say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from foretext.data.rows import LabelledRow
from foretext.heads.word_logits import WordLogits
from foretext.tasks.classification.ensemble import fitted_weights

__all__ = ["FEWEST_ROWS", "scale_by_rows"]

FEWEST_ROWS = 50  # from which two weights are fitted


def scale_by_rows(
    classifier: nn.Module,
    words: WordLogits,
    labels: Sequence[str],
    logits: NDArray[np.float64],
    rows: Sequence[LabelledRow],
    *,
    are_sets: bool = False,
) -> list[str]:
    """Scale both parts of a head as held-out rows say; return what was found, for the log.

    Args:
        classifier: the layer over the states.
        words: the part over the features.
        labels: C, in the order of the logits.
        logits: (2, N, C) of the first and of the second part.
        rows: N, with labels.
        are_sets: whether a row may have any number of labels.
    """
    found = fitted_weights(labels, logits, rows, are_sets)
    with torch.no_grad():
        for weight in classifier.parameters():
            weight.mul_(found.network)
        words.scale.mul_(found.linear)
    return [
        f"held-out rows weigh the network by {found.network:.3f}, and the words by "
        f"{found.linear:.3f}"
    ]
