"""Token vectors whose means are as near as possible to a teacher's vectors of the same texts.

With A (N, V) the shares of the tokens in each text and T (N, D) the teacher's vectors, E minimises
|A E - T|^2 + ridge |E - E0|^2: a ridge regression towards the vectors E0 that are known before. The
normal equations are solved by conjugate gradients (Hestenes & Stiefel 1952), a column of E at a
time but all columns in one pass, so that neither A nor A^T A is ever written down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.tokenizers.laid_texts import LaidTexts

__all__ = ["TokenShares", "regress"]

NO_TOKEN = -1


class TokenShares:
    """The linear map A of texts: the mean of token vectors, and its transpose.

    Args:
        texts: N of them, each with a token at least.
        vocab_size: V.
    """

    def __init__(self, texts: LaidTexts, vocab_size: int) -> None:
        self.texts = texts
        self.vocab_size = vocab_size
        lengths = np.diff(texts.starts)
        assert (lengths > 0).all(), "a text without a token"
        self.shares = (1 / lengths).astype(np.float32)[:, None]  # (N, 1)

    def means(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return A times `vectors` (V, D), (N, D)."""
        from foretext.kernels.row_means import row_means

        ids, starts = self.texts
        found = np.empty((len(self.shares), vectors.shape[1]), np.float32)
        row_means(vectors.ravel(), vectors.shape[1], ids, starts, NO_TOKEN, found.ravel())
        return found

    def sums(self, means: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the transpose of A times `means` (N, D), (V, D)."""
        from foretext.kernels.row_means import add_to_rows

        ids, starts = self.texts
        found = np.zeros((self.vocab_size, means.shape[1]), np.float32)
        scaled = (means * self.shares).ravel()
        add_to_rows(found.ravel(), means.shape[1], ids, starts, NO_TOKEN, scaled)
        return found


def regress(
    shares: TokenShares,
    targets: NDArray[np.float32],
    known: NDArray[np.float32],
    *,
    ridge: float,
    steps: int,
) -> NDArray[np.float32]:
    """Return the token vectors (V, D) that fit best.

    Args:
        shares: of the texts, N.
        targets: (N, D), what the means of tokens should be.
        known: (V, D), where the solution stays for tokens that occur in no text.
        ridge: how much it holds on to `known`; 1 is as much as a text of this token alone.
        steps: of conjugate gradients.
    """

    def through(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        applied: NDArray[np.float32] = shares.sums(shares.means(vectors))
        applied += np.float32(ridge) * vectors
        return applied

    change = np.zeros_like(known)
    residual = shares.sums(targets - shares.means(known))
    direction = residual.copy()
    norm = np.square(residual).sum(axis=0)  # (D,)
    for _ in range(steps):
        applied = through(direction)
        curvature = (direction * applied).sum(axis=0)
        rate = np.divide(norm, curvature, out=np.zeros_like(norm), where=curvature > 0)
        change += rate * direction
        residual -= rate * applied
        before, norm = norm, np.square(residual).sum(axis=0)
        direction *= np.divide(norm, before, out=np.zeros_like(norm), where=before > 0)
        direction += residual
    return known + change
