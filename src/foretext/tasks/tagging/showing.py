"""What decides on the tags of a sentence, as parts to show: emissions, steps, and whole paths.

With a CRF a path of tags has the sum of its emissions, of its steps from tag to tag and of its two
ends as its score, and P(path) is the softmax of these sums over all paths (Lafferty et al. 2001).
Without one each token is tagged by itself. T tokens, C tags.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.messages import MessageTable
from foretext.shown import Cell, Grid, Note, Part, Table, TokenLine, TokenLines

__all__ = ["NUM_PATHS", "ShownChain", "sentence_parts"]

_said = MessageTable("insight.tagging")
NUM_PATHS = 5
MOST_SHOWN = 64  # tokens of a grid
DIGITS = 4

Scores = NDArray[Any]


class ScoredPath(Protocol):
    """A path of tags, and how probable it is."""

    @property
    def tags(self) -> Sequence[int]:
        """The tag of each token."""
        ...

    @property
    def score(self) -> float:
        """The sum of emissions, steps and ends."""
        ...

    @property
    def log_probability(self) -> float:
        """Of the path, among all."""
        ...


class ShownChain(NamedTuple):
    """What a CRF says of a sentence; NaN is the score of what is forbidden."""

    transitions: Scores  # (C, C) from the row's tag to the column's
    start: Scores  # (C,)
    end: Scores  # (C,)
    paths: Sequence[ScoredPath]  # the best ones, the best first


def sentence_parts(
    names: Sequence[str],
    words: Sequence[str],
    scores: Scores,
    probabilities: NDArray[np.float64],
    chain: ShownChain | None,
) -> list[Part]:
    """Return what decides on the tags of one sentence.

    Args:
        names: C tags, as the user's files write them.
        words: T tokens.
        scores: (T, C) emissions.
        probabilities: (T, C) of each tag at each token; with a CRF over all paths.
        chain: what a CRF says; None: each token is tagged by itself.
    """
    if chain is None:
        chosen: Sequence[int] = scores.argmax(1).tolist()
        parts: list[Part] = [Note(_said("note_alone", tags=len(names)))]
    else:
        best = chain.paths[0]
        chosen, share = best.tags, float(np.exp(best.log_probability))
        parts = [Note(_said("note_crf", tags=len(names), score=best.score, probability=share))]
    parts.append(_lines(words, [names[tag] for tag in chosen]))
    parts.append(_table_of_tokens(chain, words, names, scores, probabilities, chosen))
    if chain is not None and len(chain.paths) > 1:
        parts.append(_table_of_paths(words, names, chain.paths))
    parts += _grids(words, names, scores, probabilities)
    return parts if chain is None else [*parts, _transitions(chain, names)]


def _lines(words: Sequence[str], tags: Sequence[str]) -> TokenLines:
    lines = (TokenLine.of(_said("words"), words), TokenLine.of(_said("tags"), tags))
    return TokenLines(_said("title"), lines)


def _table_of_tokens(
    chain: ShownChain | None,
    words: Sequence[str],
    names: Sequence[str],
    scores: Scores,
    probabilities: NDArray[np.float64],
    chosen: Sequence[int],
) -> Table:
    """Return what each token adds to the score of the best path, and the second best tag."""
    columns, rows = ["word", "tag", "probability", "emission"], []
    if chain is not None:
        columns.append("step")
    columns += ["second", "second_probability"]
    for position, (word, tag) in enumerate(zip(words, chosen, strict=True)):
        own = probabilities[position]
        others = np.delete(np.arange(len(names)), tag)
        second = int(others[own[others].argmax()]) if len(others) else tag
        row: list[Cell] = [word, names[tag], _short(own[tag]), _short(scores[position, tag])]
        if chain is not None:
            row.append(_short(_step(chain, chosen, position)))
        rows.append([*row, names[second], _short(own[second])])
    return Table.of(_said("table"), _said.columns(*columns), rows)


def _step(chain: ShownChain, tags: Sequence[int], position: int) -> float:
    """Return the score of the step to a token's tag, and of the sentence's ends."""
    is_first, is_last = position == 0, position == len(tags) - 1
    step = (
        chain.start[tags[0]] if is_first else chain.transitions[tags[position - 1], tags[position]]
    )
    return float(step) + (float(chain.end[tags[-1]]) if is_last else 0.0)


def _table_of_paths(
    words: Sequence[str], names: Sequence[str], paths: Sequence[ScoredPath]
) -> Table:
    """Return the best path, those behind it, and the tags in which these differ from it."""
    best = paths[0].tags
    rows = []
    for rank, path in enumerate(paths, 1):
        others = [
            f"{word} {names[tag]}"
            for word, tag, first in zip(words, path.tags, best, strict=True)
            if tag != first
        ]
        share = float(np.exp(path.log_probability))
        rows.append((rank, _short(path.score), _short(share), ", ".join(others)))
    columns = _said.columns("rank", "path_score", "path_probability", "differs")
    return Table.of(_said("paths"), columns, rows)


def _grids(
    words: Sequence[str], names: Sequence[str], scores: Scores, probabilities: NDArray[np.float64]
) -> list[Part]:
    shown = slice(MOST_SHOWN)
    parts: list[Part] = []
    if len(words) > MOST_SHOWN:
        parts.append(Note(_said("cut", shown=MOST_SHOWN, words=len(words))))
    for title, values in (("emissions", scores), ("marginals", probabilities)):
        parts.append(Grid.of(_said(title), words[shown], names, _cells(values[shown])))
    return parts


def _transitions(chain: ShownChain, names: Sequence[str]) -> Grid:
    """Return the scores of steps: a row is the tag before, a column the one after; None: never."""
    inside = np.concatenate([chain.transitions, chain.end[:, None]], 1)  # (C, C + 1)
    values = np.concatenate([[[*chain.start, np.nan]], inside]).astype(np.float64)
    rows, columns = [_said("start"), *names], [*names, _said("end")]
    return Grid.of(_said("transitions"), rows, columns, _cells(values))


def _cells(values: Scores) -> list[list[float | None]]:
    """Return rounded numbers, None for NaN."""
    return [[None if np.isnan(x) else _short(x) for x in row] for row in values]


def _short(value: float) -> float:
    return round(float(value), DIGITS)
