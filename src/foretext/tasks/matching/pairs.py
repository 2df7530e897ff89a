"""Pairs of texts as rows that a model can read: both in one row, in either order, or one each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.data.framing import Framing
from foretext.data.padded_examples import PaddedExamples, Ragged
from foretext.data.rows.pairs import TextPair
from foretext.data.sparse_rows import SparseRows
from foretext.heads.base import TaskBase
from foretext.heads.long_texts import cut_pair
from foretext.heads.matching import MatchMode
from foretext.heads.shared_tokens import shared_tokens
from foretext.tokenizers.base import Tokenizer

__all__ = ["PairRows"]

_Ids = list[int]


class PairRows(NamedTuple):
    """The framed rows of some pairs."""

    rows: Ragged  # of ids; those of a pair one after another
    second_starts: NDArray[np.int64] | None  # (rows,) where second texts begin
    group: int  # rows of a pair
    num_cut: int  # pairs that are not read to their end
    shared: Ragged | None = None  # 1 where both texts of a row have the token

    @classmethod
    def of(
        cls,
        base: TaskBase,
        pairs: Sequence[TextPair],
        max_length: int,
        mode: MatchMode,
        *,
        marks_shared: bool = False,
    ) -> Self:
        """Encode pairs; the ends of those that are too long are not read."""
        framing, reader = base.framing(max_length), base.reader()
        encoded = list(_encoded(reader, pairs))
        if mode == "siamese":
            num_cut = sum(max(map(len, pair)) > framing.room for pair in encoded)
            rows = [framing.around(ids[: framing.room]) for pair in encoded for ids in pair]
            filled = [row or [base.pad] for row in rows]
            return cls(Ragged(filled, reader.spelling), None, 2, num_cut)
        num_cut = sum(len(a) + len(b) > framing.pair_room for a, b in encoded)
        cut = [cut_pair(a, b, framing.pair_room) for a, b in encoded]
        ordered = [(a, b) for a, b in cut]
        if mode == "both_orders":
            ordered = [order for a, b in cut for order in ((a, b), (b, a))]
        rows = [framing.around_pair(a, b) or [base.pad] for a, b in ordered]
        framed = Ragged(rows, reader.spelling)
        starts = _second_starts(framing, ordered) if _tells_apart(base) else None
        shared = (
            Ragged([shared_tokens(framing, *order) for order in ordered]) if marks_shared else None
        )
        return cls(framed, starts, 2 if mode == "both_orders" else 1, num_cut, shared)

    def examples(
        self,
        base: TaskBase,
        targets: Mapping[str, NDArray[np.generic]],
        words: SparseRows | None = None,
    ) -> PaddedExamples:
        """Return the pairs as examples with targets (N, ...) or none.

        With `words`, features of each row, the head reads these, too.
        """
        return PaddedExamples(
            self.rows,
            targets,
            pad=base.pad,
            visibility=base.visibility,
            second_starts=self.second_starts,
            shared=self.shared,
            group=self.group,
            words=words,
        )


def _encoded(reader: Tokenizer, pairs: Sequence[TextPair]) -> Iterator[tuple[_Ids, _Ids]]:
    firsts = reader.encode_batch([first for first, _ in pairs])
    seconds = reader.encode_batch([second for _, second in pairs])
    return zip(firsts, seconds, strict=True)


def _second_starts(framing: Framing, pairs: Sequence[tuple[_Ids, _Ids]]) -> NDArray[np.int64]:
    return np.array([framing.second_starts(first) for first, _ in pairs], np.int64)


def _tells_apart(base: TaskBase) -> bool:
    """Whether the backbone reads which text of a row a token belongs to."""
    return base.backbone.num_segments > 1
