"""What every backbone does, over the table of backbones: a new row needs a case here."""

from __future__ import annotations

import contextlib
from functools import cache
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import Cache
from foretext.training.flat_parameters import FlatParameters

V, T, K, NUM_CHARACTERS = 40, 9, 5, 20
WORDS = {"vector_size": 12, "dropout": 0.0}
TWO_LAYERS = {"num_layers": 2, "dim": 10}
SPELLED = {"character_dim": 6, "character_features": 8}


class Case(NamedTuple):
    """A row of the table in one of its forms."""

    row: str
    settings: dict[str, Any]
    idle: tuple[str, ...] = ()  # parts of names of weights that plain rows do not use


CASES = {
    "transformer": Case(
        "transformer", {"num_layers": 2, "dim": 16, "num_heads": 2, "init_std": 0.3}
    ),
    "albert": Case(
        "transformer",
        {
            "num_layers": 2,
            "dim": 16,
            "num_heads": 2,
            "init_std": 0.3,
            "embedding_dim": 6,
            "share_layers": True,
        },
    ),
    "deberta": Case(
        "deberta",
        {
            "num_layers": 2,
            "dim": 16,
            "num_heads": 2,
            "init_std": 0.3,
            "num_buckets": 4,
            "max_length": 64,
        },
    ),
    "deberta with a convolution": Case(
        "deberta",
        {
            "num_layers": 2,
            "dim": 16,
            "num_heads": 2,
            "init_std": 0.3,
            "embedding_dim": 6,
            "convolution_width": 3,
            "shared_maps": False,
        },
    ),
    "xlnet": Case(
        "xlnet",
        {"num_layers": 2, "dim": 16, "num_heads": 2, "init_std": 0.3},
        idle=("0.query", "segment"),  # there are neither queries nor segments
    ),
    "elmo": Case("elmo", {"num_layers": 2, "dim": 16, "dropout": 0.0}),
    "encoder_decoder": Case(
        "encoder_decoder",
        {
            "num_layers": 1,
            "num_decoder_layers": 2,
            "dim": 16,
            "num_heads": 2,
            "init_std": 0.1,
            "dropout": 0.0,
        },
    ),
    "seq2seq": Case("seq2seq", {**WORDS, "num_layers": 1, "dim": 16}),
    "seq2seq with input feeding": Case(
        "seq2seq",
        {**WORDS, "num_layers": 2, "dim": 16, "kind": "lstm", "input_feeding": True},
    ),
    "lookup": Case("lookup", WORDS),
    "lookup with a CNN": Case("lookup", {**WORDS, **SPELLED, "characters": "cnn"}),
    "lookup with an LSTM": Case("lookup", {**WORDS, **SPELLED, "characters": "lstm"}),
    "textcnn": Case("textcnn", {**WORDS, "num_maps": 8}),
    "textcnn with a CNN": Case("textcnn", {**WORDS, **SPELLED, "characters": "cnn", "num_maps": 8}),
    "reader": Case(
        "reader",
        {**WORDS, **TWO_LAYERS, "segment_dim": 4, "layer_dropout": 0.0},
        idle=("other_text",),  # of one text
    ),
    "reader with a CNN": Case(
        "reader",
        {**WORDS, **TWO_LAYERS, **SPELLED, "characters": "cnn", "layer_dropout": 0.0},
        idle=("other_text",),
    ),
    "textcnn with bigrams": Case("textcnn", {**WORDS, "bigrams": 31, "bigram_dim": 4}),
    "rnn": Case("recurrent", {**WORDS, **TWO_LAYERS, "kind": "rnn"}),
    "lstm": Case("recurrent", {**WORDS, **TWO_LAYERS}),
    "lstm with a CNN": Case("recurrent", {**WORDS, **TWO_LAYERS, **SPELLED, "characters": "cnn"}),
    "lstm with bigrams": Case("recurrent", {**WORDS, **TWO_LAYERS, "bigrams": 31}),
    "unidirectional lstm": Case("recurrent", {**WORDS, **TWO_LAYERS, "bidirectional": False}),
    "gru": Case("recurrent", {**WORDS, **TWO_LAYERS, "kind": "gru"}),
    "unidirectional gru": Case(
        "recurrent", {**WORDS, **TWO_LAYERS, "kind": "gru", "bidirectional": False}
    ),
}


