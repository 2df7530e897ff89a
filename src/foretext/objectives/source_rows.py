"""A batch whose rows are read by an encoder and written by a decoder."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.data.batch import Batch, Inputs

__all__ = ["source_batch"]

Ids = NDArray[np.int64]


def source_batch(
    sources: Ids,
    targets: Ids,
    hidden: NDArray[np.bool_],
    start: int,
    lengths: NDArray[np.int64] | None = None,
) -> Batch:
    """Return a batch with the target `next`: every token of a row from those before it.

    The target `hidden` tells tokens that have to be guessed from others, for figures.

    Args:
        sources: (B, S).
        targets: (B, T).
        hidden: (B, T), True = the source does not show what the target has here.
        start: id that the decoder reads before the first token of a target.
        lengths: of the sources, (B,); None: none is padded.
    """
    read = np.empty_like(targets)
    read[:, 0], read[:, 1:] = start, targets[:, :-1]
    mask = None
    if lengths is not None and int(lengths.min()) < sources.shape[1]:
        mask = torch.from_numpy(np.arange(sources.shape[1]) < lengths[:, None])
    inputs = Inputs(
        torch.from_numpy(read),
        visibility="causal",
        source=Inputs(torch.from_numpy(sources), mask),
    )
    found = {"next": torch.from_numpy(targets), "hidden": torch.from_numpy(hidden)}
    return Batch(inputs, found)
