"""A backbone and its head read texts piece by piece and say what they expect next.

Each read computes the newest positions only; a cache holds what the earlier ones left. A model
that fills masks reads a mask after the text, whose state predicts the next token, and forgets it. A
model with an encoder reads the sources first, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import Cache
from foretext.objectives.reading import Reading

__all__ = ["Decoder"]

GROWTH = 64  # ids that room is made for at a time, at least


class Decoder:
    """Reads rows, all equally long, and returns the logits of what comes next.

    When the positions are used up, the newest half of the text is read again from its
    beginning and the rest forgotten, so that a text can be longer than the model.

    Args:
        backbone: one that `continues_texts`.
        head: maps states (B, D) to logits (B, V).
        readings: what is read beside the text, a row each; they differ in source and opening only,
            and the openings are equally long. A single one without a source is that of every row.
        num_ids: that the tokenizer has; a head may have rows behind them. None: all rows are ids.
        length: positions that are used; None: all that the backbone has.
        pause: is called before each read, so that other work can have its turn; None: nothing is.

    Raises:
        SettingError: the backbone cannot continue a text.
    """

    def __init__(
        self,
        backbone: Backbone,
        head: nn.Module,
        readings: Sequence[Reading] = (Reading(),),
        num_ids: int | None = None,
        length: int | None = None,
        pause: Callable[[], None] | None = None,
    ) -> None:
        self.backbone = backbone
        self._pause = pause
        self.head = head
        self.num_ids = num_ids
        self.reading = readings[0]
        self.room = self.reading.room(length or backbone.max_length)  # tokens of the text
        self.device = backbone.embedding.device
        openings = [reading.opening for reading in readings]
        self._opening = torch.tensor(openings, dtype=torch.int64, device=self.device)  # (B or 1, O)
        self._source = _pad_sources(readings, self.device)
        self._cache = self._new_cache()
        self._ids = torch.empty(0, 0, dtype=torch.int64)  # (B, room for the ids that were read)

    def read(self, ids: Tensor) -> Tensor:
        """Read further ids (B, T), and return the logits of the next ones, (B, V).

        The first ids may be none, T = 0, where there is an opening or a mask.
        """
        if self._pause is not None:
            self._pause()
        read = max(self._cache.length - len(self.reading.opening), 0)
        if read + ids.shape[1] > self.room:
            ids = torch.cat((self._ids[:, :read], ids), dim=1)[:, -max(self.room // 2, 1) :]
            read, self._cache = 0, self._new_cache()
        self._remember(ids, read)
        states = None if self._cache.length else self._open(len(ids))
        mask = self.reading.mask
        if mask is not None:
            ids = torch.cat((ids, ids.new_full((len(ids), 1), mask)), dim=1)
        if states is None or ids.shape[1]:
            inputs = self._inputs(ids, "causal", self.reading.text_segment)
            states = self.backbone(inputs, cache=self._cache)
        if mask is not None:
            self._cache.forget(1)
        return self.head(states.last[:, -1])[:, : self.num_ids]

    def keep_rows(self, rows: Sequence[int] | Tensor) -> None:
        """Continue these rows only, in that order; a row may come more than once."""
        index = torch.as_tensor(rows, device=self._ids.device)
        self._ids = self._ids.index_select(0, index)
        if len(self._opening) > 1:
            self._opening = self._opening.index_select(0, index)
        if self._source is not None:
            self._source = _keep_sources(self._source, index)
        self._cache.keep_rows(index)

    def _open(self, num_rows: int) -> States | None:
        """Read what stands before the text, with the sources; None: nothing does."""
        reading = self.reading
        if not reading.opening:
            return None
        rows = self._opening.expand(num_rows, -1)
        inputs = self._inputs(rows, reading.opening_visibility, reading.opening_segment)
        return self.backbone(inputs, cache=self._cache)

    def _inputs(self, ids: Tensor, visibility: Visibility, segment: int | None) -> Inputs:
        segments = None if segment is None else torch.full_like(ids, segment)
        source = None if self._cache.length else self._source
        return Inputs(ids, visibility=visibility, segments=segments, source=source)

    def _new_cache(self) -> Cache:
        cache = self.backbone.new_cache()
        if cache is None or not self.backbone.continues_texts:
            raise SettingError(
                f"[backbone] {type(self.backbone).__name__} cannot continue a text, as its states "
                "depend on what follows or on spelling; use a Transformer with causal visibility, "
                "or a recurrent network with bidirectional = false and characters = 'none'."
            )
        return cache

    def _remember(self, ids: Tensor, read: int) -> None:
        """Write ids (B, T) behind those that were read."""
        end = read + ids.shape[1]
        if read == 0:
            self._ids = ids.new_empty(len(ids), max(end, GROWTH))
        elif end > self._ids.shape[1]:
            rows, room = self._ids.shape
            self._ids = torch.cat((self._ids, ids.new_empty(rows, max(room, end - room))), dim=1)
        self._ids[:, read:end] = ids


def _pad_sources(readings: Sequence[Reading], device: torch.device) -> Inputs | None:
    """Return the sources of the readings, a row each; None: they have none."""
    sources = [reading.source for reading in readings if reading.source is not None]
    if not sources:
        return None
    lengths = torch.tensor([len(source) for source in sources])
    width = int(lengths.max())
    ids = torch.tensor([[*source, *[0] * (width - len(source))] for source in sources])
    mask = torch.arange(width) < lengths[:, None]  # (B, S)
    return Inputs(ids.to(device), None if bool(mask.all()) else mask.to(device))


def _keep_sources(sources: Inputs, rows: Tensor) -> Inputs:
    """Return rows (K,) of the sources, in that order."""
    mask = sources.token_mask
    kept = None if mask is None else mask.index_select(0, rows)
    return replace(sources, ids=sources.ids.index_select(0, rows), token_mask=kept)
