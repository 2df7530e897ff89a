"""What decides on the tags of a sentence, as parts to show: emissions, steps, and whole paths.

With a CRF a path of tags has the sum of its emissions, of its steps from tag to tag and of its two
ends as its score, and P(path) is the softmax of these sums over all paths (Lafferty et al. 2001).
Without one each token is tagged by itself. T tokens, C tags.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.heads.tagging import TaggingHead
from foretext.messages import MessageTable
from foretext.nn.crf import CRF, ScoredPath
from foretext.shown import Cell, Grid, Note, Part, Table, TokenLine, TokenLines
from foretext.vectors.insight import rounded

__all__ = ["sentence_parts"]

_said = MessageTable("insight.tagging")
NUM_PATHS = 5
MOST_SHOWN = 64  # tokens of a grid
DIGITS = 4

Scores = NDArray[np.float32]


def sentence_parts(
    head: TaggingHead, words: Sequence[str], scores: Scores, probabilities: NDArray[np.float64]
) -> list[Part]:
    """Return what decides on the tags of one sentence.

    Args:
        head: whose scores they are.
        words: T tokens.
        scores: (T, C) emissions.
        probabilities: (T, C) of each tag at each token; with a CRF over all paths.
    """
    names = head.tags.written(head.tags.labels)
    if head.crf is None:
        chosen = scores.argmax(1).tolist()
        parts: list[Part] = [Note(_said("note_alone", tags=len(names)))]
        paths: list[ScoredPath] = []
    else:
        paths = head.crf.likeliest_paths(torch.from_numpy(scores), NUM_PATHS)
        chosen = paths[0].tags
        share = float(np.exp(paths[0].log_probability))
        parts = [Note(_said("note_crf", tags=len(names), score=paths[0].score, probability=share))]
    parts.append(_lines(words, [names[tag] for tag in chosen]))
    parts.append(_table_of_tokens(head.crf, words, names, scores, probabilities, chosen))
    if paths:
        parts.append(_table_of_paths(words, names, paths))
    parts += _grids(words, names, scores, probabilities)
    return parts if head.crf is None else [*parts, _transitions(head.crf, names)]


def _lines(words: Sequence[str], tags: Sequence[str]) -> TokenLines:
    lines = (TokenLine.of(_said("words"), words), TokenLine.of(_said("tags"), tags))
    return TokenLines(_said("title"), lines)


def _table_of_tokens(
    crf: CRF | None,
    words: Sequence[str],
    names: Sequence[str],
    scores: Scores,
    probabilities: NDArray[np.float64],
    chosen: Sequence[int],
) -> Table:
    """Return what each token adds to the score of the best path, and the second best tag."""
    columns, rows = ["word", "tag", "probability", "emission"], []
    if crf is not None:
        columns.append("step")
    columns += ["second", "second_probability"]
    for position, (word, tag) in enumerate(zip(words, chosen, strict=True)):
        own = probabilities[position]
        others = np.delete(np.arange(len(names)), tag)
        second = int(others[own[others].argmax()]) if len(others) else tag
        row: list[Cell] = [word, names[tag], _short(own[tag]), _short(scores[position, tag])]
        if crf is not None:
            row.append(_short(_step(crf, chosen, position)))
        rows.append([*row, names[second], _short(own[second])])
    return Table.of(_said("table"), _said.columns(*columns), rows)


def _step(crf: CRF, tags: Sequence[int], position: int) -> float:
    """Return the score of the step to a token's tag, and of the sentence's ends."""
    step = (
        crf.start[tags[0]] if position == 0 else crf.transitions[tags[position - 1], tags[position]]
    )
    return float(step.detach()) + (float(crf.end[tags[-1]]) if position == len(tags) - 1 else 0.0)


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
        parts.append(Grid.of(_said(title), words[shown], names, rounded(values[shown])))
    return parts


def _transitions(crf: CRF, names: Sequence[str]) -> Grid:
    """Return the scores of steps: a row is the tag before, a column the one after; None: never."""
    chain = crf.scores
    inside = torch.cat([chain.transitions, chain.end[:, None]], 1)  # (C, C + 1)
    first = torch.cat([chain.start, torch.tensor([torch.nan])])[None]
    values = torch.cat([first, inside]).double().numpy()
    rows, columns = [_said("start"), *names], [*names, _said("end")]
    shown = [[None if np.isnan(x) else _short(x) for x in row] for row in values]
    return Grid.of(_said("transitions"), rows, columns, shown)


def _short(value: float) -> float:
    return round(float(value), DIGITS)
