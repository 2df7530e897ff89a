"""How far an exported model is from the original: ids of texts, numbers, and answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.counted import counted, number_of
from foretext.base.errors import ModelFileError
from foretext.exporting.form import Bound, Computed, Texts
from foretext.messages import commas, message, sentences, translated

__all__ = ["ANSWERS", "Parity"]

SHOWN = 60  # characters of a text in a sentence
TINY = 1e-12
ANSWERS = {
    "tags": "token",
    "labels": "text",
    "next tokens": "text",
}  # outputs that are equal or not, and what has one
FEWEST = 8  # numbers of a vector


class Apart(NamedTuple):
    """How far the numbers of an output are from the original."""

    difference: float = 0.0  # the largest one of two numbers
    scale: float = 0.0  # the largest number of the original
    cosine: float | None = None  # the smallest one of two vectors; None: there are none

    @property
    def relative(self) -> float:
        """The difference beside the largest number."""
        return self.difference / max(self.scale, TINY)

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Return the worst of several parts."""
        some = list(parts)
        cosines = [each.cosine for each in some if each.cosine is not None]
        return cls(
            max((each.difference for each in some), default=0.0),
            max((each.scale for each in some), default=0.0),
            min(cosines, default=None),
        )


class Agreement(NamedTuple):
    """How many answers are equal."""

    answers: int = 0
    equal: int = 0

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Return the sums of several parts."""
        some = list(parts)
        return cls(sum(each.answers for each in some), sum(each.equal for each in some))


class Parity(NamedTuple):
    """What a comparison found."""

    texts: int
    ids_equal: int  # texts of which both tokenizers give the same ids
    numbers: Mapping[str, Apart]  # of outputs by name
    agreement: Mapping[str, Agreement]  # of `ANSWERS`, by name
    first_unequal: str | None  # a text with other ids
    otherwise: Mapping[str, int] = MappingProxyType({})  # texts left out, by why they are

    @classmethod
    def of(cls, rows: Sequence[Texts], own: Computed, theirs: Computed) -> Self:
        """Compare what a model and its copy make of some inputs.

        Args:
            rows: N inputs.
            own: of the model.
            theirs: of the copy.
        """
        equal = [mine == other for mine, other in zip(own.ids, theirs.ids, strict=True)]
        numbers: dict[str, Apart] = {}
        agreement: dict[str, Agreement] = {}
        for name, mine in own.outputs.items():
            pairs = [  # without those of which the model gives no such output
                pair
                for pair, same in zip(
                    zip(mine, theirs.outputs[name], strict=True), equal, strict=True
                )
                if same and pair[0].size
            ]
            if name in ANSWERS:
                agreement[name] = Agreement.joined(_agreement(*pair) for pair in pairs)
            else:
                numbers[name] = Apart.joined(_apart(*pair) for pair in pairs)
        unequal = next((row for row, same in zip(rows, equal, strict=True) if not same), None)
        text = None if unequal is None else " | ".join(unequal)
        return cls(len(rows), sum(equal), numbers, agreement, text)

    @property
    def difference(self) -> float:
        """The largest difference of two numbers."""
        return self._worst.difference

    @property
    def scale(self) -> float:
        """The largest number of the original."""
        return self._worst.scale

    @property
    def cosine(self) -> float | None:
        """The smallest cosine of two vectors; None: outputs are numbers, not vectors."""
        return self._worst.cosine

    @property
    def relative(self) -> float:
        """The largest difference beside the largest number of the same output."""
        return max((each.relative for each in self.numbers.values()), default=0.0)

    @property
    def _worst(self) -> Apart:
        return Apart.joined(self.numbers.values())

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
                message(
                    "exporting.refusal.ids",
                    format=name,
                    texts=number_of("text", self.texts - self.ids_equal),
                    all=self.texts,
                    shown=shown,
                )
            )
        for what, found in self.agreement.items():
            if found.equal < bound.answers * found.answers:
                raise ModelFileError(
                    f"The export to {name} gives other {what} than foretext for "
                    f"{counted(found.answers - found.equal, ANSWERS[what])} of "
                    f"{found.answers:,}; nothing is kept. Export to another format."
                )
        for output, apart in self.numbers.items():
            is_far = bound.difference is not None and not apart.relative <= bound.difference
            turned = apart.cosine is not None and not apart.cosine >= bound.cosine
            if is_far or turned or not np.isfinite(apart.difference):
                cosine = (
                    ""
                    if apart.cosine is None
                    else f", its smallest cosine is {apart.cosine:.4f} of at least {bound.cosine}"
                )
                raise ModelFileError(
                    f"The export to {name} differs from the original by {apart.difference:.2g} in "
                    f"'{output}' (numbers up to {apart.scale:.2g}){cosine}; nothing is kept. "
                    "Export to another format."
                )

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        found: dict[str, Any] = {
            "texts": self.texts,
            "ids_equal": self.ids_equal,
            "largest_difference": float(f"{self.difference:.3g}"),
            "largest_number": float(f"{self.scale:.3g}"),
        }
        if self.cosine is not None:
            found["smallest_cosine"] = round(self.cosine, 6)
        for name, each in self.agreement.items():
            found |= {name: each.answers, f"{name}_equal": each.equal}
        if self.otherwise:
            found["read_otherwise"] = dict(self.otherwise)
        return found

    @classmethod
    def joined(cls, parts: Sequence[Parity]) -> Self:
        """Return what was found in several parts together."""
        unequal = (each.first_unequal for each in parts if each.first_unequal is not None)
        outputs = dict.fromkeys(name for each in parts for name in each.numbers)
        answers = dict.fromkeys(name for each in parts for name in each.agreement)
        return cls(
            sum(each.texts for each in parts),
            sum(each.ids_equal for each in parts),
            {name: Apart.joined(each.numbers[name] for each in parts) for name in outputs},
            {name: Agreement.joined(each.agreement[name] for each in parts) for name in answers},
            next(unequal, None),
        )

    def sentence(self) -> str:
        """Say it in a sentence."""
        all_equal = self.ids_equal == self.texts
        ids = (
            message("exporting.parity.all_texts")
            if all_equal
            else number_of("text", self.ids_equal)
        )
        found = [
            message("exporting.parity.ids", ids=ids),
            message("exporting.parity.numbers", difference=self.difference, scale=self.scale),
        ]
        if self.cosine is not None:
            found.append(message("exporting.parity.cosine", cosine=self.cosine))
        found += [
            message(
                "exporting.parity.answers", equal=each.equal, answers=each.answers, name=_said(name)
            )
            for name, each in self.agreement.items()
        ]
        texts, parts = number_of("text", self.texts), commas(found)
        compared = message("exporting.parity.compared", texts=texts, parts=parts)
        return sentences([compared, self._left_out()])

    def _left_out(self) -> str:
        """Say which texts were not compared; "": all were."""
        if not self.otherwise:
            return ""
        causes = commas(
            message("terminal.of", name=translated(cause), said=f"{number:,}")
            for cause, number in self.otherwise.items()
        )
        number = number_of("more_text", sum(self.otherwise.values()))
        return message("exporting.parity.otherwise", number=number, causes=causes)


def _said(name: str) -> str:
    """Return what an output is called in the reader's language."""
    return message(f"exporting.parity.of_{name.replace(' ', '_')}")


