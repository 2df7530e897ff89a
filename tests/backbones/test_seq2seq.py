"""Recurrent sequence-to-sequence against a twin of PyTorch's networks and plain attention."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from foretext.backbones.recurrent import Recurrent
from foretext.backbones.seq2seq import Seq2Seq
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs

V, SOURCE_V, B, T, S, E, D = 30, 20, 4, 6, 7, 5, 16
LENGTHS = torch.tensor([3, 7, 1, 6])
TOKENS = torch.arange(S) < LENGTHS[:, None]
THEIRS = {"gru": nn.GRU, "lstm": nn.LSTM}
FORMS: dict[str, dict[str, Any]] = {
    "additive gru": {},
    "additive lstm": {"kind": "lstm", "attention_dim": 32},
    "general gru of two layers": {"attention": "general", "num_layers": 2, "encoder_dim": 9},
    "dot lstm of two layers": {"kind": "lstm", "attention": "dot", "num_layers": 2},
    "dot gru from the left": {"attention": "dot", "bidirectional": False},
    "general lstm from the left": {
        "kind": "lstm",
        "attention": "general",
        "bidirectional": False,
        "encoder_dim": 6,
    },
    "fed gru": {"input_feeding": True},
    "fed lstm of two layers": {"kind": "lstm", "input_feeding": True, "num_layers": 2},
}
ATTENDING = list(FORMS)
FORMS |= {
    "gru that reads the end at every step": {"attention": "none"},  # Cho et al. 2014
    "lstm of two layers that reads the end at every step": {
        "kind": "lstm",
        "attention": "none",
        "num_layers": 2,
        "bidirectional": False,
        "encoder_dim": 9,
    },
    "lstm that begins with the end": {  # Sutskever et al. 2014
        "kind": "lstm",
        "attention": "none",
        "context": "first_state",
        "bidirectional": False,
    },
    "gru of two layers that begins with the ends": {
        "attention": "none",
        "context": "first_state",
        "num_layers": 2,
    },
}


def ids(size: int, length: int, seed: int) -> Tensor:
    return torch.randint(size, (B, length), generator=torch.Generator().manual_seed(seed))


TEXT, SOURCE = ids(V, T, 1), ids(SOURCE_V, S, 2)


def seq2seq(source_vocab_size: int | None = SOURCE_V, **settings: Any) -> Seq2Seq:
    torch.manual_seed(0)
    config = Seq2Seq.Config(**{"vector_size": E, "dim": D, "dropout": 0.0, **settings})
    return Seq2Seq(config, V, source_vocab_size)


def inputs(text: Tensor = TEXT, rows: slice = slice(None)) -> Inputs:
    return Inputs(text[rows], visibility="causal", source=Inputs(SOURCE[rows], TOKENS[rows]))


def twin_weights(block: Any, layer: int) -> dict[str, Tensor]:
    """Weights of one of our layers under PyTorch's names."""
    readers = (block.rightward, ""), (block.leftward, "_reverse")
    return {
        f"{name}_l{layer}{suffix}": parameter
        for reader, suffix in readers
        for name, parameter in (reader.named_parameters() if reader else ())
    }


