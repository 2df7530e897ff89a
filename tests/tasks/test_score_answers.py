from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledPair
from foretext.tasks.matching.baseline import mean_score
from foretext.tasks.matching.linear import pair_baseline
from foretext.tasks.score_answers import ScoreAnswers


def pairs(*scores: float) -> list[LabelledPair]:
    return [LabelledPair("a", "b", None, score, f"a.csv:{n}") for n, score in enumerate(scores, 1)]


def test_the_largest_differences_come_first() -> None:
    found = ScoreAnswers(np.array([1.5, 0.0, 3.0])).findings(pairs(1.0, 2.0, 3.0))
    assert found["points"] == [[1.0, 1.5], [2.0, 0.0], [3.0, 3.0]]
    assert [(each["right"], each["place"]) for each in found["errors"]] == [
        (2.0, "a.csv:2"),
        (1.0, "a.csv:1"),
        (3.0, "a.csv:3"),
    ]


def test_of_many_points_some_are_kept_from_end_to_end() -> None:
    scores = np.arange(5000.0)
    points = ScoreAnswers(scores).findings(pairs(*scores))["points"]
    assert len(points) == 1000
    assert (points[0], points[-1]) == ([0.0, 0.0], [4999.0, 4999.0])


@pytest.mark.parametrize("learn", [mean_score, pair_baseline])
def test_a_baseline_refuses_a_row_without_a_score(learn: Callable[..., object]) -> None:
    rows = [*pairs(1.0, 2.0), LabelledPair("c", "d", None, None, "a.csv:3")]
    with pytest.raises(CorpusError, match=r"^a\.csv:3: the row has no score, and other rows"):
        learn(rows)
