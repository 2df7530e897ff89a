"""The held-out loss to expect of a size and a number of tokens, to compare sizes.

    loss = floor + (A / N')^a + (B / D')^b

is the form of Hoffmann et al. 2022 ("Chinchilla", approach 3). A text that is read again and again
is worth less each time, and so are weights that it is too small for: D' and N' are what counts of
them, by Muennighoff et al. 2023 ("Scaling Data-Constrained Language Models", section 5), who find
four epochs nearly as good as four times the text, and little left to gain after forty.
The constants were fitted to short trainings (docs/log.md). They are for putting sizes in order; the
loss itself depends on the text.

N: weights of the layers, embeddings apart; D: tokens read; U: tokens of the text.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from foretext.base.errors import SettingError

__all__ = ["ORDERING", "expected_loss"]

EPOCHS = 15.4  # R*_D: epochs that count, at most
SURPLUS = 5.3  # R*_N: the same for weights beyond what the text is best learned by
TOKENS_A_WEIGHT = 20.0  # of the best size for a text that is read once


class _Law(NamedTuple):
    """Constants of the objectives that name this law as their `loss_law`."""

    floor: float
    weights: float  # A
    weights_power: float  # a
    tokens: float  # B
    tokens_power: float  # b


LAWS = {
    "masked": _Law(floor=1.7, weights=5.3e5, weights_power=0.34, tokens=1.2e7, tokens_power=0.33),
    "causal": _Law(floor=1.8, weights=5.3e5, weights_power=0.34, tokens=1.3e7, tokens_power=0.33),
}
ORDERING = "masked"  # the law that orders sizes for an objective that names none


def expected_loss(loss_law: str, weights: float, tokens: float, text_tokens: float) -> float:
    """Return the loss of one prediction, in nats.

    Args:
        loss_law: that the objective's class names.
        weights: N, of the layers; without layers the law has nothing to say but an order.
        tokens: D, over all epochs.
        text_tokens: U.

    Raises:
        SettingError: there is no such law.
    """
    if loss_law not in LAWS:
        raise SettingError(
            f"[objective] the class has loss_law = {loss_law!r}; choose one of "
            f"{', '.join(LAWS)}, or None where no forecast is known."
        )
    law = LAWS[loss_law]
    unique = min(tokens, text_tokens)
    enough = text_tokens / TOKENS_A_WEIGHT  # weights
    counted_tokens = unique + _worth(tokens - unique, unique, EPOCHS)
    useful = min(max(weights, 1), enough)
    counted_weights = useful + _worth(max(weights - useful, 0), useful, SURPLUS)
    of_weights: float = (law.weights / counted_weights) ** law.weights_power
    of_tokens: float = (law.tokens / counted_tokens) ** law.tokens_power
    return law.floor + of_weights + of_tokens


def _worth(surplus: float, base: float, limit: float) -> float:
    """Return what a surplus counts: all of it at first, `limit` times the base at most."""
    return base * limit * -math.expm1(-surplus / base / limit)