def backbone_of(case: str) -> Backbone:
    """The backbone of a case, always with the same weights, not in training."""
    torch.manual_seed(1)
    component = BACKBONES.resolve(CASES[case].row)
    config = component.Config.checked(CASES[case].settings, "backbone")
    found = (NUM_CHARACTERS,) if "characters" in CASES[case].settings else ()
    backbone: Backbone = component(config, V, *found)
    backbone.spell([f"w{id}" for id in range(V)])
    return backbone.eval()


def spelling(ids: Tensor) -> Tensor:
    """Characters of words, (B, T, K): one to five, which depend on the id only."""
    generator = torch.Generator().manual_seed(6)
    characters = torch.randint(1, NUM_CHARACTERS, (V, K), generator=generator)
    lengths = torch.arange(V) % K + 1
    return characters.masked_fill(torch.arange(K) >= lengths[:, None], 0)[ids]


def inputs_of(ids: Tensor, **fields: Any) -> Inputs:
    """Inputs that suit every backbone; every row has the same source."""
    source = Inputs(torch.arange(V - 5, V).expand(len(ids), -1))
    return Inputs(ids, characters=spelling(ids), source=source, **fields)


def some_ids(rows: int = 4) -> Tensor:
    return torch.randint(1, V, (rows, T), generator=torch.Generator().manual_seed(5))


def looks(visibility: Visibility) -> dict[str, Any]:
    """Fields of the inputs that say what a position may look at."""
    if visibility != "matrix":
        return {"visibility": visibility}
    visible = torch.rand(1, T, T, generator=torch.Generator().manual_seed(2)) < 0.4
    return {"visibility": visibility, "visible": visible}


def take_gradients(parameters: FlatParameters) -> None:
    """Move the gradients of the parts to the float32 vector of all."""
    parameters.master.grad = torch.zeros_like(parameters.master)
    for segment in parameters.segments:
        if segment.parameter.grad is not None:
            segment.view(parameters.master.grad).copy_(segment.parameter.grad)
            segment.parameter.grad = None


def test_every_row_has_a_case() -> None:
    assert {case.row for case in CASES.values()} == set(BACKBONES)


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_it_is(case: str) -> None:
    backbone = backbone_of(case)
    (visibility, *_) = sorted(backbone.visibilities)
    states = backbone(inputs_of(some_ids(), visibility=visibility), keep_layers=True)
    assert states.last.shape == (4, T, backbone.dim)
    assert len(states.layers) == backbone.num_layers + 1
    assert torch.equal(states.layers[-1], states.last)
    assert backbone.vocab_size == V
    assert backbone.open_vocabulary or len(backbone.embedding) == V
    assert backbone.max_length >= T
    assert backbone(inputs_of(some_ids(), visibility=visibility)).layers == ()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("case", CASES)
def test_it_learns(case: str, dtype: torch.dtype) -> None:
    """A linear layer over it tells three kinds of words apart, in the loop's own parameters."""
    backbone = backbone_of(case).train()
    network = nn.ModuleList([backbone, nn.Linear(backbone.dim, 3)])
    start = {name: p.detach().clone() for name, p in network.named_parameters()}
    parameters = FlatParameters(network, dtype)
    optimizer = torch.optim.Adam([parameters.master], lr=0.02)
    ids, losses = some_ids(16), []
    visibility = min(backbone.visibilities)
    for _ in range(50):  # 30 do but for ELMo in the bfloat16 of processors without AVX-512
        states = backbone(inputs_of(ids, visibility=visibility)).last
        logits = network[1](states).float()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids.flatten() % 3)
        loss.backward()
        take_gradients(parameters)
        optimizer.step()
        parameters.refresh()
        losses.append(loss.item())
    assert losses[-1] < 0.25 * losses[0]
    same = [name for name, value in parameters.values().items() if torch.equal(value, start[name])]
    idle = CASES[case].idle
    assert all(any(part in name for part in idle) for name in same), same


