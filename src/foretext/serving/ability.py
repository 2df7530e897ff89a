"""What a model does with the items of requests, many at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

__all__ = ["Ability", "estimated_tokens"]

BYTES_A_TOKEN = 4  # of UTF-8, roughly, in every language


class Ability(ABC):
    """One thing that one model does; there is one object for each model and ability.

    Building it has to be quick, since a request waits for it; `run` may prepare more.

    Args:
        model: what `foretext.load` opened.
    """

    name: ClassVar[str]

    def __init__(self, model: Any) -> None:
        self.model = model

    def sample(self) -> tuple[Any, Hashable] | None:
        """Return an item and options that any model of the ability answers soon; None: no need."""
        return None

    def get_ready(self) -> None:
        """Answer the sample before there are requests, or the first would wait for what is loaded.

        Raises:
            ForetextError: the model answers nothing.
        """
        if (sample := self.sample()) is not None:
            item, options = sample
            self.run([item], options)

    def cost(self, item: Any) -> int:
        """Return how many tokens an item has, roughly; requests are cut and sorted by it."""
        return estimated_tokens(item)

    @abstractmethod
    def run(self, items: Sequence[Any], options: Hashable) -> list[Any]:
        """Return one answer an item; called in the model's thread alone.

        Items come from several requests with equal `options`, sorted by their cost.

        Raises:
            ForetextError: an item or option is wrong; other requests are asked again without it.
        """


def estimated_tokens(item: Any) -> int:
    """Return about how many tokens the texts of an item have: a text, or a tuple of texts."""
    if isinstance(item, str):
        return 1 + len(item.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN
    return sum(map(estimated_tokens, item)) if isinstance(item, tuple | list) else 1
