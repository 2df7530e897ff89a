"""Recurrent networks against PyTorch's own over packed rows, with the same weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from foretext.backbones.recurrent import Recurrent
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.nn.past_attention import PastAttention

V, D = 30, 7
LENGTHS = torch.tensor([3, 9, 1, 6])
IDS = torch.randint(V, (4, 9), generator=torch.Generator().manual_seed(5))
TOKEN_MASK = torch.arange(9) < LENGTHS[:, None]
THEIRS = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}


def recurrent(**settings: Any) -> Recurrent:
    torch.manual_seed(0)
    shape = {"vector_size": 5, "dim": D, "num_layers": 2, "dropout": 0.0}
    return Recurrent(Recurrent.Config(**{**shape, **settings}), V)


def theirs(backbone: Recurrent) -> nn.RNNBase:
    """PyTorch's network with the weights of ours."""
    config = backbone.config
    network = THEIRS[config.kind](
        5, D, config.num_layers, batch_first=True, bidirectional=config.bidirectional
    )
    weights = {}
    for layer, block in enumerate(backbone.blocks):
        for reader, suffix in ((block.rightward, ""), (block.leftward, "_reverse")):
            for name, parameter in reader.named_parameters() if reader else ():
                weights[f"{name}_l{layer}{suffix}"] = parameter.detach()
    network.load_state_dict(weights)
    return network