class Twin(nn.Module):
    """Packed rows, PyTorch's networks, one position after the other."""

    def __init__(self, ours: Seq2Seq) -> None:
        super().__init__()
        config = ours.config
        theirs = THEIRS[config.kind]
        self.kind, self.num_layers, self.config = config.kind, config.num_layers, config
        self.source_vectors = nn.Parameter(ours.encoder.embedding.detach().clone())
        self.vectors = nn.Parameter(ours.embedding.detach().clone())
        self.encoder = theirs(
            E,
            config.direction_dim,
            config.num_layers,
            batch_first=True,
            bidirectional=config.bidirectional,
        )
        self.attends = config.attention != "none"
        self.repeats = not self.attends and config.context == "every_step"
        fed = D if config.input_feeding else 0
        fed += config.memory_dim if self.repeats else 0
        self.decoder = theirs(E + fed, D, config.num_layers, batch_first=True)
        for network, blocks in (
            (self.encoder, ours.encoder.blocks),
            (self.decoder, ours.decoder.blocks),
        ):
            named = [twin_weights(block, layer) for layer, block in enumerate(blocks)]
            network.load_state_dict({name: p for part in named for name, p in part.items()})
        # the same modules, whose gradients are compared through their inputs
        self.start, self.output = ours.decoder.start, ours.decoder.output
        self.attention = ours.decoder.attention

    def context(self, h: Tensor, memory: Tensor) -> Tensor:
        """What one state (B, D) takes of the source (B, S, M)."""
        scores = self.scores(h, memory).masked_fill(~TOKENS, -torch.inf)
        return torch.einsum("bs,bsm->bm", scores.softmax(-1), memory)

    def scores(self, h: Tensor, memory: Tensor) -> Tensor:
        """Of one state (B, D) against (B, S, M)."""
        attention = self.attention
        if self.config.attention == "additive":
            hidden = attention.query(h)[:, None] + attention.key(memory)
            return torch.tanh(hidden) @ attention.vector
        keys = memory if self.config.attention == "dot" else attention.key(memory)
        return torch.einsum("bd,bsd->bs", h, keys)

    def forward(self) -> Tensor:
        packed = pack_padded_sequence(
            self.source_vectors[SOURCE], LENGTHS, batch_first=True, enforce_sorted=False
        )
        found, last = self.encoder(packed)
        memory, _ = pad_packed_sequence(found, batch_first=True)
        ends = last if self.kind == "gru" else last[0]
        directions = 2 if self.config.bidirectional else 1
        end = torch.cat(tuple(ends[-directions:]), -1)  # of the last layer
        start = self.start(end)
        parts = start.view(B, self.num_layers, -1, D).permute(2, 1, 0, 3).contiguous()
        state = torch.tanh(parts[0]) if self.kind == "gru" else (torch.tanh(parts[0]), parts[1])
        result, results = torch.zeros(B, D), []
        for t in range(T):
            x = self.vectors[TEXT[:, t]]
            if self.config.input_feeding:
                x = torch.cat((x, result), -1)
            if self.repeats:
                x = torch.cat((x, end), -1)
            h, state = self.decoder(x[:, None], state)
            result = h[:, 0]
            if self.attends or self.repeats:
                context = self.context(result, memory) if self.attends else end
                result = torch.tanh(self.output(torch.cat((context, result), -1)))
            results.append(result)
        return torch.stack(results, 1)


@pytest.mark.parametrize("form", FORMS)
def test_equals_a_twin_of_pytorchs_networks(form: str) -> None:
    backbone = seq2seq(**FORMS[form])
    twin = Twin(backbone)
    ours, theirs = backbone(inputs()).last, twin()
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    weights = torch.randn(B, T, D, generator=torch.Generator().manual_seed(3))
    parts = backbone.decoder.attention, backbone.decoder.start, backbone.decoder.output
    shared = [p for part in parts if part is not None for p in part.parameters()]
    own = [backbone.embedding, backbone.encoder.embedding, *shared]
    other = [twin.vectors, twin.source_vectors, *shared]
    readers = backbone.encoder.blocks[0].rightward, backbone.decoder.blocks[-1].rightward
    own += [reader.weight_hh for reader in readers]
    other += [
        twin.encoder.weight_hh_l0,
        twin.decoder.get_parameter(f"weight_hh_l{backbone.num_layers - 1}"),
    ]
    mine = torch.autograd.grad((ours * weights).sum(), own)
    right = torch.autograd.grad((theirs * weights).sum(), other)
    for gradient, expected in zip(mine, right, strict=True):
        torch.testing.assert_close(gradient, expected, rtol=1e-3, atol=1e-5)


