"""Answers with the words that decided on them, for ``foretext predict --explain``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foretext.data.rows import KeptInput
    from foretext.tasks.explanation import Explanation
    from foretext.tasks.predictor import Predictor, Record

    Answer = tuple[Record, KeptInput]

__all__ = ["explanations", "marked"]

AT_ONCE = 64  # inputs whose words are left out together


def explanations(
    model: Predictor, answers: Iterable[Answer]
) -> Iterator[tuple[Record, KeptInput, Explanation]]:
    """Yield each answer with what explains it.

    Raises:
        SettingError: such answers cannot be explained by words.
    """
    given = iter(answers)
    while some := list(islice(given, AT_ONCE)):
        found = model.explain([kept.texts for _, kept in some])
        for (record, kept), each in zip(some, found, strict=True):
            yield record, kept, each


def marked(record: Record, explanation: Explanation) -> dict[str, Any]:
    """Return the record with its heaviest words marked in its texts."""
    return {**record, **{field: explanation.marked(field) for field in explanation.texts}}