@pytest.mark.parametrize("case", CASES)
def test_padding_changes_nothing(case: str) -> None:
    """Rows of 9, 3 and 1 words: neither states nor gradients differ from those of each alone."""
    backbone = backbone_of(case)
    ids, lengths = some_ids(3), (T, 3, 1)
    weights = torch.randn(T, backbone.dim, generator=torch.Generator().manual_seed(3))
    for visibility in backbone.visibilities & {"full", "causal"}:
        token_mask = torch.arange(T)[None] < torch.tensor(lengths)[:, None]
        together = backbone(inputs_of(ids, token_mask=token_mask, visibility=visibility)).last
        (together * weights * token_mask[..., None]).sum().backward()
        gradients = {name: p.grad for name, p in backbone.named_parameters()}
        backbone.zero_grad(set_to_none=True)
        for row, length in enumerate(lengths):
            alone = backbone(inputs_of(ids[row : row + 1, :length], visibility=visibility)).last
            torch.testing.assert_close(together[row, :length], alone[0], atol=1e-5, rtol=1e-4)
            (alone[0] * weights[:length]).sum().backward()
        for name, parameter in backbone.named_parameters():
            torch.testing.assert_close(gradients[name], parameter.grad, atol=1e-4, rtol=1e-3)
        backbone.zero_grad(set_to_none=True)


@pytest.mark.parametrize("case", [case for case in CASES if case != "elmo"])  # no word vectors
def test_it_looks_at_no_more_than_it_may(case: str) -> None:
    """The gradient of a state at a word's vector says whether the word was looked at."""
    backbone = backbone_of(case)
    ids = torch.arange(1, T + 1)[None]
    weights = torch.linspace(0.5, 2, backbone.dim)  # a norm's outputs may sum to a constant
    for visibility in backbone.visibilities:
        inputs = inputs_of(ids, **looks(visibility))
        states = backbone(inputs).last[0]  # (T, D)
        may = {
            "full": torch.ones(T, T),
            "causal": torch.ones(T, T).tril(),
            "matrix": torch.ones(T, T) if inputs.visible is None else inputs.visible[0].float(),
        }[visibility]
        if visibility == "matrix":  # two layers: what is looked at has looked around
            may = may + torch.eye(T)
            may = may @ may
        for position in range(T):
            (gradient,) = torch.autograd.grad(
                (states[position] * weights).sum(), backbone.embedding, retain_graph=True
            )
            seen = gradient.abs().sum(-1)[ids[0]] > 0
            assert seen[position]
            assert not (seen & (may[position] == 0)).any()


@cache
def stacking_cases() -> list[str]:
    return [case for case in CASES if backbone_of(case).stacks_layers]


@pytest.mark.parametrize("case", stacking_cases())
def test_its_first_layers_are_a_network(case: str) -> None:
    backbone = backbone_of(case)
    inputs = inputs_of(some_ids(), visibility=min(backbone.visibilities))
    whole = backbone(inputs).last
    backbone.use_layers(1)
    alone = backbone(inputs).last
    assert not torch.equal(alone, whole)
    upper = backbone.stacked_weights(1)
    with torch.no_grad():
        for name, weight in backbone.named_parameters():
            if name in upper:
                weight.normal_()
    assert torch.equal(backbone(inputs).last, alone)
    backbone.use_layers(backbone.num_layers)
    assert not torch.equal(backbone(inputs).last, whole)


@pytest.mark.parametrize("case", stacking_cases())
def test_its_upper_layers_can_begin_as_the_lower_ones(case: str) -> None:
    backbone = backbone_of(case)
    weights = dict(backbone.named_parameters())
    for name, source in backbone.stacked_weights(1).items():
        assert "blocks.1." in name
        assert source == name.replace("blocks.1.", "blocks.0.")
        assert weights[name].shape == weights[source].shape
    assert len(backbone.stacked_weights(1)) >= 8


@cache
def distillable_cases() -> list[str]:
    found = []
    for case in CASES:
        with contextlib.suppress(SettingError):  # it has no smaller form
            backbone_of(case).student(1)
            found.append(case)
    return found


def test_transformers_of_every_kind_have_students() -> None:
    assert {CASES[case].row for case in distillable_cases()} == {"transformer", "deberta", "xlnet"}


@pytest.mark.parametrize("case", distillable_cases())
def test_a_student_begins_with_layers_of_its_teacher(case: str) -> None:
    backbone = backbone_of(case)
    inputs = inputs_of(some_ids(), visibility=min(backbone.visibilities))
    twin = backbone.student(2).eval()
    assert torch.equal(twin(inputs).last, backbone(inputs).last)
    smaller, theirs = backbone.student(1), backbone.state_dict()
    assert smaller.num_layers == 1
    assert all(torch.equal(weight, theirs[name]) for name, weight in smaller.state_dict().items())


