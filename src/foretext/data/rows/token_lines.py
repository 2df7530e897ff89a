"""Lines of tokens with tags, as CoNLL has them, told from lines of text and from tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from foretext.base.errors import CorpusError

__all__ = ["are_token_lines", "refuse_token_lines"]

MOST = 0.9  # share of values that are tags, in a column of tags
ENOUGH = 4  # lines of tokens from which tags are known by their form
WITHOUT = ("-DOCSTART-", "#")  # first words of lines that hold no token
FEW_TAGS = 60
SHORT = re.compile(r"[A-Z]{1,8}\$?|[^\w\s]{1,3}")  # such as NNP, PRP$ and a full stop
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
    if not _are_divided(rows):
        return False
    return any(_share_of_form(column) >= MOST or _are_short(column) for column in columns)


def refuse_token_lines(lines: Sequence[str], name: str) -> None:
    """Refuse tagged tokens where rows of texts are read.

    Args:
        lines: the first ones of a file.
        name: of the file.

    Raises:
        CorpusError: each line is a token.
    """
    if are_token_lines(lines):
        raise CorpusError(
            f"{name}: each line is a token with its tag, as CoNLL has them, and not a text; learn "
            "such rows with the task `tagging`, or give a file of texts."
        )


def _are_divided(rows: Sequence[list[str]]) -> bool:
    """Whether empty lines stand between sentences of several tokens, all without blanks."""
    num_tokens = sum(bool(row) for row in rows)
    begins = sum(bool(row) and not before for before, row in pairwise([[], *rows]))
    is_whole = not any(" " in column for row in rows for column in row)
    return is_whole and begins > 1 and 2 * begins <= num_tokens >= ENOUGH


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


def _are_short(column: Sequence[str]) -> bool:
    """Whether values are those of a few short tags, such as parts of speech."""
    different = {*column}
    few = 1 < len(different) <= min(FEW_TAGS, len(column) / 3)
    return few and all(SHORT.fullmatch(value) for value in different)
