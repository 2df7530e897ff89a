"""ELMo's network: equal to plain PyTorch with the same weights, and no state sees its answer."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.backbones.elmo import Elmo
from foretext.data.batch import Inputs
from foretext.tokenizers.alphabet import spelled

WORDS = ["[PAD]", "[UNK]", "[SEP]", "the", "cat", "sleeps", "extraordinarily", "字"]
CONFIG = {"dim": 6, "widths": [1, 2, 3], "features": [4, 5, 6], "dropout": 0.0}
DIM = 6  # of each direction
NAMES = ("input", "forget", "output")  # of gates


def network(**settings: object) -> Elmo:
    torch.manual_seed(0)
    made = Elmo(Elmo.Config(**{**CONFIG, **settings}), len(WORDS))  # type: ignore[arg-type]
    made.spell(WORDS)
    with torch.no_grad():  # biases of zero would hide a twin that forgets them
        made.words.bias.normal_()
        for norm in (made.words.norm, made.words.feature_norm):
            for weight in norm.parameters():
                weight.normal_()
    return made.eval()


def inputs_of(*rows: list[int]) -> Inputs:
    width = max(map(len, rows))
    ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    mask = torch.tensor([[place < len(row) for place in range(width)] for row in rows])
    return Inputs(ids, None if mask.all() else mask, visibility="split")


class Twin(nn.Module):
    """The same by PyTorch's own modules, row by row and word by word."""

    def __init__(self, ours: Elmo) -> None:
        super().__init__()
        self.ours = ours
        self.convolutions = nn.ModuleList()
        for width, features in zip(ours.config.widths, ours.config.features, strict=True):
            self.convolutions.append(nn.Conv1d(16, features, width, bias=False))
        for made, weight in zip(self.convolutions, ours.words.windows, strict=True):
            made.weight = nn.Parameter(weight.detach().clone())
        self.stacks = [self._stack("rightward"), self._stack("leftward")]

    def _stack(self, side: str) -> list[nn.LSTM]:
        layers = []
        for block in self.ours.blocks:
            reader = getattr(block, side)
            layer = nn.LSTM(DIM, reader.dim, batch_first=True)
            layer.load_state_dict({f"{n}_l0": p for n, p in reader.named_parameters()})
            layers.append(layer)
        return layers

    def word(self, text: str) -> Tensor:
        """The vector of a word, by convolutions over its bytes."""
        ids = torch.from_numpy(spelled([text])).long()
        ids = ids[:, : int((ids > 0).sum())]
        characters = self.ours.words.vectors(ids).transpose(1, 2)  # (1, 16, K)
        found = []
        for convolution in self.convolutions:
            maps = convolution(F.pad(characters, (0, convolution.kernel_size[0] - 1)))
            found.append(maps.amax(2).clamp(min=0))
        x = F.relu(torch.cat(found, 1) + self.ours.words.bias)
        if self.ours.config.word_norms:
            norm = self.ours.words.feature_norm
            x = F.layer_norm(x, x.shape[1:], norm.weight, norm.bias)
        for highway in self.ours.words.highways:
            made, gate = F.linear(x, highway.linear.weight, highway.linear.bias).chunk(2, 1)
            x = torch.sigmoid(gate) * F.relu(made) + (1 - torch.sigmoid(gate)) * x
        x = F.linear(x, self.ours.words.projection.weight, self.ours.words.projection.bias)
        if self.ours.config.word_norms:
            norm = self.ours.words.norm
            x = F.layer_norm(x, x.shape[1:], norm.weight, norm.bias)
        return x[0]

    def row(self, words: list[str]) -> list[Tensor]:
        """The states of a row, (T, D), by layer."""
        x = torch.stack([self.word(word) for word in words])
        sides = []
        for number, stack in enumerate(self.stacks):
            state = x if number == 0 else x.flip(0)
            layers = [state]
            for layer, lstm in enumerate(stack):
                made = lstm(state[None])[0][0]
                projection = self.ours.blocks[layer].projections[number]
                made = projection(made)
                state = made + state if layer and self.ours.config.residual else made
                layers.append(state)
            sides.append(layers if number == 0 else [each.flip(0) for each in layers])
        return [torch.cat(both, -1) for both in zip(*sides, strict=True)]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"word_norms": False, "cell_dim": 10},
        {"residual": False, "num_layers": 3},
        {"num_highways": 0},
    ],
    ids=["usual", "paper", "without residuals", "without highways"],
)
def test_it_is_what_plain_modules_compute(settings: dict[str, object]) -> None:
    ours = network(**settings)
    rows = [[2, 3, 4, 5, 2], [2, 6, 7], [4]]
    states = ours(inputs_of(*rows), keep_layers=True)
    twin = Twin(ours)
    assert len(states.layers) == ours.num_layers + 1
    for place, row in enumerate(rows):
        wanted = twin.row([WORDS[token] for token in row])
        for layer, expected in zip(states.layers, wanted, strict=True):
            assert torch.allclose(layer[place, : len(row)], expected, atol=1e-5)
    assert torch.equal(states.last, states.layers[-1])


