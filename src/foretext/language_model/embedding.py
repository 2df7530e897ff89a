"""Texts of any length as vectors: long ones are cut into windows, whose vectors are averaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from foretext.backbones.base import Backbone
from foretext.base.errors import CorpusError, SettingError
from foretext.corpus.blocks import Advance
from foretext.data.batch import Visibility
from foretext.data.framing import Framing
from foretext.language_model.encoding import Pooling, pool_texts, pool_windows
from foretext.tokenizers.base import Tokenizer

__all__ = ["TextEmbedder", "framed_pair", "paired"]

TEXTS_AT_ONCE = 1 << 14  # sorted by length together


class TextEmbedder:
    """Turns texts into vectors with the states of a backbone.

    Args:
        tokenizer: of the backbone.
        visibility: that the backbone is read with.
        length: positions of a window, with the tokens around a text.

    Raises:
        SettingError: there is no room for a text beside the tokens around it.
    """

    def __init__(self, tokenizer: Tokenizer, visibility: Visibility, length: int) -> None:
        self.tokenizer = tokenizer
        self.visibility = visibility
        self.window = Framing.of(tokenizer, visibility, length)
        if self.window.room < 1:
            raise SettingError(
                f"text_length = {length}: the tokens around a text take all of it; give more."
            )

    def embed(
        self,
        backbone: Backbone,
        texts: Sequence[str],
        pooling: Pooling,
        layers: tuple[int, ...],
        overlap: int | None,
        progress: Advance | None = None,
    ) -> NDArray[np.float32]:
        """Return one vector a text, (N, D); `LanguageModel.embed` describes the arguments."""
        self._check_pooling(pooling)
        overlap = self.window.check_overlap(overlap)
        vectors = np.zeros((len(texts), backbone.dim), np.float32)
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            part = slice(start, start + TEXTS_AT_ONCE)
            reader = self.tokenizer.opened() if backbone.open_vocabulary else self.tokenizer
            vectors[part] = self._embed_ids(
                backbone,
                reader.encode_batch(texts[part]),
                reader.spelling,
                pooling,
                layers,
                overlap,
                progress,
            )
        return vectors

    def embed_pairs(
        self,
        backbone: Backbone,
        pairs: Sequence[tuple[str, str]],
        pooling: Pooling,
        layers: tuple[int, ...],
        progress: Advance | None = None,
    ) -> NDArray[np.float32]:
        """Return one vector a pair, (N, D), both texts in one row as in pretraining on pairs.

        Raises:
            CorpusError: a pair is longer than the model.
        """
        self._check_pooling(pooling)
        if not pairs:
            return np.zeros((0, backbone.dim), np.float32)
        reader = self.tokenizer.opened() if backbone.open_vocabulary else self.tokenizer
        firsts = reader.encode_batch([first for first, _ in pairs])
        seconds = reader.encode_batch([second for _, second in pairs])
        rows = [
            framed_pair(self.window, first, second)
            for first, second in zip(firsts, seconds, strict=True)
        ]
        starts = np.array([self.window.second_starts(first) for first in firsts], np.int64)
        return pool_windows(
            backbone,
            rows,
            pad=self.tokenizer.pad,
            visibility=self.visibility,
            pooling=pooling,
            layers=layers,
            spelling=reader.spelling,
            second_starts=starts if backbone.num_segments > 1 else None,
            done=_texts_done(progress, 1.0),
        )

    def _check_pooling(self, pooling: Pooling) -> None:
        if pooling not in ("mean", "cls", "max"):
            raise SettingError(f"pooling = {pooling!r}: there are 'mean', 'cls' and 'max'.")
        if pooling == "cls" and self.visibility == "causal":
            raise SettingError(
                "pooling = 'cls': the first position of a causal model sees nothing but itself; "
                "use 'mean' or 'max'."
            )

    def _embed_ids(
        self,
        backbone: Backbone,
        encoded: list[list[int]],
        spelling: NDArray[np.uint8] | None,
        pooling: Pooling,
        layers: tuple[int, ...],
        overlap: int,
        progress: Advance | None,
    ) -> NDArray[np.float32]:
        windows = [self.window.windows(ids, overlap) for ids in encoded]
        rows = [row for text in windows for row in text]
        if not rows:
            return np.zeros((len(encoded), backbone.dim), np.float32)
        vectors = pool_windows(
            backbone,
            rows,
            pad=self.tokenizer.pad,
            visibility=self.visibility,
            pooling=pooling,
            layers=layers,
            spelling=spelling,
            done=_texts_done(progress, len(encoded) / len(rows)),
        )
        owners = np.repeat(np.arange(len(windows)), list(map(len, windows)))
        weights = np.fromiter(map(len, rows), np.int64, len(rows))
        return pool_texts(vectors, owners, weights, len(encoded), pooling)


def paired(
    firsts: Sequence[str], seconds: Sequence[str], overlap: int | None
) -> list[tuple[str, str]]:
    """Return the pairs of two lists of texts.

    Raises:
        SettingError: one list is longer, or an overlap is given, although pairs have no windows.
    """
    if overlap is not None:
        raise SettingError("overlap has no effect on pairs, which are not cut; leave it out.")
    if len(firsts) != len(seconds):
        raise SettingError(
            f"There are {len(firsts):,} texts and {len(seconds):,} seconds; give as many of both."
        )
    return list(zip(firsts, seconds, strict=True))


def framed_pair(framing: Framing, first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return the row of a pair.

    Raises:
        CorpusError: it is longer than the model.
    """
    if len(first) + len(second) > framing.pair_room:
        raise CorpusError(
            f"A pair of texts has {len(first) + len(second):,} tokens, and the model sees "
            f"{framing.pair_room:,} of both at once; give shorter texts."
        )
    return framing.around_pair(first, second)


def _texts_done(progress: Advance | None, texts_a_window: float) -> Callable[[int], object]:
    """Return what is called with each number of windows that are done."""
    if progress is None:
        return int
    return lambda num_windows: progress.advance(num_windows * texts_a_window)
