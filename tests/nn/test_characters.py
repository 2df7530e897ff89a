"""Features of words from their characters, against one word at a time."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from foretext.nn.characters import CharacterCNN, CharacterLSTM

NUM, DIM, E = 12, 5, 6
WORDS = [[3, 1, 4, 1, 5], [9, 2], [6], [], [9, 2], [5, 3, 5, 8, 9]]
KINDS = {"cnn": CharacterCNN, "lstm": CharacterLSTM}


def encoder(kind: str) -> CharacterCNN | CharacterLSTM:
    torch.manual_seed(0)
    made = KINDS[kind](NUM, DIM, E)
    for parameter in made.parameters():
        nn.init.normal_(parameter)
    return made


def padded(words: list[list[int]], width: int) -> Tensor:
    """(2, 3, K) ids of six words."""
    rows = [word + [0] * (width - len(word)) for word in words]
    return torch.tensor(rows).view(2, 3, width)


def cnn_of(word: list[int], made: CharacterCNN) -> Tensor:
    """The largest over windows of three, zeros around the word."""
    weight, bias = made.convolution.weight, made.convolution.bias
    zero = torch.zeros(1, DIM)
    x = torch.cat((zero, made.vectors.weight[word], zero))
    sums = [
        torch.stack([(weight[e] * x[i : i + 3].T).sum() + bias[e] for e in range(E)])
        for i in range(len(word))
    ]
    return torch.tanh(torch.stack(sums)).amax(0)


def lstm_of(word: list[int], made: CharacterLSTM) -> Tensor:
    """The last states of PyTorch's LSTM of two directions."""
    network = nn.LSTM(DIM, E // 2, bidirectional=True)
    readers = ((made.layer.rightward, "_l0"), (made.layer.leftward, "_l0_reverse"))
    network.load_state_dict(
        {
            name + suffix: parameter
            for reader, suffix in readers
            if reader is not None
            for name, parameter in reader.named_parameters()
        }
    )
    _, (last, _) = network(made.vectors.weight[word])
    return last.flatten()


@pytest.mark.parametrize("kind", KINDS)
def test_features_are_those_of_each_word_alone(kind: str) -> None:
    made = encoder(kind)
    features = made(padded(WORDS, 5)).flatten(0, 1)
    assert features.shape == (6, E)
    for word, found in zip(WORDS, features, strict=True):
        if not word:
            assert not found.any()
        elif isinstance(made, CharacterCNN):
            torch.testing.assert_close(found, cnn_of(word, made))
        else:
            torch.testing.assert_close(found, lstm_of(word, made))


@pytest.mark.parametrize("kind", KINDS)
def test_room_for_longer_words_changes_nothing(kind: str) -> None:
    """Neither features nor gradients; and the id that is none learns nothing."""
    gradients = []
    for width in (5, 9):
        made = encoder(kind)
        features = made(padded(WORDS, width))
        (features * torch.arange(1.0, E + 1)).sum().backward()
        gradients.append([parameter.grad for parameter in made.parameters()])
        assert made.vectors.weight.grad is not None
        assert not made.vectors.weight.grad[0].any()
        assert made.vectors.weight.grad[9].any()
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_that_comes_twice_counts_twice(kind: str) -> None:
    made = encoder(kind)
    once = torch.autograd.grad(made(padded(WORDS, 5))[0, 1].sum(), made.vectors.weight)[0]
    features = made(padded(WORDS, 5))
    twice = features[0, 1].sum() + features[1, 1].sum()
    torch.testing.assert_close(torch.autograd.grad(twice, made.vectors.weight)[0], 2 * once)
