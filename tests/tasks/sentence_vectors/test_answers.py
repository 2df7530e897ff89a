"""Rows answered by vectors of their texts, and the baseline by words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import SentenceRow
from foretext.tasks.sentence_vectors.answers import DenseVectors, halves, sentence_answers
from foretext.tasks.sentence_vectors.baseline import tfidf_baseline

POINTS = {  # angles of texts on a circle, in degrees
    "a": 0, "a near": 10, "a far": 60, "b": 180, "b near": 190, "noise": 5,
}  # fmt: skip


def circle(texts: Sequence[str]) -> DenseVectors:
    angles = np.radians([POINTS[text] for text in texts])
    return DenseVectors(3 * np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32))


def pair(first: str, second: str, negative: str | None = None) -> SentenceRow:
    return SentenceRow(first, second, negative, None, "rows:1")


def test_ranks_by_hand() -> None:
    rows = [pair("a", "a far"), pair("b", "b near")]
    found = sentence_answers(rows, circle)
    assert found.ranks is not None
    assert found.ranks.tolist() == [1, 1]
    with_noise = sentence_answers(
        [pair("a", "a far", "noise"), pair("b", "b near", "noise")], circle
    )
    assert with_noise.ranks is not None
    assert with_noise.ranks.tolist() == [2, 1]
    assert with_noise.nearest == ["noise", "b near"]
    assert with_noise.num_candidates == 3
    assert with_noise.cosines == pytest.approx([np.cos(np.radians(60)), np.cos(np.radians(10))])


def test_other_right_texts_do_not_stand_before() -> None:
    rows = [pair("a", "a far"), pair("a", "a near"), pair("b", "a")]
    found = sentence_answers(rows, circle)
    assert found.ranks is not None
    assert found.ranks.tolist()[:2] == [1, 1]  # neither the other right text nor "a" itself counts


def test_equal_vectors_gain_nothing() -> None:
    rows = [pair("a", "a far"), pair("b", "b near"), pair("noise", "a near")]
    found = sentence_answers(rows, lambda texts: DenseVectors(np.ones((len(texts), 2), np.float32)))
    assert found.ranks is not None
    assert found.ranks.tolist() == [3, 3, 3]
    assert (found.alignment, found.uniformity) == (
        pytest.approx(0, abs=1e-6),
        pytest.approx(0, abs=1e-6),
    )


def test_scores_are_not_searched() -> None:
    rows = [
        SentenceRow("a", "a near", None, 5.0, "rows:1"),
        SentenceRow("a", "b", None, 0.0, "rows:2"),
    ]
    found = sentence_answers(rows, circle)
    assert found.ranks is None
    expected = 2 - 2 * np.cos(np.radians(10))  # of the pair with the high score alone
    assert found.alignment == pytest.approx(expected, abs=1e-5)


def scored(second: str, score: float | None, line: int) -> SentenceRow:
    return SentenceRow("a", second, None, score, f"rows:{line}")


def test_ranks_that_are_farthest_apart_come_first() -> None:
    rows = [scored("a near", 5.0, 1), scored("b", 4.0, 2), scored("a far", 1.0, 3)]
    found = sentence_answers(rows, circle).findings(rows)
    assert [(each["place"], each["right"]) for each in found["errors"]] == [
        ("rows:2", 4.0),
        ("rows:3", 1.0),
        ("rows:1", 5.0),
    ]
    assert found["errors"][0]["cosine"] == pytest.approx(-1)
    assert [right for right, _ in found["points"]] == [5.0, 4.0, 1.0]


def test_a_missing_score_is_none_of_zero() -> None:
    rows = [scored("a near", 5.0, 1), scored("b", None, 2), scored("a far", 1.0, 3)]
    with pytest.raises(CorpusError, match="rows:2: the row has no score"):
        sentence_answers(rows, circle)
    whole = [row._replace(score=row.score or 0.0) for row in rows]
    found = sentence_answers(whole, circle)
    for measure in (found.figures, found.tallies, found.findings, found.shown):
        with pytest.raises(CorpusError, match="rows:2: the row has no score"):
            measure(rows)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two three four", ("one two", "three four")),
        ("short averyveryverylongword", ("short", "averyveryverylongword")),
        ("一二三四", ("一二", "三四")),
        ("a", ("a", "a")),
        ("word ", ("wo", "rd")),
    ],
)
def test_halves(text: str, expected: tuple[str, str]) -> None:
    assert halves(text) == expected


def test_the_baseline_compares_words() -> None:
    rows = [pair("a red ship", "the ship was red"), pair("green fields", "fields of green")]
    learned = tfidf_baseline(rows)
    found = learned.answers(rows)
    assert found.ranks.tolist() == [1, 1]
    assert found.nearest == ["the ship was red", "fields of green"]
    assert 0 < found.cosines[0] < 1
    with pytest.raises(CorpusError, match="no feature"):
        tfidf_baseline([pair("?", "!")])
