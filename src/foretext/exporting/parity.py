"""How far an exported model is from the original: ids of texts, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.counted import counted
from foretext.base.errors import ModelFileError
from foretext.exporting.form import Bound, Computed, Texts

__all__ = ["Parity"]

SHOWN = 60  # characters of a text in a sentence
TINY = 1e-12
ANSWERS = ("tags",)  # outputs that are equal or not
FEWEST = 8  # numbers of a vector


class Parity(NamedTuple):
    """What a comparison found."""

    texts: int
    ids_equal: int  # texts of which both tokenizers give the same ids
    difference: float  # the largest one of two numbers
    scale: float  # the largest number of the original
    cosine: float  # the smallest one of two vectors
    first_unequal: str | None  # a text with other ids
    answers: int = 0  # tags of tokens that were compared
    answers_equal: int = 0

    @classmethod
    def of(cls, rows: Sequence[Texts], own: Computed, theirs: Computed) -> Self:
        """Compare what a model and its copy make of some inputs.

        Args:
            rows: N inputs.
            own: of the model.
            theirs: of the copy.
        """
        equal = [mine == other for mine, other in zip(own.ids, theirs.ids, strict=True)]
        differences, scales, cosines, answers = [0.0], [0.0], [1.0], [0, 0]
        for name, mine in own.outputs.items():
            for place, (first, second) in enumerate(zip(mine, theirs.outputs[name], strict=True)):
                if not equal[place] or not first.size:  # the model gives no such output of it
                    continue
                if first.shape != second.shape or not np.isfinite(second).all():
                    differences.append(np.inf)
                    continue
                if name in ANSWERS:
                    answers[0] += first.size
                    answers[1] += int((first == second).sum())
                    continue
                differences.append(float(np.abs(first - second).max(initial=0.0)))
                scales.append(float(np.abs(first).max(initial=0.0)))
                cosines.append(_smallest_cosine(first, second))
        unequal = next((row for row, same in zip(rows, equal, strict=True) if not same), None)
        return cls(
            len(rows),
            sum(equal),
            max(differences),
            max(scales),
            min(cosines),
            None if unequal is None else " | ".join(unequal),
            *answers,
        )

    def check(self, bound: Bound, name: str) -> None:
        """Refuse a copy that is too far from the original.

        Args:
            bound: how far it may be.
            name: of the format.

        Raises:
            ModelFileError: it is farther; nothing is kept.
        """
        if self.ids_equal < self.texts:
            shown = repr(self.first_unequal)
            shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
            raise ModelFileError(
                f"The export to {name} gives other ids than foretext for "
                f"{counted(self.texts - self.ids_equal, 'text')} of {self.texts:,}, such as "
                f"{shown}; nothing is kept. Other programs have no such tokenizer."
            )
        relative = self.difference / max(self.scale, 1.0)
        is_far = bound.difference is not None and not relative <= bound.difference
        if self.answers_equal < bound.answers * self.answers:
            raise ModelFileError(
                f"The export to {name} gives other tags than foretext for "
                f"{counted(self.answers - self.answers_equal, 'token')} of {self.answers:,}; "
                "nothing is kept. Export to another format."
            )
        if is_far or not self.cosine >= bound.cosine or not np.isfinite(self.difference):
            raise ModelFileError(
                f"The export to {name} differs from the original by {self.difference:.2g} (numbers "
                f"up to {self.scale:.2g}), its smallest cosine is {self.cosine:.4f}, and it should "
                f"be {bound.cosine} at least; nothing is kept. Export to another format."
            )

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "texts": self.texts,
            "ids_equal": self.ids_equal,
            "largest_difference": float(f"{self.difference:.3g}"),
            "largest_number": float(f"{self.scale:.3g}"),
            "smallest_cosine": round(self.cosine, 6),
            **({"tags": self.answers, "tags_equal": self.answers_equal} if self.answers else {}),
        }

    @classmethod
    def joined(cls, parts: Sequence[Parity]) -> Self:
        """Return what was found in several parts together."""
        unequal = (each.first_unequal for each in parts if each.first_unequal is not None)
        return cls(
            sum(each.texts for each in parts),
            sum(each.ids_equal for each in parts),
            max(each.difference for each in parts),
            max(each.scale for each in parts),
            min(each.cosine for each in parts),
            next(unequal, None),
            sum(each.answers for each in parts),
            sum(each.answers_equal for each in parts),
        )

    def sentence(self) -> str:
        """Say it in a sentence."""
        ids = "all" if self.ids_equal == self.texts else f"{self.ids_equal:,}"
        tags = (
            f", {self.answers_equal:,} of {self.answers:,} tags are equal" if self.answers else ""
        )
        return (
            f"Compared with the original on {counted(self.texts, 'text')}: the ids of {ids} are "
            f"equal, the largest difference of two numbers is {self.difference:.2g} (numbers up to "
            f"{self.scale:.2g}), the smallest cosine {self.cosine:.6f}{tags}."
        )


def _smallest_cosine(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Return the smallest cosine of two rows of (..., D); rows of zeros are left out."""
    one, two = (each.reshape(-1, each.shape[-1]).astype(np.float64) for each in (first, second))
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    known = lengths > TINY
    if first.shape[-1] < FEWEST or not known.any():  # of a few numbers it says little
        return 1.0
    return float(((one * two).sum(1)[known] / lengths[known]).min())
