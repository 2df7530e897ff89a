"""The weights of the lowest held-out loss: kept beside those that learn, and taken back in the end.

A text that is read many times over is learned by heart: the training loss falls on, and the loss
of held-out text rises again. So a training that a budget alone would end, or that is to stop early,
ends with the best of its weights (Prechelt 1998, "Early Stopping - But When?").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from foretext.base.runtime import free_memory
from foretext.messages import clauses, message
from foretext.progress.checkpoint import check_arrays

__all__ = ["RISEN_RATE", "STALE_EPOCHS", "BestWeights", "best_epoch", "ending_sentence", "warned"]

STALE_EPOCHS = 3  # in a row without a lower held-out loss, after which a budget is not used up
PREFIX = "best."  # of the names of these arrays in a checkpoint
SPARE_RATE = 0.9  # of the free memory, for the copy
RISEN_RATE = 0.02  # of the lowest held-out loss, from which a rise is worth a word

Arrays = Mapping[str, np.ndarray]


class BestWeights:
    """Copies of the arrays of a learner, as they were when they were best.

    Args:
        arrays: returns the arrays that learn, always the same sizes.
    """

    def __init__(self, arrays: Callable[[], Arrays]) -> None:
        self._arrays = arrays
        self._kept: dict[str, np.ndarray] = {}

    @property
    def has_room(self) -> bool:
        """Whether the memory holds the copies."""
        free = free_memory()
        needed = sum(array.nbytes for array in self._arrays().values())
        return free is None or bool(self._kept) or needed < SPARE_RATE * free

    def fits(self, note: Callable[[str], object]) -> bool:
        """Whether the memory holds the copies; `note` is called with a sentence where not."""
        if not self.has_room:
            note(message("findings.vectors.no_room"))
        return self.has_room

    def keep(self) -> None:
        """Remember the arrays as they are."""
        for name, array in self._arrays().items():
            if name in self._kept:
                self._kept[name][...] = array
            else:
                self._kept[name] = array.copy()

    def restore(self) -> None:
        """Go back to the arrays that were remembered."""
        for name, array in self._arrays().items():
            array[...] = self._kept[name]

    def saved(self) -> dict[str, np.ndarray]:
        """Return them under the names that a checkpoint gives them."""
        return {f"{PREFIX}{name}": array for name, array in self._kept.items()}

    def room(self) -> dict[str, np.ndarray]:
        """Return arrays of the sizes that `saved` will have."""
        return {f"{PREFIX}{name}": array for name, array in self._arrays().items()}

    def load(self, arrays: Arrays) -> None:
        """Take them from a checkpoint, where it has some.

        Raises:
            OutputError: they are not those of a training with these settings.
        """
        if not any(name.startswith(PREFIX) for name in arrays):
            return
        check_arrays(self.room(), arrays)
        self._kept = {name: arrays[f"{PREFIX}{name}"].copy() for name in self._arrays()}


def best_epoch(history: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """Return the epoch of the lowest held-out loss and that loss; None: nothing was held out."""
    measured = [
        (float(record["valid_loss"]), float(record["epoch"]))
        for record in history
        if record.get("valid_loss") is not None
    ]
    if not measured:
        return None
    loss, epoch = min(measured)
    return epoch, loss


def ending_sentence(history: Sequence[Mapping[str, Any]]) -> str | None:
    """Say where a training went past its best, and what became of it; None: it did not.

    Args:
        history: the records of the training.
    """
    found = best_epoch(history)
    if found is None:
        return None
    last, (epoch, loss) = history[-1], found
    if "kept_epoch" in last:
        return message(
            "findings.vectors.stopped",
            kept=last["kept_epoch"],
            loss=last["valid_loss"],
            epoch=last["epoch"],
        )
    if "cooled_epoch" in last:
        return message(
            "findings.vectors.cooled",
            cooled=last["cooled_epoch"],
            epoch=last["epoch"],
            loss=last["valid_loss"],
        )
    if last["valid_loss"] is None or last["valid_loss"] <= loss + RISEN_RATE * abs(loss):
        return None
    said = message(
        "findings.vectors.overfit",
        best=epoch,
        lowest=loss,
        loss=last["valid_loss"],
        epoch=last["epoch"],
    )
    return clauses([said, _remedy(epoch, last["epoch"])])


def _remedy(best: float, trained: float) -> str:
    """Return which fewer epochs to set; of a single one, what else keeps it from overfitting."""
    fewer = min(max(round(best), 1), round(trained) - 1)
    if fewer > 0:
        return message("findings.vectors.fewer", epochs=fewer)
    return message("findings.vectors.lower")


def warned(history: Sequence[Mapping[str, Any]], *others: str) -> dict[str, list[str]]:
    """Return what the facts of a run keep of `ending_sentence` and of other warnings, if any."""
    found = [*filter(None, [ending_sentence(history)]), *others]
    return {"warnings": found} if found else {}
