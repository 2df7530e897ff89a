"""The head with its loss against torch's own, in values, gradients and memory."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from foretext.nn import linear_cross_entropy as module
from foretext.nn.linear_cross_entropy import linear_cross_entropy, sampled_cross_entropy


def inputs(dtype: torch.dtype, rows: int = 37, words: int = 101, dim: int = 24) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(rows, dim), (words, dim), (words,)]
    tensors = [torch.randn(shape, generator=generator).to(dtype) for shape in shapes]
    return [tensor.requires_grad_() for tensor in tensors]


def plain(
    states: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, smoothing: float = 0.0
) -> Tensor:
    logits = F.linear(states, weight, bias).float()
    return F.cross_entropy(logits, targets, reduction="sum", label_smoothing=smoothing)


def gradients(loss: Tensor, tensors: list[Tensor]) -> list[Tensor]:
    return [gradient.float() for gradient in torch.autograd.grad(loss / 7, tensors)]


@pytest.mark.parametrize("chunk_bytes", [1, 4000, 1 << 25])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_equals_the_plain_formula(monkeypatch, chunk_bytes, dtype, with_bias, smoothing) -> None:
    monkeypatch.setattr(module, "CHUNK_BYTES", chunk_bytes)
    tensors = inputs(dtype)[: 3 if with_bias else 2]
    states, weight, bias = (*tensors, None)[:3]
    targets = torch.arange(37) * 2
    loss, correct = linear_cross_entropy(states, weight, bias, targets, smoothing)
    reference = plain(states, weight, bias, targets, smoothing)
    near = {"rtol": 2e-2, "atol": 2e-2} if dtype == torch.bfloat16 else {"rtol": 1e-4, "atol": 1e-5}
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, reference, rtol=near["rtol"] / 10, atol=0)
    for ours, theirs in zip(gradients(loss, tensors), gradients(reference, tensors), strict=True):
        torch.testing.assert_close(ours, theirs, **near)
    hits = (F.linear(states, weight, bias).argmax(-1) == targets).sum()
    assert abs(int(correct) - int(hits)) <= (dtype == torch.bfloat16)


def test_half_precision_is_as_near_to_the_truth_as_torchs() -> None:
    tensors = inputs(torch.bfloat16, rows=200, words=1000)
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    targets = torch.arange(200)
    truth = torch.autograd.grad(F.cross_entropy(F.linear(*exact), targets, reduction="sum"), exact)
    ours = torch.autograd.grad(linear_cross_entropy(*tensors, targets)[0], tensors)
    theirs = torch.autograd.grad(plain(*tensors, targets), tensors)
    for mine, other, true in zip(ours, theirs, truth, strict=True):
        assert (mine - true).norm() < 1.1 * (other - true).norm()


@pytest.mark.filterwarnings("ignore:Input #:UserWarning")  # float32 is meant
def test_gradients_are_those_of_differences() -> None:
    tensors = inputs(torch.float64, rows=3, words=5, dim=4)
    targets = torch.tensor([0, 4, 2])
    assert torch.autograd.gradcheck(lambda *t: linear_cross_entropy(*t, targets)[0], tensors)
    tensors = inputs(torch.float32, rows=3, words=5, dim=4)
    for smoothing in (0.0, 0.3):
        assert torch.autograd.gradcheck(
            lambda *t, share=smoothing: linear_cross_entropy(*t, targets, share)[0],
            tensors,
            eps=1e-2,
            atol=2e-2,
            rtol=2e-2,
        )


def test_parameters_keep_their_precision() -> None:
    _, weight, bias = inputs(torch.float32)
    states = inputs(torch.bfloat16)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss, _ = linear_cross_entropy(states, weight, bias, torch.arange(37))
    loss.backward()
    assert states.grad is not None
    assert weight.grad is not None
    assert (states.grad.dtype, weight.grad.dtype) == (torch.bfloat16, torch.float32)


def test_no_gradient_where_none_is_asked() -> None:
    states, weight, bias = inputs(torch.float32)
    targets = torch.arange(37)
    with torch.no_grad():
        loss, _ = linear_cross_entropy(states, weight, bias, targets)
    assert not loss.requires_grad
    torch.testing.assert_close(loss, plain(states, weight, bias, targets).detach())
    frozen = weight.detach()
    linear_cross_entropy(states, frozen, None, targets)[0].backward()
    assert states.grad is not None


def test_nothing_asked_gives_zero() -> None:
    tensors = inputs(torch.float32, rows=0)
    loss, correct = linear_cross_entropy(*tensors, torch.arange(0))
    loss.backward()
    assert (float(loss.detach()), int(correct)) == (0, 0)
    assert all(tensor.grad is not None and not tensor.grad.any() for tensor in tensors)


def test_words_beyond_the_vocabulary_are_refused() -> None:
    with pytest.raises(IndexError, match="targets from 0 to 101 for 101 words"):
        linear_cross_entropy(*inputs(torch.float32, rows=2), torch.tensor([0, 101]))


def test_two_runs_give_the_same_bits() -> None:
    tensors = inputs(torch.bfloat16, rows=300, words=2000)
    targets = torch.arange(300)
    first, second = (
        [*torch.autograd.grad(linear_cross_entropy(*tensors, targets)[0], tensors)]
        for _ in range(2)
    )
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_ids_are_drawn_by_the_given_numbers(monkeypatch, dtype) -> None:
    monkeypatch.setattr(module, "CHUNK_BYTES", 4000)
    states, weight, bias = inputs(dtype)
    targets, draws = torch.arange(37), torch.linspace(0, 0.999, 37)
    loss, correct, drawn = sampled_cross_entropy(states, weight, bias, targets, draws)
    sums = F.linear(states, weight, bias).softmax(-1).cumsum(-1)
    expected = (sums <= draws[:, None].to(dtype)).sum(-1)
    assert torch.equal(drawn, expected)
    plain_loss, plain_correct = linear_cross_entropy(states, weight, bias, targets)
    assert torch.equal(loss, plain_loss)
    assert torch.equal(correct, plain_correct)
    found = torch.autograd.grad(loss, (states, weight, bias))
    same = torch.autograd.grad(plain_loss, (states, weight, bias))
    assert all(torch.equal(one, other) for one, other in zip(found, same, strict=True))


def test_nothing_is_drawn_without_numbers() -> None:
    states, weight, bias = inputs(torch.float32)
    drawn = sampled_cross_entropy(states, weight, bias, torch.arange(37), torch.empty(0))[2]
    assert drawn.shape == (0,)
