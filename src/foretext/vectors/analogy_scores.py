"""How many analogy questions were answered right: by section, and in sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foretext.base.representation import represented

__all__ = ["AnalogyResult", "AnalogyScore"]


# Of questions-words.txt (Mikolov et al. 2013), whose other sections begin with "gram".
SEMANTIC = frozenset(
    {"capital-common-countries", "capital-world", "currency", "city-in-state", "family"}
)


@dataclass(frozen=True)
class AnalogyScore:
    """What was answered of one section, or of several."""

    name: str
    num_correct: int
    num_asked: int  # with dummy4unknown those with unknown words too, as wrong answers
    num_skipped: int  # with a word that is not in the vocabulary

    @property
    def accuracy(self) -> float:
        """Share of right answers among those asked; NaN where none was."""
        return self.num_correct / self.num_asked if self.num_asked else float("nan")

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.accuracy:.3f} ({self.num_correct} of {self.num_asked}, "
            f"{self.num_skipped} skipped)"
        )


@represented
@dataclass(frozen=True, repr=False)
class AnalogyResult:
    """The scores of all sections, in the order of the file, and their sums."""

    sections: tuple[AnalogyScore, ...]

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the result."""
        scores = {score.name: score.accuracy for score in (*self.sections, self.total)}
        return {**scores, "asked": self.total.num_asked, "skipped": self.total.num_skipped}

    @property
    def total(self) -> AnalogyScore:
        """All sections together."""
        return _sum("total", self.sections)

    @property
    def are_googles(self) -> bool:
        """Whether the sections are those of questions-words.txt, which are of two kinds."""
        return all(s.name in SEMANTIC or s.name.startswith("gram") for s in self.sections)

    @property
    def semantic(self) -> AnalogyScore:
        """The sections about the world: capitals, currencies, families."""
        return _sum("semantic", [s for s in self.sections if not s.name.startswith("gram")])

    @property
    def syntactic(self) -> AnalogyScore:
        """The sections about grammar, whose names begin with "gram"."""
        return _sum("syntactic", [s for s in self.sections if s.name.startswith("gram")])

    @property
    def accuracy(self) -> float:
        """Share of right answers over all sections."""
        return self.total.accuracy

    def __str__(self) -> str:
        return "\n".join(str(score) for score in (*self.sections, self.total))


def _sum(name: str, scores: Sequence[AnalogyScore]) -> AnalogyScore:
    return AnalogyScore(
        name,
        sum(score.num_correct for score in scores),
        sum(score.num_asked for score in scores),
        sum(score.num_skipped for score in scores),
    )
