"""How the time of a budget is shared: for reading, for the training, and for what comes after.

Seconds are those of two cores (docs/log.md). How long it takes to write a page cannot be measured
before the training, but on a slow or busy machine everything is slower by the same factor, and the
library that fills it is loaded before: that shows the factor, the `pace`.
"""

from __future__ import annotations

from dataclasses import dataclass

from foretext.base.errors import BudgetError
from foretext.messages import message
from foretext.progress.budget import duration_option

__all__ = ["LOADING_SECONDS", "READING_RATE", "Closing", "training_seconds"]

READING_RATE = 0.4  # of a budget, at most, until the text that is used is encoded
LEAST_TRAINING_RATE = 0.15  # of a budget; with less it is refused

LOADING_SECONDS = 0.1  # of the library that fills a page
PAGE_SECONDS = 0.5  # to write a page with these
MAP_SECONDS = 1.0  # for its map of words
PAGE_RATE = 0.25  # of a budget, at most, for the page with its map
CARD_SECONDS = 0.15  # and what else is written


@dataclass(frozen=True)
class Closing:
    """What a run writes after its training.

    Attributes:
        page: whether it writes a page.
        word_map: whether that has a map of words.
    """

    page: bool = False
    word_map: bool = False

    @classmethod
    def fitting(cls, budget: float, *, page: bool, word_map: bool) -> Closing:
        """Return what is wanted, less what would take more than a quarter of the budget.

        Args:
            budget: seconds for everything.
            page: whether one is wanted.
            word_map: whether that would have one.
        """
        most = PAGE_RATE * budget
        page = page and most >= LOADING_SECONDS + PAGE_SECONDS
        word_map = page and word_map and most >= LOADING_SECONDS + PAGE_SECONDS + MAP_SECONDS
        return cls(page, word_map)

    def seconds(self, pace: float = 1.0) -> float:
        """Return how long that takes when the libraries are loaded.

        Args:
            pace: how many times as slow as usual the machine is.
        """
        return pace * (CARD_SECONDS + self.page * PAGE_SECONDS + self.word_map * MAP_SECONDS)


def training_seconds(budget: float, used: float, closing: float) -> float:
    """Return what a budget leaves for the training.

    Args:
        budget: seconds for everything.
        used: what goes, or went, elsewhere.
        closing: what comes after the training.

    Raises:
        BudgetError: so little that nothing would be learned.
    """
    left = budget - used - closing
    if left < LEAST_TRAINING_RATE * budget:
        needed = duration_option((used + closing) / (1 - 2 * LEAST_TRAINING_RATE))
        raise BudgetError(
            message("options.pretrain.no_time", budget=budget, used=used + closing, needed=needed)
        )
    return left
