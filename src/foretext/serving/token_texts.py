"""Tokens as the pieces of a text, where each begins, and how likely it was.

The pieces of a row are its text, cut. Where a token is only some bytes of a character, its piece is
its name in the vocabulary, since no text is that of its bytes alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["ScoredTokens", "TokenTexts"]

KEPT = 1 << 16  # pairs of tokens whose pieces are remembered
LONGEST = 4  # bytes of a character, and so tokens that it may be cut into
UNFINISHED = "\ufffd"  # what bytes that are no whole character decode to

Likeliest = Sequence[tuple[int, float]]  # ids and their log-probabilities


class ScoredTokens(NamedTuple):
    """The tokens of a text, column by column; T of them."""

    pieces: list[str]
    starts: list[int]  # the character at which each begins
    log_probs: list[float | None]  # in nats; None: nothing stands before the token
    likeliest: list[dict[str, float] | None]  # piece to log-probability, with the token's own

    def then(self, other: ScoredTokens, shift: int) -> ScoredTokens:
        """Return these and others that begin at the character `shift`."""
        return ScoredTokens(
            self.pieces + other.pieces,
            self.starts + [start + shift for start in other.starts],
            self.log_probs + other.log_probs,
            self.likeliest + other.likeliest,
        )


class TokenTexts:
    """The pieces of one tokenizer."""

    def __init__(self, tokenizer: SubwordTokenizer) -> None:
        self.tokenizer = tokenizer
        self.piece = lru_cache(KEPT)(self._piece)
        self._is_part = lru_cache(KEPT)(lambda token: UNFINISHED in tokenizer.decode([token]))

    def scored(
        self,
        ids: Sequence[int],
        log_probs: Sequence[float | None],
        likeliest: Iterable[Likeliest],
        before: int | None = None,
    ) -> ScoredTokens:
        """Return the tokens of a row, (T,), that may stand after another one."""
        pairs = list(zip([before, *ids], ids, strict=False))
        pieces = [self.piece(*pair) for pair in pairs]
        tables = [
            self._table(*pair, log_prob, others)
            for pair, log_prob, others in zip(pairs, log_probs, likeliest, strict=True)
        ]
        return ScoredTokens(pieces, self._starts(ids, pieces, before), list(log_probs), tables)

    def _table(
        self, before: int | None, token: int, log_prob: float | None, likeliest: Likeliest
    ) -> dict[str, float] | None:
        if log_prob is None or not likeliest:
            return None
        table: dict[str, float] = {}
        for other, value in (*likeliest, (token, log_prob)):
            table.setdefault(self.piece(before, other), value)  # of equal pieces the likelier one
        return table

    def _piece(self, before: int | None, token: int) -> str:
        """Return how a token reads after another one; None: at the beginning of a text."""
        head = [] if before is None else [before]
        read = self.tokenizer.decode(head)
        if UNFINISHED in read:
            head, read = [], ""
        piece = self.tokenizer.decode([*head, token])[len(read) :]
        return self.tokenizer.tokens[token] if UNFINISHED in piece else piece

    def _starts(self, ids: Sequence[int], pieces: Sequence[str], before: int | None) -> list[int]:
        """Return where each token begins; parts of a character begin where it does."""
        starts, at, pending = [], 0, 0
        for place, (token, piece) in enumerate(zip(ids, pieces, strict=True)):
            starts.append(at)
            pending += 1
            if pending == 1 and not self._is_part(token):
                at, pending = at + len(piece), 0
                continue
            first = place + 1 - pending
            head = [ids[first - 1]] if first else [] if before is None else [before]
            read = self.tokenizer.decode([*head, *ids[first : place + 1]])
            if not read.endswith(UNFINISHED) or pending == LONGEST:
                at, pending = at + len(read) - len(self.tokenizer.decode(head)), 0
        return starts
