"""What an output must and must not have: forced and forbidden tokens, a least length, n-grams once.

Rules change the scores of the tokens that they are about; log-probabilities of others stay.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foretext.generation.decoding import Decoding, Output
from foretext.objectives.reading import Reading

__all__ = ["FORBIDDEN", "Constraints", "repeated_ngrams"]

FORBIDDEN = -1e30  # a score that no text has; finite, so that sums and differences stay numbers


class Constraints:
    """The rules of one decoding.

    Args:
        reading: of any of the texts; it names forced and forbidden tokens.
        decoding: the settings.
        end: id of the token that ends an output; None: none does.
        num_new: tokens of an output, at most.
    """

    def __init__(self, reading: Reading, decoding: Decoding, end: int | None, num_new: int) -> None:
        self.first, self.last, self.never = reading.first, reading.last, [*reading.never]
        # n-grams may begin with the start tokens that follow a source, but not in a prefix
        self.start = () if reading.source is None else reading.opening
        self.end, self.num_new = end, num_new
        self.min_new_tokens = decoding.min_new_tokens
        self.ngram_size = decoding.no_repeat_ngram_size

    def bind(self, length: int) -> bool:
        """Whether `apply` may change the logits after `length` new tokens."""
        is_short = self.end is not None and length < self.min_new_tokens
        is_forced = self._forced(length) is not None
        return is_forced or is_short or bool(self.never) or self.ngram_size > 0

    def apply(self, logits: Tensor, log_sums: Tensor, history: Tensor) -> Tensor:
        """Return logits (R, V) under the rules; they may be changed in place.

        Args:
            logits: of the next token.
            log_sums: log Σ exp of each row, (R,). A forced token gets the probability 1.
            history: new ids of each row so far, (R, L).
        """
        length = history.shape[1]
        forced = self._forced(length)
        if forced is not None:
            logits = torch.full_like(logits, FORBIDDEN)
            logits[:, forced] = log_sums
            return logits
        is_short = self.end is not None and length < self.min_new_tokens
        forbidden = [*self.never, *([self.end] if is_short else [])]
        if forbidden:
            logits[:, forbidden] = FORBIDDEN
        if self.ngram_size and len(self.start) + length >= self.ngram_size:
            start = history.new_tensor(self.start).expand(len(history), -1)
            seen = torch.cat((start, history), 1)
            logits[repeated_ngrams(seen, self.ngram_size)] = FORBIDDEN
        return logits

    def output(self, ids: list[int], score: float) -> Output:
        """Return an output without the tokens that are not its text."""
        is_cut = len(ids) == self.num_new and self.last is not None
        has_end = ids[-1] == self.end
        text = ids[self.first is not None : len(ids) - has_end]
        return Output(text, score, has_end and not is_cut)

    def _forced(self, length: int) -> int | None:
        """Return the only token that may follow `length` new ones; None: there is a choice."""
        if length == self.num_new - 1 and self.last is not None:
            return self.last
        return self.first if length == 0 else None


def repeated_ngrams(ids: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the rows and the tokens that would repeat an n-gram, (M,) each.

    Args:
        ids: of each row so far, (R, L); L is `size` at least.
        size: tokens of an n-gram.
    """
    ngrams = ids.unfold(1, size, 1)  # (R, L - size + 1, size)
    newest = ids[:, ids.shape[1] - size + 1 :]  # (R, size - 1)
    begins_so = (ngrams[..., :-1] == newest[:, None]).all(-1)
    rows, places = begins_so.nonzero(as_tuple=True)
    return rows, ngrams[rows, places, size - 1]