def _apart(first: NDArray[np.float32], second: NDArray[np.float32]) -> Apart:
    """Return how far an output of one input is from the original."""
    if first.shape != second.shape or not np.isfinite(second).all():
        return Apart(np.inf)
    difference = float(np.abs(first - second).max(initial=0.0))
    return Apart(difference, float(np.abs(first).max(initial=0.0)), _smallest_cosine(first, second))


def _agreement(first: NDArray[np.float32], second: NDArray[np.float32]) -> Agreement:
    """Return how many answers to one input are those of the original."""
    same = int((first == second).sum()) if first.shape == second.shape else 0
    return Agreement(first.size, same)


def _smallest_cosine(first: NDArray[np.float32], second: NDArray[np.float32]) -> float | None:
    """Return the smallest cosine of two rows of (..., D); rows of zeros are left out."""
    if first.ndim == 0 or first.shape[-1] < FEWEST:  # of a few numbers it says little
        return None
    one, two = (each.reshape(-1, each.shape[-1]) for each in (first, second))
    products, *squares = (
        np.einsum("nd,nd->n", a, b, dtype=np.float64)
        for a, b in ((one, two), (one, one), (two, two))
    )
    lengths = np.sqrt(squares[0] * squares[1])
    known = lengths > TINY
    return float((products[known] / lengths[known]).min()) if known.any() else None
