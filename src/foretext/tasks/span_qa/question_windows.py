"""Questions as rows that a model can read: a long passage is read in overlapping windows.

Each window begins `stride` tokens (BERT's `doc_stride`) after the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.data.framing import Framing
from foretext.data.padded_examples import Ragged
from foretext.data.rows import Question
from foretext.heads.shared_tokens import shared_tokens
from foretext.heads.span_qa import SpanHead
from foretext.tokenizers.base import Tokenizer

__all__ = ["EncodedPassage", "QuestionWindows", "encode_passages", "window_starts"]

_AT_ONCE = 1000  # encodings of the library are large


class EncodedPassage(NamedTuple):
    """The tokens of a text, T of them."""

    ids: NDArray[np.int32]  # (T,)
    offsets: NDArray[np.int32]  # (T, 2) characters of the text as given, the second one excluded

    def tokens_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last token of the characters from `start` up to `end`.

        None: no token stands there.
        """
        first = int(np.searchsorted(self.offsets[:, 1], start, side="right"))
        last = int(np.searchsorted(self.offsets[:, 0], end, side="left")) - 1
        return (first, last) if first <= last else None


class QuestionWindows(NamedTuple):
    """The W framed rows of N questions."""

    rows: Ragged  # of ids
    owners: NDArray[np.int64]  # (W,) the question of each row, in order
    passage_starts: NDArray[np.int64]  # (W,) position of the passage's first token in the row
    firsts: NDArray[np.int64]  # (W,) which token of the passage that is
    sizes: NDArray[np.int64]  # (W,) tokens of the passage in the row
    passages: list[EncodedPassage]  # N
    shared: Ragged | None = None  # 1 where question and window share a token

    @classmethod
    def of(
        cls,
        tokenizer: Tokenizer,
        framing: Framing,
        config: SpanHead.Config,
        questions: Sequence[Question],
        *,
        marks_shared: bool = False,
    ) -> Self:
        """Encode questions; each has one row or more."""
        contexts = encode_passages(tokenizer, (row.context for row in questions))
        encoded = encode_passages(tokenizer, (row.question for row in questions))
        passages = [contexts[row.context] for row in questions]
        longest = min(config.max_question_length, framing.pair_room // 2)
        # The first position, which stands for no answer, must not be one of the passage.
        least = [] if framing.prefix else [tokenizer.pad]
        rows: list[NDArray[np.int64]] = []
        shared: list[NDArray[np.int64]] = []
        places: list[tuple[int, int, int, int]] = []
        for owner, (row, passage) in enumerate(zip(questions, passages, strict=True)):
            head = encoded[row.question].ids[:longest].tolist() or least
            room = framing.pair_room - len(head)
            start = framing.second_starts(head)
            for first in window_starts(len(passage.ids), room, config.stride):
                ids = passage.ids[first : first + room]
                rows.append(_joined(framing, head, ids))
                if marks_shared:
                    shared.append(shared_tokens(framing, head, ids))
                places.append((owner, start, first, len(ids)))
        owners, starts, firsts, sizes = np.array(places, np.int64).reshape(-1, 4).T.copy()
        marks = Ragged(shared) if marks_shared else None
        return cls(Ragged(rows, tokenizer.spelling), owners, starts, firsts, sizes, passages, marks)

    def spans(self, questions: Sequence[Question]) -> NDArray[np.int64]:
        """Return the positions of each row's answer, (W, 2): of its first and its last token.

        Both are 0, the row's first position, where the row does not hold the answer whole.
        """
        tokens = np.array([self._answer(n, row) for n, row in enumerate(questions)], np.int64)
        spans = tokens.reshape(-1, 2)[self.owners] - self.firsts[:, None]  # (W, 2)
        inside = (spans[:, 0] >= 0) & (spans[:, 1] < self.sizes)
        return np.where(inside[:, None], spans + self.passage_starts[:, None], 0)

    def _answer(self, number: int, row: Question) -> tuple[int, int]:
        """The tokens of the first answer that has a place; (-1, -1) for none."""
        for answer in row.answers:
            if answer.start is not None and (text := answer.text.strip()):
                start = answer.start + answer.text.index(text)
                found = self.passages[number].tokens_of(start, start + len(text))
                if found is not None:
                    return found
        return (-1, -1)

    def kept(self, chosen: NDArray[np.bool_]) -> Self:
        """Return some of the rows, of all questions."""
        kept = np.flatnonzero(chosen).tolist()
        return self._replace(
            rows=Ragged([self.rows[row] for row in kept], self.rows.spelling),
            shared=None if self.shared is None else Ragged([self.shared[row] for row in kept]),
            owners=self.owners[chosen],
            passage_starts=self.passage_starts[chosen],
            firsts=self.firsts[chosen],
            sizes=self.sizes[chosen],
        )


def window_starts(num_tokens: int, room: int, stride: int) -> range:
    """Return the tokens at which the windows of a passage begin; the last one reaches its end."""
    step = min(stride, max(room // 2, 1))
    return range(0, max(num_tokens - room, 0) + step, step)


def _joined(framing: Framing, question: list[int], passage: NDArray[np.int32]) -> NDArray[np.int64]:
    parts = (framing.prefix, question, framing.between, passage, framing.suffix)
    return np.concatenate([np.asarray(part, np.int64) for part in parts])


def encode_passages(tokenizer: Tokenizer, texts: Iterable[str]) -> dict[str, EncodedPassage]:
    """Encode each different text once."""
    distinct = list(dict.fromkeys(texts))
    encoded: dict[str, EncodedPassage] = {}
    for start in range(0, len(distinct), _AT_ONCE):
        some = distinct[start : start + _AT_ONCE]
        found = tokenizer.encode_with_offsets(some)
        encoded.update((text, EncodedPassage(*ids)) for text, ids in zip(some, found, strict=True))
    return encoded
