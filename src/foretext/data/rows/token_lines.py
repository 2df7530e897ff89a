"""Lines of tokens with tags, as CoNLL has them, told from lines of text and from tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

__all__ = ["are_token_lines"]

MOST = 0.9  # share of values that are tags, in a column of tags
ENOUGH = 4  # lines of tokens from which tags are known by their form
WITHOUT = ("-DOCSTART-", "#")  # first words of lines that hold no token
TAG = re.compile(r"O|[BIESMLUW][-_]\S+")  # of an entity


def are_token_lines(lines: Sequence[str], tags: Collection[str] = ()) -> bool:
    """Whether lines are tokens, each with its tag in one of the columns behind it.

    All lines have the same number of columns, two or more, separated by tabs, or else by blanks.
    The values of a column are tags: those that a model knows, or, where the lines hold several
    sentences of more than one token, of the form "B-PER".

    Args:
        lines: the first ones of a file.
        tags: that are known; (): none is.
    """
    rows = list(_rows(lines))
    found = [row for row in rows if row]
    if not found or len(found[0]) < 2 or len({len(row) for row in found}) > 1:
        return False
    columns = list(zip(*found, strict=True))[1:]
    if any(_share(column, tags) >= MOST for column in columns):
        return True
    num_sentences = sum(
        bool(row) and not before for before, row in zip([[], *rows], rows, strict=False)
    )
    is_divided = num_sentences * 2 <= len(found) and len(found) >= ENOUGH
    return is_divided and any(_share_of_form(column) >= MOST for column in columns)


def _rows(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the columns of each line, none between sentences."""
    first = next((line for line in lines if line.strip() and not line.startswith(WITHOUT)), "")
    separator = "\t" if "\t" in first else None
    for line in lines:
        if not line.strip() or line.startswith(WITHOUT):
            yield []
            continue
        columns = line.split(separator)
        yield [column.strip() for column in columns]


def _share(column: Sequence[str], tags: Collection[str]) -> float:
    return sum(value in tags for value in column) / len(column)


def _share_of_form(column: Sequence[str]) -> float:
    """Return the share of tags of entities; 0 where all are the same, such as "O" for a word."""
    if len({*column}) < 2:
        return 0.0
    return sum(TAG.fullmatch(value) is not None for value in column) / len(column)
