"""Texts that are longer than a model reads at once: which part is read (Sun et al. 2019, 5.3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

__all__ = ["LongTexts", "cut_pair", "cut_text"]

# The first tokens; the last; both; or overlapping rows with merged answers.
LongTexts = Literal["head", "tail", "head_tail", "windows"]

MEDIUM = 800 / 510  # times the room; the head is short up to this length
SHORT_HEAD, LONG_HEAD = 128 / 510, 256 / 510  # of a room
OVERLAP = 8  # windows share an eighth of their room


def cut_text(ids: Sequence[int], room: int, how: LongTexts) -> list[list[int]]:
    """Return the rows, of at most `room` ids each, that are read of a text: one, or its windows.

    With 510 tokens of room, "head_tail" reads the first 128 and the last 382 of up to 800 tokens,
    and the first 256 and the last 254 of more; with less room it keeps these shares.
    """
    if len(ids) <= room:
        return [list(ids)]
    if how == "head":
        return [list(ids[:room])]
    if how == "tail":
        return [list(ids[-room:])]
    if how == "head_tail":
        head = round(room * (SHORT_HEAD if len(ids) <= MEDIUM * room else LONG_HEAD))
        return [[*ids[:head], *ids[len(ids) - (room - head) :]]]
    step = max(room - room // OVERLAP, 1)
    starts = range(0, len(ids) - room + step, step)
    return [list(ids[start : start + room]) for start in starts]


def cut_pair(first: Sequence[int], second: Sequence[int], room: int) -> tuple[list[int], list[int]]:
    """Shorten the longer of two texts, at its end, until both together have `room` ids."""
    if len(first) + len(second) <= room:
        return list(first), list(second)
    short = min(len(first), len(second), room // 2)
    if len(first) <= len(second):
        return list(first[:short]), list(second[: room - short])
    return list(first[: room - short]), list(second[:short])
