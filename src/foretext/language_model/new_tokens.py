"""New tokens of several samples, each reported as soon as it is chosen.

B samples that have not ended, V ids, K of the likeliest tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor

__all__ = ["NewToken", "NewTokens"]


class NewToken(NamedTuple):
    """A token that was chosen."""

    sample: int
    id: int
    text: str  # what has become certain with it: nothing, or that of several tokens
    log_prob: float | None  # in nats, before temperature, top_k and top_p; None: not asked for
    likeliest: tuple[tuple[int, float], ...]  # other choices and theirs, the likeliest first, (K,)


class NewTokens:
    """Calls `watch` with each new token.

    Args:
        watch: what it raises ends the writing.
        topn: K; None: no log-probabilities are computed.
    """

    def __init__(self, watch: Callable[[NewToken], object], topn: int | None) -> None:
        self._watch = watch
        self._topn = topn
        self._shown: dict[int, int] = {}  # letters of each sample that were reported
        self._scores: list[tuple[float, tuple[tuple[int, float], ...]]] = []  # of the newest tokens

    def scored(self, logits: Tensor, tokens: Tensor) -> None:
        """Keep what the samples expected, logits (B, V), of the tokens that they take, (B,)."""
        if self._topn is None:
            return
        logits = logits.float()
        sums = logits.logsumexp(-1, keepdim=True)
        best, ids = logits.topk(min(self._topn, logits.shape[1]))
        chosen = (logits.gather(1, tokens[:, None]) - sums)[:, 0].tolist()
        rows = zip(ids.tolist(), (best - sums).tolist(), strict=True)
        likeliest = [tuple(zip(*row, strict=True)) for row in rows]
        self._scores = list(zip(chosen, likeliest, strict=True))

    def take(self, sample: int, token: int, certain: str) -> None:
        """Report a token of a sample whose text is `certain` so far; samples come in their order.

        Raises:
            Exception: whatever `watch` raises.
        """
        log_prob, likeliest = self._scores.pop(0) if self._scores else (None, ())
        text = certain[self._shown.get(sample, 0) :]
        self._shown[sample] = len(certain)
        self._watch(NewToken(sample, token, text, log_prob, likeliest))
