"""The sources of a batch, as an encoder reads them: padded at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from foretext.data.batch import Inputs
from foretext.objectives.reading import Reading

__all__ = ["keep_sources", "pad_sources"]


def pad_sources(readings: Sequence[Reading], device: torch.device) -> Inputs | None:
    """Return the sources of the readings, a row each; None: they have none."""
    sources = [reading.source for reading in readings if reading.source is not None]
    if not sources:
        return None
    lengths = torch.tensor([len(source) for source in sources])
    width = int(lengths.max())
    ids = torch.tensor([[*source, *[0] * (width - len(source))] for source in sources])
    mask = torch.arange(width) < lengths[:, None]  # (B, S)
    return Inputs(ids.to(device), None if bool(mask.all()) else mask.to(device))


def keep_sources(sources: Inputs, rows: Tensor) -> Inputs:
    """Return rows (K,) of the sources, in that order."""
    mask = sources.token_mask
    kept = None if mask is None else mask.index_select(0, rows)
    return replace(sources, ids=sources.ids.index_select(0, rows), token_mask=kept)