def test_worked_by_hand() -> None:
    """Cells that keep their state 0, so that the result is tanh of a map of the sources' mean."""
    backbone = seq2seq(dim=2, attention="dot", bidirectional=False)
    for parameter in backbone.parameters():
        nn.init.zeros_(parameter)
    memory = torch.tensor([[[1.0, 2.0], [3.0, 6.0]]])
    backbone.decoder.output.weight.data[0, 0] = 0.5  # of the first number of the mean, 2
    backbone.decoder.output.weight.data[1, 1] = 0.1  # of the second one, 4
    states = backbone(Inputs(torch.zeros(1, 1, dtype=torch.int64), memory=memory)).last
    torch.testing.assert_close(states, torch.tensor([[[0.7615942, 0.3799490]]]))


@pytest.mark.parametrize("form", FORMS)
def test_padding_of_a_source_changes_nothing(form: str) -> None:
    backbone = seq2seq(**FORMS[form])
    together = backbone(inputs()).last
    for row, length in enumerate(LENGTHS.tolist()):
        alone = Inputs(
            TEXT[row : row + 1], visibility="causal", source=Inputs(SOURCE[row : row + 1, :length])
        )
        torch.testing.assert_close(backbone(alone).last[0], together[row], rtol=1e-4, atol=1e-5)


def test_states_of_a_source_can_be_given() -> None:
    backbone, whole = seq2seq(), seq2seq()(inputs()).last
    memory = backbone.encode(inputs().source)
    assert memory.shape == (B, S, D)
    given = Inputs(TEXT, visibility="causal", source=inputs().source, memory=memory)
    assert torch.equal(backbone(given).last, whole)


@pytest.mark.parametrize("form", ATTENDING)
def test_weights_of_the_source(form: str) -> None:
    backbone = seq2seq(**FORMS[form])
    (weights,) = backbone.cross_attention_maps(inputs())
    assert weights.shape == (B, 1, T, S)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, 1, T))
    assert not weights[~TOKENS[:, None, None].expand_as(weights)].any()
    assert (weights[2, 0, :, 0] == 1).all()  # a source of one token


@pytest.mark.parametrize("form", FORMS)
def test_a_text_is_continued_by_pieces(form: str) -> None:
    """Later reads need neither the source nor its states."""
    backbone = seq2seq(**FORMS[form]).eval()
    whole, cache = backbone(inputs()).last, backbone.new_cache()
    pieces = [backbone(inputs(TEXT[:, :2]), cache=cache).last]
    for start, stop in ((2, 3), (3, T)):
        more = Inputs(TEXT[:, start:stop], visibility="causal")
        pieces.append(backbone(more, cache=cache).last)
    torch.testing.assert_close(torch.cat(pieces, 1), whole, rtol=1e-4, atol=1e-5)
    assert cache.length == T