def packed_states(network: nn.RNNBase, embedded: Tensor) -> Tensor:
    packed = pack_padded_sequence(embedded, LENGTHS, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(network(packed)[0], batch_first=True)[0]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("kind", THEIRS)
def test_states_and_gradients_are_those_of_packed_rows(kind: str, bidirectional: bool) -> None:
    backbone = recurrent(kind=kind, bidirectional=bidirectional)
    network, vectors = theirs(backbone), backbone.embedding.detach().clone().requires_grad_()
    expected = packed_states(network, vectors[IDS])
    states = backbone(Inputs(IDS, TOKEN_MASK)).last * TOKEN_MASK[..., None]
    torch.testing.assert_close(states, expected)
    weights = torch.randn(expected.shape, generator=torch.Generator().manual_seed(1))
    (expected * weights).sum().backward()
    (states * weights).sum().backward()
    torch.testing.assert_close(backbone.embedding.grad, vectors.grad)
    first = backbone.blocks[0].rightward
    torch.testing.assert_close(first.weight_hh.grad, network.weight_hh_l0.grad)
    if bidirectional:
        last = backbone.blocks[1].leftward
        torch.testing.assert_close(last.weight_ih.grad, network.weight_ih_l1_reverse.grad)


def test_rows_of_one_length_need_no_lengths() -> None:
    backbone = recurrent()
    whole = backbone(Inputs(IDS)).last
    torch.testing.assert_close(whole, backbone(Inputs(IDS, torch.ones_like(IDS) > 0)).last)


@pytest.mark.parametrize(("bidirectional", "visibility"), [(True, "full"), (False, "causal")])
def test_visibility_follows_the_directions(bidirectional: bool, visibility: str) -> None:
    backbone = recurrent(bidirectional=bidirectional, num_layers=1)
    assert backbone.visibilities == {visibility}
    assert (backbone.new_cache() is None) == bidirectional
    assert backbone.dim == D * (1 + bidirectional)
    states = backbone(Inputs(torch.arange(9)[None])).last[0]
    (gradient,) = torch.autograd.grad(states[4].sum(), backbone.embedding)
    seen = gradient.abs().sum(-1).nonzero().flatten().tolist()
    assert seen == list(range(9 if bidirectional else 5))


def test_a_row_without_words_gives_numbers() -> None:
    token_mask = TOKEN_MASK.clone()
    token_mask[2] = False
    states = recurrent()(Inputs(IDS, token_mask)).last
    assert states.isfinite().all()
    torch.testing.assert_close(states[1], recurrent()(Inputs(IDS, TOKEN_MASK)).last[1])


@pytest.mark.parametrize("kind", THEIRS)
def test_gradients_in_bfloat16_point_where_those_in_float32_do(kind: str) -> None:
    """Over 100 words, from the state of the last one only."""
    ids = torch.randint(V, (4, 100), generator=torch.Generator().manual_seed(5))
    gradients = []
    for dtype in (torch.float32, torch.bfloat16):
        backbone = recurrent(kind=kind, dim=32).to(torch.bfloat16).to(dtype)
        backbone(Inputs(ids)).last[:, -1, ::2].float().sum().backward()
        parts = [p.grad.float().flatten() for p in backbone.parameters() if p.grad is not None]
        gradients.append(torch.cat(parts))
    assert torch.cosine_similarity(*gradients, dim=0) > 0.999


def test_dropout_is_between_layers_only() -> None:
    backbone = recurrent(layer_dropout=0.5).train()
    first, second = (backbone(Inputs(IDS), keep_layers=True).layers for _ in range(2))
    assert torch.equal(first[1], second[1])
    assert not torch.equal(first[2], second[2])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"layer_dropout": 0.2}, "layer_dropout would have no effect with num_layers = 1"),
        ({"kind": "sru"}, r"\[backbone\] kind = 'sru'"),
        ({"bigrams": 9, "bidirectional": False}, "bigrams = 9 shows the next word"),
        ({"num_layers": 0}, r"\[backbone\] num_layers = 0"),
    ],
)
def test_shapes_that_cannot_be(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        Recurrent.Config.checked(settings, "backbone")


@pytest.mark.parametrize("kind", THEIRS)
def test_carried_states_are_those_that_pytorch_ends_in(kind: str) -> None:
    backbone = recurrent(kind=kind, bidirectional=False)
    _, ends = theirs(backbone)(backbone.embedding[IDS])
    hidden, *cell = ends if kind == "lstm" else (ends,)
    expected = [state[layer] for layer in range(2) for state in (hidden, *cell)]
    carried = backbone(Inputs(IDS, visibility="causal")).carried
    assert len(carried) == len(expected)
    for ours, right in zip(carried, expected, strict=True):
        torch.testing.assert_close(ours, right)


def test_a_bidirectional_network_carries_nothing() -> None:
    assert recurrent()(Inputs(IDS)).carried == ()


def looked_back(states: np.ndarray, score: Callable[[np.ndarray, np.ndarray], float]) -> np.ndarray:
    """[h; c] of the states of a row (T, D), one position after the other."""
    rows = []
    for t, state in enumerate(states):
        scores = np.array([score(state, before) for before in states[:t]])
        weights = np.exp(scores - scores.max()) if t else scores
        context = weights @ states[:t] / weights.sum() if t else np.zeros_like(state)
        rows.append(np.concatenate((state, context)))
    return np.array(rows)


def score_of(backbone: Recurrent) -> Callable[[np.ndarray, np.ndarray], float]:
    """The score of a state and one before it, in numpy."""
    assert backbone.attention is not None
    parts = {name: p.detach().numpy() for name, p in backbone.attention.named_parameters()}
    if backbone.config.attention == "dot":
        return lambda h, m: float(h @ m)
    key = parts["attention.key.weight"]
    if backbone.config.attention == "general":
        return lambda h, m: float(h @ key @ m)
    query, vector = parts["attention.query.weight"], parts["attention.vector"]
    return lambda h, m: float(vector @ np.tanh(query @ h + key @ m))


@pytest.mark.parametrize("attention", ["dot", "general", "additive"])
@pytest.mark.parametrize("kind", THEIRS)
def test_each_state_gets_the_mean_of_those_before_beside_it(kind: str, attention: str) -> None:
    """Both widths are kept: [h_t; c_t]."""
    backbone = recurrent(kind=kind, bidirectional=False, attention=attention).eval()
    plain = recurrent(kind=kind, bidirectional=False).eval()
    plain.load_state_dict(backbone.state_dict(), strict=False)
    assert (plain.dim, backbone.dim, backbone.num_mixed) == (D, 2 * D, 1)
    with torch.no_grad():
        ours = backbone(Inputs(IDS, TOKEN_MASK)).last
        states = plain(Inputs(IDS, TOKEN_MASK)).last.numpy()
        (maps,) = backbone.attention_maps(Inputs(IDS))
    for row, length in enumerate(LENGTHS.tolist()):
        right = looked_back(states[row, :length], score_of(backbone))
        np.testing.assert_allclose(ours[row, :length], right, rtol=1e-4, atol=1e-6)
    assert maps.shape == (4, 1, 9, 9)
    assert not maps.triu().any()  # neither itself nor what comes
    torch.testing.assert_close(maps[:, 0, 1:].sum(-1), torch.ones(4, 8))
    assert not maps[:, :, 0].any()


def test_looking_back_worked_by_hand() -> None:
    """Scores of dot products 0 and log 3 have the weights 1/4 and 3/4."""
    attention = PastAttention("dot", 2)
    states = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.0, math.log(3)]]])
    found = attention(states, states[:, :0])
    right = [[1, 0, 0, 0], [0, 1, 1, 0], [0, math.log(3), 0.25, 0.75]]
    torch.testing.assert_close(found[0], torch.tensor(right))


