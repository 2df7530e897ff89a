"""Which tokens a denoising objective masks, and what replaces them.

Devlin et al. 2019, section 3.1, task 1; whole words after Cui et al. 2019, n-grams of words after
Lan et al. 2020, section 4.1, where a length n is drawn in proportion to 1/n. Two deviations: a row
is cut into its n-grams first, so that they never overlap; and the n-gram that crosses the row's
share of tokens is taken with the probability that makes the share exact on average.

B rows, T positions; U units (tokens, words or n-grams of words), at most T in a row.
"""

from __future__ import annotations

import numpy as np

from foretext.data.row_draws import Draws, whole_numbers

__all__ = ["choose_masked", "corrupt_masked"]

TINY = 1e-12  # in place of a share of 0, of which nothing is drawn


def choose_masked(
    eligible: np.ndarray,  # (B, T) bool, True = may be masked: neither special nor padding
    word_starts: np.ndarray | None,  # (B, T) bool, True = opens a word; None: each token is one
    mask_rate: float,
    rng: Draws,
    max_ngram: int = 1,  # in words
) -> np.ndarray:
    """Draw the tokens to mask, (B, T) bool: of each row `mask_rate` of its eligible ones.

    Words and n-grams are masked as a whole; none extends beyond a token that is not eligible. In a
    row with eligible tokens at least one unit is masked; single tokens come within one of the rate.
    """
    opens = _unit_starts(eligible, word_starts, rng, max_ngram)
    units = np.maximum(np.cumsum(opens, axis=1) - 1, 0)  # (B, T), of each token
    lengths = _unit_lengths(units, eligible)
    wanted = mask_rate * eligible.sum(axis=1, keepdims=True)
    taken = _draw_units(lengths, wanted, rng)
    chosen: np.ndarray = eligible & np.take_along_axis(taken, units, axis=1)
    return chosen


def corrupt_masked(
    ids: np.ndarray,  # (B, T) integers
    masked: np.ndarray,  # (B, T) bool
    rng: Draws,
    mask_id: int,
    ordinary_ids: np.ndarray,  # (M,) ids that are not special
    shares: tuple[float, float, float] = (0.8, 0.1, 0.1),  # masked, random, as it was
) -> np.ndarray:
    """Put `mask_id`, a random ordinary token or the token itself at each masked position, (B, T).

    A random token may happen to be the right one, as in BERT. Where in its share a draw is says
    which token it is: so nothing depends on how many random tokens other rows have.
    """
    assert abs(sum(shares) - 1) < 1e-6, shares
    draw = rng.random(ids.shape)
    is_masked = masked & (draw < shares[0])
    is_random = masked & ~is_masked & (draw < shares[0] + shares[1])
    corrupted = np.where(is_masked, ids.dtype.type(mask_id), ids)
    within = (draw[is_random] - shares[0]) / max(shares[1], TINY)
    found = whole_numbers(within, len(ordinary_ids))
    corrupted[is_random] = ordinary_ids[np.minimum(found, len(ordinary_ids) - 1)]
    return corrupted


def _unit_starts(
    eligible: np.ndarray,
    word_starts: np.ndarray | None,
    rng: Draws,
    max_ngram: int,
) -> np.ndarray:
    """(B, T) bool, the first token of each unit that is masked as a whole."""
    opens: np.ndarray = eligible.copy() if word_starts is None else eligible & word_starts
    after_gap = eligible.copy()
    after_gap[:, 1:] &= ~eligible[:, :-1]
    opens |= after_gap
    if max_ngram > 1:
        words = np.maximum(np.cumsum(opens, axis=1) - 1, 0)  # (B, T), of each token
        ngrams = _ngram_starts(rng.random(words.shape), max_ngram)
        opens &= after_gap | np.take_along_axis(ngrams, words, axis=1)
    return opens


def _ngram_starts(draw: np.ndarray, max_ngram: int) -> np.ndarray:
    """(B, T) bool, of rows of T words those that open an n-gram; `draw` (B, T) is uniform."""
    num_rows, num_words = draw.shape
    weights = 1 / np.arange(1, max_ngram + 1)
    lengths = 1 + np.searchsorted(np.cumsum(weights / weights.sum())[:-1], draw)
    starts = np.zeros((num_rows, num_words + 1), np.bool_)
    np.put_along_axis(starts, np.minimum(np.cumsum(lengths, axis=1), num_words), True, axis=1)
    starts[:, 0] = True
    return starts[:, :-1]


def _unit_lengths(units: np.ndarray, eligible: np.ndarray) -> np.ndarray:
    """(B, U) int64, eligible tokens of each unit; 0 where a row has no more units."""
    places = units + units.shape[1] * np.arange(len(units))[:, None]
    lengths: np.ndarray = np.bincount(places[eligible], minlength=units.size)
    return lengths.reshape(units.shape)


def _draw_units(lengths: np.ndarray, wanted: np.ndarray, rng: Draws) -> np.ndarray:
    """(B, U) bool, units in random order until they hold the tokens `wanted`, (B, 1)."""
    order = np.argsort(np.where(lengths, rng.random(lengths.shape), 2.0), axis=1)
    in_order = np.take_along_axis(lengths, order, axis=1)
    before = np.cumsum(in_order, axis=1) - in_order
    fits = before + in_order * rng.random(wanted.shape) < wanted
    fits[:, 0] = True
    taken: np.ndarray = np.empty_like(fits)
    np.put_along_axis(taken, order, fits, axis=1)
    return taken
