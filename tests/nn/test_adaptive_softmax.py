"""The adaptive softmax against torch's own, in values and gradients, and against its definition."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from foretext.base.errors import SettingError
from foretext.nn import adaptive_softmax as module
from foretext.nn.adaptive_softmax import AdaptiveSoftmax, usual_cutoffs

D, V, CUTOFFS = 32, 60, (10, 25)


def twins(div_value: float = 4.0) -> tuple[AdaptiveSoftmax, nn.AdaptiveLogSoftmaxWithLoss]:
    """Ours and torch's, with the same weights."""
    torch.manual_seed(1)
    ours = AdaptiveSoftmax(D, V, CUTOFFS, div_value=div_value)
    theirs = nn.AdaptiveLogSoftmaxWithLoss(D, V, list(CUTOFFS), div_value=div_value)
    with torch.no_grad():
        theirs.head.weight.copy_(torch.cat((ours.words, ours.clusters)))
        for tail, their_tail in zip(ours.tails, theirs.tail, strict=True):
            for parameter, other in zip(tail.parameters(), their_tail.parameters(), strict=True):
                other.copy_(parameter)
    return ours, theirs


def states(rows: int = 50) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(2)
    hidden = 3 * torch.randn(rows, D, generator=generator)
    return hidden.requires_grad_(), torch.randint(V, (rows,), generator=generator)


@pytest.mark.parametrize("div_value", [2.0, 4.0])
def test_equals_torchs_in_loss_and_gradients(div_value: float) -> None:
    ours, theirs = twins(div_value)
    hidden, targets = states()
    loss = ours.score(hidden, targets).loss
    reference = -theirs(hidden, targets).output.sum()
    torch.testing.assert_close(loss, reference, rtol=1e-5, atol=0)
    (ours_at_states,) = torch.autograd.grad(loss, hidden, retain_graph=True)
    (theirs_at_states,) = torch.autograd.grad(reference, hidden, retain_graph=True)
    torch.testing.assert_close(ours_at_states, theirs_at_states, rtol=1e-4, atol=1e-5)
    loss.backward()
    reference.backward()
    head = torch.cat((ours.words.grad, ours.clusters.grad))
    torch.testing.assert_close(head, theirs.head.weight.grad, rtol=1e-4, atol=1e-5)
    for tail, other in zip(ours.tails.parameters(), theirs.tail.parameters(), strict=True):
        torch.testing.assert_close(tail.grad, other.grad, rtol=1e-4, atol=1e-5)


def test_gives_every_word_torchs_probability() -> None:
    ours, theirs = twins()
    hidden, _ = states()
    log_probs = ours.log_probs(hidden)
    torch.testing.assert_close(log_probs, theirs.log_prob(hidden), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(log_probs.exp().sum(1), torch.ones(len(hidden)))
    torch.testing.assert_close(ours(hidden.unflatten(0, (5, 10)))[3, 4], log_probs[34])


@pytest.mark.parametrize("chunk_bytes", [1, 1000, 1 << 25])
def test_measures_the_same_loss_and_counts_right_answers(monkeypatch, chunk_bytes: int) -> None:
    monkeypatch.setattr(module, "CHUNK_BYTES", chunk_bytes)
    ours, theirs = twins()
    hidden, targets = states()
    targets[:20] = theirs.predict(hidden[:20])
    learning = ours.score(hidden, targets)
    assert learning.num_correct is None
    with torch.no_grad():
        measured = ours.score(hidden, targets)
    torch.testing.assert_close(measured.loss, learning.loss.detach(), rtol=1e-5, atol=0)
    assert int(measured.num_correct) == int((theirs.predict(hidden) == targets).sum()) >= 20


def test_by_hand() -> None:
    """Words 0 and 1 in the head, 2 and 3 in a cluster that sees one number of the state."""
    ours = AdaptiveSoftmax(2, 4, [2], div_value=2)
    with torch.no_grad():
        ours.words.copy_(torch.tensor([[math.log(2), 0.0], [0.0, 0.0]]))
        ours.clusters.copy_(torch.tensor([[0.0, 0.0]]))
        ours.tails[0][0].weight.copy_(torch.tensor([[0.0, 1.0]]))
        ours.tails[0][1].weight.copy_(torch.tensor([[math.log(3)], [0.0]]))
    chances = ours.log_probs(torch.tensor([[1.0, 1.0]])).exp()
    # The head gives 2 : 1 : 1, and the cluster shares its quarter as 3 : 1.
    torch.testing.assert_close(chances, torch.tensor([[1 / 2, 1 / 4, 3 / 16, 1 / 16]]))


def test_a_cluster_without_targets_costs_and_learns_nothing() -> None:
    ours, _ = twins()
    hidden, _ = states(rows=4)
    ours.score(hidden, torch.tensor([0, 9, 10, 11])).loss.backward()
    assert ours.tails[0][1].weight.grad.any()
    assert not ours.tails[1][1].weight.grad.any()


def test_tied_words_are_the_first_token_vectors() -> None:
    vectors = nn.Parameter(torch.randn(V, D))
    tied = AdaptiveSoftmax(D, V, CUTOFFS, tied=vectors)
    untied = AdaptiveSoftmax(D, V, CUTOFFS)
    untied.load_state_dict({**tied.state_dict(), "words": vectors[: CUTOFFS[0]]})
    hidden, targets = states()
    tied_loss = tied.score(hidden, targets).loss
    untied_loss = untied.score(hidden, targets).loss
    torch.testing.assert_close(tied_loss, untied_loss)
    (tied_loss + untied_loss).backward()
    assert tied.words is vectors
    torch.testing.assert_close(vectors.grad[: CUTOFFS[0]], untied.words.grad)
    assert not vectors.grad[CUTOFFS[0] :].any()


def test_learns_in_half_precision() -> None:
    ours, _ = twins()
    hidden, targets = states()
    exact = ours.score(hidden, targets).loss
    halved = ours.bfloat16()
    loss = halved.score(hidden.detach().bfloat16(), targets).loss
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, exact, rtol=1e-2, atol=0)
    loss.backward()
    assert halved.clusters.grad.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("vocab_size", "cutoffs"),
    [(2, [1]), (10_000, [2_000]), (20_001, [2_000, 5_000]), (100_000, [5_000, 25_000])],
)
def test_cutoffs_follow_from_the_vocabulary(vocab_size: int, cutoffs: list[int]) -> None:
    assert usual_cutoffs(vocab_size) == cutoffs
    with torch.device("meta"):
        assert AdaptiveSoftmax(8, vocab_size, cutoffs).cutoffs == tuple(cutoffs)


@pytest.mark.parametrize("cutoffs", [[], [0], [5, 5], [7, 3]])
def test_cutoffs_must_increase(cutoffs: list[int]) -> None:
    with pytest.raises(SettingError, match="in increasing order"):
        AdaptiveSoftmax(D, V, cutoffs)


def test_cutoffs_must_be_in_the_vocabulary() -> None:
    with pytest.raises(SettingError, match="the vocabulary has 60 tokens"):
        AdaptiveSoftmax(D, V, [10, 60])
