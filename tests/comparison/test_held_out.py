from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.comparison.held_out import held_out, num_held_out
from foretext.data.rows import LabelledPair, LabelledText, Question
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.span_qa.network import SpanReader


def texts(labels: list[str]) -> list[LabelledText]:
    return [LabelledText(f"text {n}", (label,), f"a:{n}") for n, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("num_rows", "expected"),
    [(20, 4), (600, 120), (1500, 200), (5000, 500), (100_000, 2000)],  # a fifth of few, a tenth
)
def test_how_many_rows_are_held_out(num_rows: int, expected: int) -> None:
    assert num_held_out(num_rows) == expected


def test_too_few_rows_are_not_divided() -> None:
    with pytest.raises(CorpusError, match=r"19 rows to learn from are too few .* with --valid"):
        num_held_out(19)


def test_each_label_has_its_share_and_rows_keep_their_order() -> None:
    labels = ["a"] * 700 + ["b"] * 200 + ["c"] * 90 + ["d"] * 10
    shuffled = np.random.default_rng(1).permutation(labels).tolist()
    rows = texts(shuffled)
    train, valid = held_out(LinearClassifier, rows, 100, seed=3)
    counts = Counter(row.labels[0] for row in valid)
    assert counts == {"a": 70, "b": 20, "c": 9, "d": 1}
    assert sorted([*train, *valid], key=rows.index) == rows
    assert train == sorted(train, key=rows.index)
    assert valid == sorted(valid, key=rows.index)


def test_the_seed_decides() -> None:
    rows = texts(["a", "b"] * 50)
    first, again, other = (held_out(LinearClassifier, rows, 20, seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_the_only_row_of_a_label_is_learned() -> None:
    rows = texts([*["a"] * 30, "rare", *["b"] * 30])
    for seed in range(20):
        _, valid = held_out(LinearClassifier, rows, 20, seed)
        assert "rare" not in {row.labels[0] for row in valid}


def test_repeated_texts_are_never_divided() -> None:
    rows = [LabelledText(f"text  {n % 40}", ("a",), "") for n in range(200)]
    rows += [LabelledText(f"text {n}", ("a",), "") for n in range(40)]
    train, valid = held_out(LinearClassifier, rows, 24, seed=0)
    assert len(valid) == 24  # four groups of six
    plain = [{" ".join(row.text.split()) for row in part} for part in (train, valid)]
    assert not plain[0] & plain[1]


def test_the_questions_of_a_passage_stay_together() -> None:
    rows = [
        Question(str(n), "why?", f"passage {n // 5}", (), "", "") for n in range(100)
    ]  # twenty passages
    train, valid = held_out(SpanReader, rows, 10, seed=0)
    assert len(valid) == 10
    assert not {row.context for row in train} & {row.context for row in valid}


def test_rows_of_one_passage_are_divided_all_the_same() -> None:
    rows = [Question(str(n), "why?", "passage", (), "", "") for n in range(50)]
    train, valid = held_out(SpanReader, rows, 10, seed=0)
    assert (len(train), len(valid)) == (40, 10)


def test_a_large_group_does_not_flood_the_held_out_rows() -> None:
    rows = [LabelledPair("same", "same", None, 0.5, "")] * 500
    rows += [LabelledPair(f"a {n}", "b", None, 0.1, "") for n in range(500)]
    for seed in range(5):
        _, valid = held_out(TextMatcher, rows, 100, seed)
        assert len(valid) in (*range(50, 101), 500, 550)