def test_no_state_sees_the_word_that_it_predicts() -> None:
    """Another word at t changes no left half before t, and no right half after t, in any layer."""
    ours, row, t = network(num_layers=3), [2, 3, 4, 5, 6, 2], 3
    before = ours(inputs_of(row), keep_layers=True).layers
    after = ours(inputs_of([*row[:t], 7, *row[t + 1 :]]), keep_layers=True).layers
    for old, new in zip(before, after, strict=True):
        changed = ((old - new).abs() > 1e-6)[0]  # (T, D), by more than rounding
        assert not changed[:t, :DIM].any()
        assert not changed[t + 1 :, DIM:].any()
    assert changed[t:, :DIM].any(1).all(), "what follows does see it, from the left"
    assert changed[: t + 1, DIM:].any(1).all(), "what precedes does, from the right"


def test_padding_has_no_effect() -> None:
    ours = network()
    alone = ours(inputs_of([2, 3, 4])).last
    beside = ours(inputs_of([2, 3, 4], [2, 3, 4, 5, 6, 2])).last
    assert torch.allclose(alone[0], beside[0, :3], atol=1e-6)


def test_an_unknown_word_is_read_by_its_spelling() -> None:
    """Also one with characters that no word of the vocabulary has."""
    ours = network()
    V = len(WORDS)
    spelling = torch.from_numpy(spelled(["cat", "😀", "Katze"]))
    unseen = replace(inputs_of([2, V, V + 1, V + 2]), spelling=spelling)
    states = ours(unseen).last[0]
    twin = Twin(ours).row(["[SEP]", "cat", "😀", "Katze"])[-1]
    assert torch.allclose(states, twin, atol=1e-5)
    known = ours(replace(inputs_of([2, 4, V + 1, V + 2]), spelling=spelling)).last[0]
    assert torch.equal(states, known), "the word is in the vocabulary, too"


def test_ids_without_a_spelling_are_refused() -> None:
    with pytest.raises(AssertionError, match="spelling"):
        network()(inputs_of([2, len(WORDS)]))


def test_copies_and_fresh_weights_keep_the_spelling() -> None:
    ours = network()
    fresh = ours.reinitialised()
    assert torch.equal(fresh.spellings, ours.spellings)
    assert not torch.equal(fresh.embedding, ours.embedding)
    assert torch.equal(copy.deepcopy(ours)(inputs_of([2, 3])).last, ours(inputs_of([2, 3])).last)
    assert "spellings" not in ours.state_dict(), "the tokenizer's file has the words"


def test_parameters_belong_to_layers() -> None:
    ours = network()
    layers = {name: ours.layer_of(name) for name, _ in ours.named_parameters()}
    assert {layer for name, layer in layers.items() if name.startswith("words.")} == {0}
    assert layers["blocks.0.leftward.weight_ih"] == 1
    assert layers["blocks.1.rightward.weight_hh"] == 2


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"widths": [1, 2]}, "each width has a number"),
        ({"widths": [1, 1, 2]}, "names one twice"),
        ({"widths": [], "features": []}, "at least 1 item"),
    ],
)
def test_widths_that_do_not_fit_are_refused(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Elmo.Config(**{**CONFIG, **settings})  # type: ignore[arg-type]


@pytest.mark.parametrize("cell_dim", [None, 9])
def test_states_follow_from_the_gates(cell_dim: int | None) -> None:
    backbone = network(cell_dim=cell_dim, num_layers=2)
    inputs = inputs_of([3, 4, 5, 6])
    states = backbone(inputs, keep_layers=True).layers
    for layer, gates in enumerate(backbone.gates(inputs)):
        assert set(gates) == {(side, name) for side in ("left", "right") for name in NAMES}
        block = backbone.blocks[layer]
        for side, reader, projection in zip(
            ("left", "right"), (block.rightward, block.leftward), block.projections, strict=True
        ):
            half = slice(0, DIM) if side == "left" else slice(DIM, 2 * DIM)
            turned = (lambda x: x) if side == "left" else (lambda x: x.flip(1))
            read, made = (turned(states[number][..., half]) for number in (layer, layer + 1))
            opened = {name: turned(gates[side, name]) for name in NAMES}
            rows = slice(2 * reader.dim, 3 * reader.dim)  # of the candidate
            h = c = torch.zeros(1, reader.dim)
            for t in range(4):
                own = read[:, t] @ reader.weight_ih[rows].T + reader.bias_ih[rows]
                kept = h @ reader.weight_hh[rows].T + reader.bias_hh[rows]
                c = opened["forget"][:, t] * c + opened["input"][:, t] * (own + kept).tanh()
                h = opened["output"][:, t] * c.tanh()
                found = projection(h) + (read[:, t] if layer else 0)
                torch.testing.assert_close(found, made[:, t], atol=1e-5, rtol=1e-5)
