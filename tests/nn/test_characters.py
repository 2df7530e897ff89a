"""Features of words from their characters, against one word at a time."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.nn.characters import CharacterCNN, CharacterLSTM, largest_windows

NUM, DIM, E = 12, 5, 6
WORDS = [[3, 1, 4, 1, 5], [9, 2], [6], [], [9, 2], [5, 3, 5, 8, 9]]
KINDS = {"cnn": CharacterCNN, "lstm": CharacterLSTM}

WIDTHS = {1: 3, 3: 2, 4: 5}  # features of each


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


def example() -> tuple[Tensor, Tensor, list[Tensor]]:
    torch.manual_seed(0)
    lengths = torch.tensor([9, 2, 5, 5, 1, 0, 8])
    words = torch.randint(1, 50, (7, 9)) * (torch.arange(9) < lengths[:, None])
    vectors = torch.randn(50, 4, dtype=torch.float64)
    weights = [torch.randn(e, 4, w, dtype=torch.float64) for w, e in WIDTHS.items()]
    return words, vectors, weights


def by_convolution(words: Tensor, vectors: Tensor, weights: list[Tensor]) -> Tensor:
    x = F.embedding(words, vectors).masked_fill((words == 0)[..., None], 0).transpose(1, 2)
    maps = [F.conv1d(F.pad(x, (0, weight.shape[2])), weight) for weight in weights]
    return torch.cat([each.amax(2) for each in maps], 1)  # the last window holds nothing: 0


def test_it_is_convolution_and_maximum_with_the_same_gradients() -> None:
    words, vectors, weights = example()
    leaves = [each.requires_grad_() for each in (vectors, *weights)]
    found, wanted = (
        largest_windows(words, vectors, weights),
        by_convolution(words, vectors, weights),
    )
    assert torch.allclose(found, wanted, atol=1e-12)
    assert (wanted == 0).any(), "a word for which the empty window is the largest"
    into = torch.randn_like(wanted)
    ours = torch.autograd.grad((found * into).sum(), leaves)
    theirs = torch.autograd.grad((wanted * into).sum(), leaves)
    for own, their in zip(ours, theirs, strict=True):
        assert torch.allclose(own, their, atol=1e-12)


@pytest.mark.parametrize("extra", [1, 4])
def test_the_width_of_the_batch_makes_no_difference(extra: int) -> None:
    words, vectors, weights = example()
    wider = largest_windows(F.pad(words, (0, extra)), vectors, weights)
    assert torch.equal(wider, largest_windows(words, vectors, weights))


def test_the_order_of_words_makes_no_difference() -> None:
    words, vectors, weights = example()
    order = torch.randperm(len(words))
    assert torch.equal(
        largest_windows(words[order], vectors, weights),
        largest_windows(words, vectors, weights)[order],
    )


def test_weights_in_bfloat16_are_summed_exactly() -> None:
    words, vectors, weights = example()
    half = [each.to(torch.bfloat16) for each in (vectors, *weights)]
    found = largest_windows(words, half[0], half[1:])
    wanted = largest_windows(words, half[0].float(), [each.float() for each in half[1:]])
    assert found.dtype == torch.bfloat16
    assert torch.equal(found, wanted.to(torch.bfloat16))
