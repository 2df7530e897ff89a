from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.backbones.insight import (
    attention_parts,
    backbone_parts,
    head_figures,
    layer_parts,
    norm_grid,
    share_parts,
    token_shares,
)
from foretext.backbones.recurrent import Recurrent
from foretext.data.batch import Inputs
from foretext.messages import in_language
from foretext.nn.source_attention import ScoreKind
from foretext.shown import Grid, Grids, Note, Table
from foretext.vectors.insight import NearText, cosines


def test_a_head_that_looks_back_has_no_entropy() -> None:
    weights = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    found = head_figures(weights)
    assert found.entropy == 0
    assert found.itself == pytest.approx(1 / 3)
    assert found.before == pytest.approx(2 / 3)
    assert found.after == 0
    assert found.first == pytest.approx(2 / 3)
    assert (found.row, found.column, found.largest) == (0, 0, 1)


def test_a_head_that_looks_everywhere_has_the_entropy_of_the_row() -> None:
    found = head_figures(np.full((4, 8), 1 / 8, np.float32))
    assert found.entropy == pytest.approx(3)
    assert found.itself == found.first == pytest.approx(1 / 8)


def test_every_head_is_there_and_the_mean_is_that_of_the_last_layer() -> None:
    rng = np.random.default_rng(0)
    maps = [rng.dirichlet(np.ones(3), (2, 3)).astype(np.float32) for _ in range(2)]
    with in_language("en"):
        parts = attention_parts("self", maps, "abc", "abc")
    tables = [part for part in parts if isinstance(part, Table)]
    assert [row[:2] for row in tables[0].rows] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert len(tables[1].rows) == 3
    (mean,) = (part for part in parts if isinstance(part, Grid))
    np.testing.assert_allclose(mean.values, maps[1].mean(0), atol=1e-4)
    (every,) = (part for part in parts if isinstance(part, Grids))
    assert every.across == 2
    np.testing.assert_allclose(np.array(every.values), np.concatenate(maps), atol=1e-4)


def test_more_weights_than_a_page_has_room_for_are_shown_as_means() -> None:
    rng = np.random.default_rng(0)
    maps = [rng.dirichlet(np.ones(100), (9, 100)).astype(np.float32) for _ in range(12)]
    names = [str(place) for place in range(100)]
    with in_language("en"):
        parts = attention_parts("self", maps, names, names)
    (every,) = (part for part in parts if isinstance(part, Grids))
    assert len(every.names) == 12
    np.testing.assert_allclose(
        np.array(every.values)[3], maps[3].mean(0)[:64, :64].astype(float), atol=1e-4
    )


def test_layers_of_other_widths_have_no_cosine_with_those_below() -> None:
    rng = np.random.default_rng(0)
    layers = [rng.normal(size=(3, width)).astype(np.float32) for width in (4, 6, 6)]
    with in_language("en"):
        table = layer_parts(layers, "abc")[0]
    assert isinstance(table, Table)
    below = [row[3] for row in table.rows]
    assert below[:2] == [None, None]
    own = [cosines(layers[1][[row]], layers[2][[row]])[0, 0] for row in range(3)]
    assert below[2] == pytest.approx(np.mean(own), abs=1e-4)
    pairs = [cosines(layers[2][[a]], layers[2][[b]])[0, 0] for a, b in ((0, 1), (0, 2), (1, 2))]
    assert table.rows[2][2] == pytest.approx(np.mean(pairs), abs=1e-4)


@pytest.mark.parametrize("pooling", ["mean", "max", "cls", "last"])
def test_what_tokens_add_sums_to_the_cosine(pooling: str) -> None:
    rng = np.random.default_rng(1)
    states, other = rng.normal(size=(5, 8)), rng.normal(size=8)
    vector = {
        "mean": states.mean(0),
        "max": states.max(0),
        "cls": states[0],
        "last": states[-1],
    }[pooling]
    own = token_shares(states, pooling)  # type: ignore[arg-type]
    toward = token_shares(states, pooling, other)  # type: ignore[arg-type]
    assert own is not None
    assert toward is not None
    assert own.sum() == pytest.approx(1)
    assert toward.sum() == pytest.approx(cosines(vector[None], other[None])[0, 0])


