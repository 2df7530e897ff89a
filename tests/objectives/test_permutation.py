"""What is predicted, in which order, and who sees whom."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.objectives.permutation import (
    choose_predicted,
    draw_order,
    predicted_first,
    visible_keys,
)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_a_worked_example() -> None:
    """Of four tokens 2 is predicted first, from 1 and 3, then 0 from 1, 2 and 3."""
    order = np.array([[2, 0, 1, 0]])
    positions = predicted_first(order > 0)
    assert positions.tolist() == [[0, 2]]
    assert visible_keys(order, positions).astype(int).tolist() == [
        [
            [1, 1, 1, 1],  # token 0, the last one of the order
            [0, 1, 0, 1],  # token 1 is not predicted
            [0, 1, 1, 1],  # token 2
            [0, 1, 0, 1],  # token 3 is not predicted
            [0, 1, 1, 1],  # the query for token 0: all but itself
            [0, 1, 0, 1],  # the query for token 2
        ]
    ]


@pytest.mark.parametrize("tokens_per_prediction", [1, 3, 6])
@pytest.mark.parametrize("max_span", [1, 5])
def test_one_token_of_so_many_is_predicted(tokens_per_prediction: int, max_span: int) -> None:
    eligible = np.ones((400, 120), np.bool_)
    chosen = choose_predicted(eligible, tokens_per_prediction, max_span, rng())
    assert chosen.mean() == pytest.approx(1 / tokens_per_prediction, rel=0.02)


def test_tokens_are_predicted_in_spans() -> None:
    chosen = choose_predicted(np.ones((50, 300), np.bool_), 6, 5, rng())
    edges = np.diff(chosen.astype(int), axis=1, prepend=0, append=0)
    lengths = np.flatnonzero(edges < 0) - np.flatnonzero(edges > 0)
    counts = np.bincount(lengths)
    assert (counts[1:6] > 0.1 * len(lengths)).all()
    alone = choose_predicted(np.ones((50, 300), np.bool_), 6, 1, rng())
    assert (alone[:, 1:] & alone[:, :-1]).mean() < 0.05  # by chance, at the edges of windows


def test_every_position_is_predicted_as_often() -> None:
    chosen = choose_predicted(np.ones((4_000, 60), np.bool_), 6, 5, rng())
    assert chosen.mean(axis=0)[5:].std() < 0.03


def test_special_tokens_are_never_predicted() -> None:
    eligible = np.random.default_rng(1).random((50, 40)) < 0.7
    assert not choose_predicted(eligible, 2, 5, rng())[~eligible].any()


def test_each_row_has_a_prediction_if_it_has_a_token() -> None:
    eligible = np.zeros((3, 30), np.bool_)
    eligible[0, 7] = True
    eligible[2, :2] = True
    for seed in range(20):
        chosen = choose_predicted(eligible, 6, 5, np.random.default_rng(seed))
        assert chosen[0].sum() == 1
        assert not chosen[1].any()
        assert chosen[2].sum() >= 1


def test_the_order_is_one_of_the_predicted_tokens() -> None:
    predicted = np.random.default_rng(1).random((100, 20)) < 0.4
    order = draw_order(predicted, rng())
    assert not order[~predicted].any()
    for row, asked in zip(order, predicted, strict=True):
        assert sorted(row[asked]) == list(range(1, asked.sum() + 1))


def test_all_orders_are_equally_likely() -> None:
    predicted = np.ones((6_000, 3), np.bool_)
    orders, counts = np.unique(draw_order(predicted, rng()), axis=0, return_counts=True)
    assert len(orders) == 6
    assert counts.min() > 900


def test_positions_are_filled_up_to_a_multiple() -> None:
    predicted = np.zeros((2, 30), np.bool_)
    predicted[0, [3, 9, 20]] = predicted[1, 5] = True
    positions = predicted_first(predicted, 4)
    assert positions.shape == (2, 4)
    assert positions[0, :3].tolist() == [3, 9, 20]
    assert positions[1, 0] == 5


def test_no_predicted_token_sees_itself_or_what_comes_after_it() -> None:
    predicted = np.random.default_rng(1).random((20, 24)) < 0.4
    order = draw_order(predicted, rng())
    positions = predicted_first(predicted)
    visible = visible_keys(order, positions)
    T = order.shape[1]
    for b in range(len(order)):
        for query, position in enumerate(positions[b]):
            if predicted[b, position]:
                seen = visible[b, T + query]
                assert not seen[order[b] >= order[b, position]].any()
                assert seen[order[b] < order[b, position]].all()
        assert visible[b, :T].diagonal().all()
