"""Models that give every row the same answer, which figures alone do not show."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

__all__ = ["FEWEST", "one_answer"]

FEWEST = 10  # rows; a good model can answer fewer alike


def one_answer(
    right: Sequence[Hashable], given: Sequence[Hashable], rows: str, shown: str
) -> str | None:
    """Return a sentence where all answers are equal and the right ones are not.

    Args:
        right: N right answers.
        given: N answers.
        rows: what is answered, such as "texts".
        shown: the first answer, as the sentence has it.
    """
    if len(given) < FEWEST or len(set(given)) > 1 or len(set(right)) < 2:
        return None
    return (
        f"All {len(given):,} {rows} got the same answer, {shown}, although "
        f"{len(set(right)):,} different ones are right."
    )