def test_a_learned_pooling_is_no_sum_over_tokens() -> None:
    assert token_shares(np.ones((2, 3)), "attention") is None
    assert share_parts("ab", np.ones((2, 3)), "attention", None) == []


def test_shares_name_the_nearest_line() -> None:
    near = NearText("another line", np.array([1.0, 0.0]), 0.5)
    with in_language("en"):
        parts = share_parts("ab", np.array([[1.0, 0.0], [0.0, 1.0]]), "mean", near)
    table = parts[-1]
    assert isinstance(table, Table)
    assert [row[2] for row in table.rows] == pytest.approx([0.7071, 0], abs=1e-4)
    assert "another line" in str(parts[1])


def test_states_of_a_network_without_attention_have_a_length() -> None:
    layers = [np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[0.0, 0.0, 2.0], [1.0, 2.0, 2.0]])]
    with in_language("en"):
        grid = norm_grid(layers, "ab")
    assert grid.rows == ("embeddings", "layer 1")
    assert grid.values == ((5, 0), (2, 3))


PAST = np.array([[0, 0, 0], [1, 0, 0], [0.5, 0.5, 0]], np.float32)


def test_a_position_that_sees_nothing_does_not_count() -> None:
    found = head_figures(PAST)
    assert found.entropy == pytest.approx(0.5)  # of 0 and 1 bit
    assert found.before == pytest.approx(0.75)
    assert found.first == pytest.approx(0.75)
    assert found.itself == found.after == 0
    nothing = head_figures(np.zeros((1, 1), np.float32))
    assert (nothing.entropy, nothing.first, nothing.largest) == (0, 0, 0)


def test_attention_to_the_past_says_that_the_first_position_sees_nothing() -> None:
    with in_language("en"):
        note, _, table, *_ = attention_parts("self", [PAST[None]], "abc", "abc")
        whole = attention_parts("self", [PAST[None, 1:]], "bc", "abc")[0]
    assert isinstance(note, Note)
    assert "the first one has none and looks at nothing" in note.text
    assert isinstance(table, Table)
    assert [row[1] for row in table.rows] == ["", "a 1.00", "a 0.50"]
    assert isinstance(whole, Note)
    assert "A row says how a position shares out its attention" in whole.text
    assert "layers: 1, heads of each: 1" in whole.text


@pytest.mark.parametrize("kind", ["dot", "additive"])
def test_a_network_that_looks_at_its_own_past_says_so(kind: ScoreKind) -> None:
    shape = {"vector_size": 4, "dim": 4, "num_layers": 1, "dropout": 0.0}
    config = Recurrent.Config(bidirectional=False, attention=kind, **shape)
    backbone = Recurrent(config, 9).eval()
    with in_language("en"), torch.no_grad():
        parts = backbone_parts(backbone, Inputs(torch.tensor([[1, 2, 3, 4]])), "abcd")
    said = [part.text for part in parts if isinstance(part, Note)]
    assert any(text.startswith("Attention to the past") for text in said)


def test_gates_stand_in_one_grid_by_layer_side_and_name() -> None:
    shape = {"vector_size": 4, "dim": 4, "num_layers": 2, "dropout": 0.0}
    backbone = Recurrent(Recurrent.Config(kind="gru", bidirectional=True, **shape), 9).eval()
    inputs = Inputs(torch.tensor([[1, 2, 3]]))
    with in_language("en"), torch.no_grad():
        parts = backbone_parts(backbone, inputs, "abc")
        gates = backbone.gates(inputs)
    (grid,) = [each for each in parts if isinstance(each, Grid) and "gates" in each.title]
    assert len(grid.rows) == 2 * 2 * 2
    assert grid.rows[0] == "layer 1, from the left: reset"
    mean = gates[1]["right", "update"][0].mean(-1).numpy()
    assert grid.values[grid.rows.index("layer 2, from the right: update")] == pytest.approx(
        mean, abs=1e-3
    )