@pytest.mark.parametrize("kind", THEIRS)
def test_a_text_is_continued_with_its_past(kind: str) -> None:
    backbone = recurrent(kind=kind, bidirectional=False, attention="additive").eval()
    whole, cache = backbone(Inputs(IDS, visibility="causal")).last, backbone.new_cache()
    assert cache is not None
    pieces = [
        backbone(Inputs(IDS[:, a:b], visibility="causal"), cache=cache).last
        for a, b in ((0, 4), (4, 5), (5, 9))
    ]
    torch.testing.assert_close(torch.cat(pieces, 1), whole)
    cache.keep_rows(torch.tensor([2, 2, 0]))
    more = backbone(Inputs(IDS[:3, :1], visibility="causal"), cache=cache).last
    longer = torch.cat((IDS[[2, 2, 0]], IDS[:3, :1]), 1)
    torch.testing.assert_close(more, backbone(Inputs(longer, visibility="causal")).last[:, 9:])


def test_only_a_network_from_the_left_looks_back() -> None:
    with pytest.raises(SettingError, match=r"attention = 'dot' .*set bidirectional = false"):
        Recurrent.Config.checked({"attention": "dot"}, "backbone")
    assert not recurrent(bidirectional=False, attention="dot").carries_state
    assert not recurrent().has_attention
    with pytest.raises(SettingError, match="Recurrent has no attention"):
        recurrent().attention_maps(Inputs(IDS))


@pytest.mark.parametrize("bidirectional", [False, True])
def test_an_lstm_s_states_follow_from_its_gates(bidirectional: bool) -> None:
    backbone = recurrent(kind="lstm", bidirectional=bidirectional, num_layers=1).eval()
    (gates,), x = backbone.gates(Inputs(IDS)), backbone.tokens(Inputs(IDS))
    states = backbone(Inputs(IDS)).last
    layer = backbone.blocks[0]
    for side, reader, flip in [("left", layer.rightward, False), ("right", layer.leftward, True)]:
        if reader is None:
            continue
        inputs = x.flip(1) if flip else x
        opened = {name: gates[side, name].flip(1) if flip else gates[side, name]
                  for name in ("input", "forget", "output")}  # fmt: skip
        rows = slice(2 * D, 3 * D)  # of the candidate, g
        h = c = torch.zeros(len(IDS), D)
        for t in range(IDS.shape[1]):
            g = inputs[:, t] @ reader.weight_ih[rows].T + reader.bias_ih[rows]
            g = torch.tanh(g + h @ reader.weight_hh[rows].T + reader.bias_hh[rows])
            c = opened["forget"][:, t] * c + opened["input"][:, t] * g
            h = opened["output"][:, t] * torch.tanh(c)
            at = IDS.shape[1] - 1 - t if flip else t
            own = states[:, at, D:] if flip else states[:, at, :D]
            torch.testing.assert_close(own, h, atol=1e-5, rtol=1e-5)


def test_a_gru_s_states_follow_from_its_gates_and_a_plain_cell_has_none() -> None:
    backbone = recurrent(kind="gru", bidirectional=False, num_layers=1).eval()
    (gates,), x = backbone.gates(Inputs(IDS)), backbone.tokens(Inputs(IDS))
    reader, h = backbone.blocks[0].rightward, torch.zeros(len(IDS), D)
    rows, states = slice(2 * D, 3 * D), backbone(Inputs(IDS)).last
    for t in range(IDS.shape[1]):
        past = h @ reader.weight_hh[rows].T + reader.bias_hh[rows]
        own = x[:, t] @ reader.weight_ih[rows].T + reader.bias_ih[rows]
        new = torch.tanh(own + gates["left", "reset"][:, t] * past)
        update = gates["left", "update"][:, t]
        h = (1 - update) * new + update * h
        torch.testing.assert_close(states[:, t], h, atol=1e-5, rtol=1e-5)
    assert recurrent(kind="rnn").gates(Inputs(IDS)) == [{}, {}]