@pytest.mark.parametrize("rows", [[0, 0, 1, 1, 2, 2, 3, 3], [2, 0], [3, 3, 3, 1]], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_hypotheses_of_a_beam_share_their_source(form: str, rows: list[int]) -> None:
    backbone, chosen = seq2seq(**FORMS[form]).eval(), torch.tensor(rows)
    cache = backbone.new_cache()
    backbone(inputs(TEXT[:, :2]), cache=cache)
    cache.keep_rows(chosen)
    rest = (ids(V, 2, 5)[:1] + torch.arange(len(rows))[:, None]) % V
    ours = backbone(Inputs(rest, visibility="causal"), cache=cache).last
    whole = torch.cat((TEXT[chosen, :2], rest), 1)
    source = Inputs(SOURCE[chosen], TOKENS[chosen])
    right = backbone(Inputs(whole, visibility="causal", source=source)).last[:, 2:]
    torch.testing.assert_close(ours, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("context", ["every_step", "first_state"])
def test_without_attention_there_are_no_weights(context: str) -> None:
    backbone = seq2seq(attention="none", context=context)
    assert not backbone.has_cross_attention
    assert seq2seq().has_cross_attention
    with pytest.raises(SettingError, match=r"no attention \(backbone.attention = 'none'\)"):
        backbone.cross_attention_maps(inputs())


def test_without_attention_only_the_end_of_a_source_counts() -> None:
    """Sources that differ in front give other results only through the state at the end."""
    backbone = seq2seq(attention="none", bidirectional=False)
    memory = torch.randn(B, S, D, generator=torch.Generator().manual_seed(0))
    other = memory.clone()
    other[:, 0] += 1  # no source ends there but the third one, which has one token
    given = (Inputs(TEXT, source=inputs().source, memory=each) for each in (memory, other))
    ours, changed = (backbone(each).last for each in given)
    rows = [0, 1, 3]
    assert torch.equal(ours[rows], changed[rows])
    assert not torch.equal(ours[2], changed[2])


def test_one_vocabulary_has_one_table() -> None:
    shared, separate = seq2seq(None), seq2seq()
    assert shared.embedding is shared.encoder.embedding
    assert shared.embedding.shape == separate.embedding.shape == (V, E)
    assert separate.encoder.embedding.shape == (SOURCE_V, E)
    assert shared.arguments == {}
    assert separate.arguments == {"source_vocab_size": SOURCE_V}
    built = Seq2Seq.build(separate.config, V, **separate.arguments)
    assert {n: p.shape for n, p in built.named_parameters()} == {
        n: p.shape for n, p in separate.named_parameters()
    }
    assert len({name for name in shared.state_dict() if "vectors" in name}) == 1


def test_the_encoder_is_a_base_that_shares_its_weights() -> None:
    backbone = seq2seq()
    encoder = backbone.for_tasks
    assert isinstance(encoder, Recurrent)
    assert encoder.visibilities == {"full"}
    source = inputs().source
    assert torch.equal(encoder(source).last, backbone.encode(source))
    assert encoder.embedding is backbone.encoder.embedding


def test_freezing_as_many_layers_as_the_encoder_has_freezes_it() -> None:
    backbone = seq2seq(num_layers=2)
    layers = {name: backbone.layer_of(name) for name, _ in backbone.named_parameters()}
    encoder = {layer for name, layer in layers.items() if name.startswith("encoder.")}
    decoder = {layer for name, layer in layers.items() if name.startswith("decoder.")}
    assert (encoder, decoder) == ({0, 1, 2}, {3, 4})
    assert layers["own_tokens.vectors.weight"] == 0
    assert layers["decoder.attention.vector"] == 4


def test_dropout_is_of_training_only() -> None:
    backbone = seq2seq(dropout=0.5, num_layers=2)
    first, second = (backbone(inputs()).last for _ in range(2))
    assert not torch.equal(first, second)
    assert (first == 0).any()  # of the results, too
    backbone.eval()
    assert torch.equal(*(backbone(inputs()).last for _ in range(2)))


def test_it_translates_after_some_steps() -> None:
    """A text that is its source backwards, which needs the attention."""
    torch.manual_seed(0)
    config = Seq2Seq.Config(vector_size=16, dim=32, attention="dot", dropout=0.0)
    backbone, head = Seq2Seq(config, 12), nn.Linear(32, 12)
    optimizer = torch.optim.Adam([*backbone.parameters(), *head.parameters()], lr=0.02)
    for _ in range(80):
        source = torch.randint(1, 12, (32, 4))
        text = source.flip(1)
        shifted = F.pad(text[:, :-1], (1, 0))
        states = backbone(Inputs(shifted, visibility="causal", source=Inputs(source))).last
        logits = head(states)
        loss = F.cross_entropy(logits.flatten(0, 1), text.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (logits.argmax(-1) == text).float().mean() > 0.9


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"attention": "dot", "encoder_dim": 64}, "attention = 'dot' needs states of the source"),
        ({"attention": "dot", "attention_dim": 64}, "attention_dim would have no effect"),
        ({"attention": "none", "attention_dim": 8}, "attention_dim would have no effect"),
        ({"attention": "none", "input_feeding": True}, "input_feeding would have no effect"),
        ({"context": "first_state"}, "context would have no effect with attention = 'additive'"),
        ({"dim": 33}, "dim = 33 must be even"),
        ({"kind": "rnn"}, r"\[backbone\] kind = 'rnn'"),
    ],
)
def test_shapes_that_cannot_be(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        Seq2Seq.Config.checked(settings, "backbone")