@pytest.mark.parametrize("case", distillable_cases())
def test_a_narrower_student_reads_the_same_inputs(case: str) -> None:
    backbone = backbone_of(case)
    narrower = backbone.student(2, 8).eval()
    states = narrower(inputs_of(some_ids(), visibility=min(backbone.visibilities))).last
    assert states.shape == (4, T, 8)


@cache
def continuing_cases() -> list[str]:
    return [case for case in CASES if backbone_of(case).new_cache() is not None]


def read(backbone: Backbone, cache: Cache, ids: Tensor, start: int, stop: int) -> Tensor:
    """The states of some positions, which follow those in the cache."""
    inputs = inputs_of(ids[:, start:stop], visibility="causal")
    return backbone(inputs, cache=cache).last


def test_causal_backbones_continue_texts() -> None:
    causal = {case for case in CASES if "causal" in backbone_of(case).visibilities}
    assert set(continuing_cases()) == causal
    spelled = {case for case in causal if backbone_of(case).reads_characters}
    assert {case for case in CASES if backbone_of(case).continues_texts} == causal - spelled


@pytest.mark.parametrize("case", continuing_cases())
def test_reading_by_pieces_equals_reading_at_once(case: str) -> None:
    backbone, ids = backbone_of(case), some_ids()
    whole = backbone(inputs_of(ids, visibility="causal")).last
    cache = backbone.new_cache()
    assert cache is not None
    assert cache.length == 0
    pieces = [read(backbone, cache, ids, *ends) for ends in ((0, 4), (4, 5), (5, 6), (6, T))]
    assert cache.length == T
    torch.testing.assert_close(torch.cat(pieces, 1), whole, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("case", continuing_cases())
def test_rows_of_a_cache_can_be_chosen(case: str) -> None:
    backbone, ids, rows = backbone_of(case), some_ids(), torch.tensor([2, 0, 2])
    whole = backbone(inputs_of(ids[rows], visibility="causal")).last
    cache = backbone.new_cache()
    assert cache is not None
    read(backbone, cache, ids, 0, 4)
    cache.keep_rows(rows)
    rest = read(backbone, cache, ids[rows], 4, T)
    torch.testing.assert_close(rest, whole[:, 4:], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("case", continuing_cases())
def test_a_cache_forgets_the_newest_read(case: str) -> None:
    backbone, ids = backbone_of(case), some_ids()
    whole = backbone(inputs_of(ids, visibility="causal")).last
    cache = backbone.new_cache()
    assert cache is not None
    read(backbone, cache, ids, 0, 4)
    read(backbone, cache, ids.flip(1), 4, 6)
    cache.forget(2)
    assert cache.length == 4
    rest = read(backbone, cache, ids, 4, T)
    torch.testing.assert_close(rest, whole[:, 4:], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("case", [case for case in CASES if "unidirectional" in case])
def test_carried_states_continue_the_rows(case: str) -> None:
    """A batch begins where the one before it ended."""
    backbone, ids = backbone_of(case), some_ids()
    whole = backbone(inputs_of(ids, visibility="causal")).last
    carried = backbone(inputs_of(ids[:, :4], visibility="causal")).carried
    assert {state.shape for state in carried} == {(len(ids), backbone.dim)}
    rest = backbone(inputs_of(ids[:, 4:], visibility="causal", carried=carried)).last
    torch.testing.assert_close(rest, whole[:, 4:], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("case", CASES)
def test_weights_make_the_states(case: str) -> None:
    """Another of the same settings gives the same states once it has the same weights."""
    backbone = backbone_of(case)
    inputs = inputs_of(some_ids(), visibility=min(backbone.visibilities))
    states = backbone(inputs).last
    assert torch.equal(backbone(inputs).last, states)
    assert torch.equal(backbone_of(case)(inputs).last, states)
    other = backbone_of(case)
    for parameter in other.parameters():
        nn.init.normal_(parameter)
    assert not torch.equal(other(inputs).last, states)
    other.load_state_dict(backbone.state_dict())
    assert torch.equal(other(inputs).last, states)
