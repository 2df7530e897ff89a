from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
import torch
from torch import Tensor

from foretext.kernels import crf as kernels
from foretext.metrics import SCHEMES, Scheme, violations
from foretext.nn import crf as chain_loss
from foretext.nn.crf import CRF, Chain, log_partition, path_score, real_tokens

TAGS = {
    "IOB1": ("O", "B-X", "I-X", "I-Y"),
    "IOB2": ("O", "B-X", "I-X", "B-Y"),
    "IOE1": ("O", "E-X", "I-X", "I-Y"),
    "IOE2": ("O", "E-X", "I-X", "E-Y"),
    "BIOES": ("O", "B-X", "I-X", "E-X", "S-X"),
    "BILOU": ("O", "B-X", "I-X", "L-X", "U-X"),
    "BMEWO": ("B", "M", "E", "W"),
    "BMES": ("B", "M", "E", "S"),
}


def model(num_tags: int, seed: int = 0) -> CRF:
    """Return a CRF whose scores are far from equal."""
    torch.manual_seed(seed)
    crf = CRF(num_tags)
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter)
    return crf


def batch(
    sentences: int, length: int, num_tags: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor]:
    """Emissions, tags, and a mask with holes and an empty sentence."""
    torch.manual_seed(1)
    mask = torch.rand(sentences, length) < 0.7
    mask[0], mask[-1] = True, False
    emissions = torch.randn(sentences, length, num_tags, dtype=dtype) * 2
    return emissions, torch.randint(0, num_tags, (sentences, length)), mask


def all_paths(crf: CRF, emissions: Tensor) -> dict[tuple[int, ...], float]:
    """The score of every path through one sentence (T, C)."""
    T, C = emissions.shape
    return {
        path: float(
            crf.start[path[0]]
            + crf.end[path[-1]]
            + sum(emissions[t, tag] for t, tag in enumerate(path))
            + sum(crf.transitions[a, b] for a, b in itertools.pairwise(path))
        )
        for path in itertools.product(range(C), repeat=T)
    }


@torch.no_grad()
def test_against_all_paths() -> None:
    crf = model(3)
    emissions, tags, mask = batch(4, 4, 3)
    loss, marginals = 0.0, torch.zeros(4, 4, 3)
    best: list[list[int]] = []
    logs = torch.zeros(4)
    for b in range(4):
        real = mask[b].nonzero()[:, 0]
        if not len(real):
            best.append([])
            continue
        scores = all_paths(crf, emissions[b, real])
        total = float(np.logaddexp.reduce(list(scores.values())))
        loss += total - scores[tuple(tags[b, real].tolist())]
        best.append(list(max(scores, key=scores.__getitem__)))
        logs[b] = max(scores.values()) - total
        for path, score in scores.items():
            marginals[b, real, list(path)] += np.exp(score - total)
    assert crf.loss(emissions, tags, mask).item() == pytest.approx(loss, rel=1e-5)
    assert crf.decode(emissions, mask) == best
    torch.testing.assert_close(crf.best_log_probabilities(emissions, mask), logs)
    torch.testing.assert_close(crf.marginals(emissions, mask), marginals)


def test_gradients_by_differences() -> None:
    crf = model(3).double()
    emissions, tags, mask = batch(3, 4, 3, torch.float64)

    def loss(emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> Tensor:
        return chain_loss.negative_log_likelihood(
            emissions, Chain(transitions, start, end), tags, mask
        )

    inputs = (emissions.requires_grad_(), crf.transitions, crf.start, crf.end)
    assert torch.autograd.gradcheck(loss, inputs)


@pytest.mark.parametrize("num_tags", [1, 2, 8, 9, 25])
@pytest.mark.parametrize("length", [1, 7])
def test_the_kernel_and_torch_agree(num_tags: int, length: int) -> None:
    crf = model(num_tags)
    emissions, tags, mask = batch(20, length, num_tags)
    emissions.requires_grad_()
    chain = crf._chain()
    slow = (log_partition(emissions, chain, mask) - path_score(emissions, chain, tags, mask)).sum()
    fast = crf.loss(emissions, tags, mask)
    torch.testing.assert_close(fast, slow)
    parameters = [emissions, *crf.parameters()]
    expected = torch.autograd.grad(slow, parameters)
    found = torch.autograd.grad(fast * 3, parameters)
    for gradient, other in zip(found, expected, strict=True):
        torch.testing.assert_close(gradient, other * 3, rtol=1e-4, atol=1e-4)


def test_equals_pytorch_crf() -> None:
    torchcrf = pytest.importorskip("torchcrf")
    crf, peer = model(5), torchcrf.CRF(5, batch_first=True)
    with torch.no_grad():
        for name, value in (("start_", crf.start), ("end_", crf.end), ("", crf.transitions)):
            getattr(peer, f"{name}transitions").copy_(value)
    emissions, tags, _ = batch(6, 9, 5)
    mask = torch.arange(9) < torch.tensor([9, 1, 4, 8, 2, 6])[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its masks, which are uint8
        assert -peer(emissions, tags, mask).item() == pytest.approx(
            crf.loss(emissions, tags, mask).item(), rel=1e-5
        )
        assert peer.decode(emissions, mask) == crf.decode(emissions, mask)


def test_what_stands_at_padding_does_not_matter() -> None:
    crf = model(4)
    emissions, tags, mask = batch(5, 6, 4)
    spoiled = torch.where(mask[:, :, None], emissions, torch.nan)
    changed = torch.where(mask, tags, -100)
    spoiled.requires_grad_()
    loss = crf.loss(spoiled, changed, mask)
    assert loss.item() == crf.loss(emissions, tags, mask).item()
    assert crf.decode(spoiled, mask) == crf.decode(emissions, mask)
    loss.backward()
    assert spoiled.grad is not None
    assert (spoiled.grad[~mask] == 0).all()
    assert crf.marginals(spoiled, mask)[~mask].sum() == 0


def test_a_full_mask_is_no_mask() -> None:
    crf = model(4)
    emissions, tags, mask = batch(5, 6, 4)
    full = torch.ones_like(mask)
    assert crf.loss(emissions, tags, full).item() == crf.loss(emissions, tags).item()
    assert crf.decode(emissions, full) == crf.decode(emissions)
    torch.testing.assert_close(crf.marginals(emissions), crf.marginals(emissions, full))


@pytest.mark.parametrize("size", [400.0, 5000.0])
def test_scores_of_any_size(size: float) -> None:
    """Beyond e**700 the kernel's weights vanish, and torch takes over."""
    crf = model(3).double()
    with torch.no_grad():
        crf.transitions.copy_(
            torch.tensor([[0.0, -9.0, -2 * size], [1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
        )
    emissions = torch.tensor([[[0.0, -size, -size], [-size, -size, 0.0]]], dtype=torch.float64)
    emissions.requires_grad_()
    tags = torch.tensor([[0, 2]])
    chain = crf._chain()
    loss = crf.loss(emissions, tags)
    slow = log_partition(emissions, chain, None) - path_score(emissions, chain, tags, None)
    assert loss.item() == pytest.approx(slow.sum().item(), abs=1e-6)
    (gradient,) = torch.autograd.grad(loss, emissions)
    (expected,) = torch.autograd.grad(slow.sum(), emissions)
    torch.testing.assert_close(gradient, expected)
    onehot = torch.nn.functional.one_hot(tags, 3)
    torch.testing.assert_close(crf.marginals(emissions).double() - onehot, expected)


def test_weights_that_vanish_are_told() -> None:
    scores = np.array([[0.0, -5000.0], [-5000.0, 0.0]])
    transitions = np.array([[0.0, -np.inf], [0.0, 0.0]])
    found = kernels.expectations(scores, transitions, np.array([0, 2]))
    assert np.isnan(found.log_partition)


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_the_scheme_forbids_never_happens(scheme: Scheme) -> None:
    tags = TAGS[scheme]
    torch.manual_seed(0)
    crf = CRF(len(tags), tags, scheme)
    emissions = torch.randn(50, 6, len(tags)) * 5
    for path in crf.decode(emissions):
        assert violations([tags[tag] for tag in path], scheme) == []
    allowed = [
        path
        for path in itertools.product(range(len(tags)), repeat=6)
        if not violations([tags[tag] for tag in path], scheme)
    ]
    paths = torch.tensor(allowed)
    with torch.no_grad():
        scores = path_score(emissions[:1].expand(len(paths), -1, -1), crf._chain(), paths, None)
        losses = torch.stack([crf.loss(emissions[:1], path[None]) for path in paths[:50]])
        torch.testing.assert_close(
            torch.logsumexp(scores, 0) - scores[:50], losses, atol=1e-3, rtol=1e-4
        )


def test_right_tags_that_the_scheme_forbids_are_refused() -> None:
    crf = CRF(3, ("O", "B-X", "I-X"), "IOB2")
    with pytest.raises(ValueError, match="the scheme forbids the tags of a sentence: convert them"):
        crf.loss(torch.zeros(1, 2, 3), torch.tensor([[0, 2]]))


def test_forbidden_steps_learn_nothing() -> None:
    crf = CRF(3, ("O", "B-X", "I-X"), "IOB2")
    crf.loss(torch.randn(4, 5, 3), torch.zeros(4, 5, dtype=torch.int64)).backward()
    assert crf.transitions.grad is not None
    assert crf.transitions.grad[0, 2] == 0
    assert crf.transitions.grad[0, 0] != 0


def test_half_precision_is_widened() -> None:
    crf = model(4)
    emissions, tags, _ = batch(3, 5, 4)
    half = emissions.bfloat16().requires_grad_()
    loss = crf.loss(half, tags)
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(crf.loss(half.float(), tags).item())
    loss.backward()
    assert half.grad is not None
    assert half.grad.dtype == torch.bfloat16


def test_threads_do_not_change_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    crf = model(9)
    emissions, tags, mask = batch(40, 12, 9)
    alone = crf.loss(emissions, tags, mask).item(), crf.decode(emissions, mask)
    monkeypatch.setattr("foretext.nn.crf.WORTH_A_TEAM", 1)
    assert (crf.loss(emissions, tags, mask).item(), crf.decode(emissions, mask)) == alone


def test_it_learns() -> None:
    torch.manual_seed(0)
    crf = CRF(3)
    tags = torch.tensor([[0, 1, 2, 0, 1, 2]]).repeat(4, 1)
    emissions = torch.zeros(4, 6, 3)
    optimizer = torch.optim.SGD(crf.parameters(), lr=0.1)
    for _ in range(60):
        optimizer.zero_grad()
        crf.loss(emissions, tags).backward()
        optimizer.step()
    assert crf.decode(emissions[:1]) == [[0, 1, 2, 0, 1, 2]]


def test_no_gradient_is_found_where_none_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def spy(*args: object, **options: object) -> kernels.Expectations:
        asked.append(options["learns"])
        return kernels.expectations(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(chain_loss, "expectations", spy)
    crf = model(3)
    emissions, tags, _ = batch(2, 3, 3)
    with torch.no_grad():
        crf.loss(emissions, tags)
    crf.loss(emissions, tags)
    assert asked == [False, True]


def test_real_tokens_lie_end_to_end() -> None:
    tokens = real_tokens(torch.tensor([[True, False, True], [False, False, False]]), (2, 3))
    assert tokens.starts.tolist() == [0, 2, 2]
    assert (tokens.firsts.tolist(), tokens.lasts.tolist()) == ([0], [1])


@pytest.mark.parametrize(("length", "num_tags"), [(1, 3), (4, 3), (5, 2)])
def test_likeliest_paths_are_those_of_all_that_there_are(length: int, num_tags: int) -> None:
    crf = model(num_tags, seed=3)
    torch.manual_seed(4)
    emissions = torch.randn(length, num_tags) * 2
    with torch.no_grad():
        every = sorted(all_paths(crf, emissions).items(), key=lambda item: -item[1])
    total = np.logaddexp.reduce([score for _, score in every])
    found = crf.likeliest_paths(emissions, 4)
    assert [tuple(path.tags) for path in found] == [path for path, _ in every[:4]]
    for path, (_, score) in zip(found, every, strict=False):
        assert path.score == pytest.approx(score, abs=1e-4)
        assert path.log_probability == pytest.approx(score - total, abs=1e-4)
    assert sum(np.exp(p.log_probability) for p in crf.likeliest_paths(emissions, 999)) == (
        pytest.approx(1)
    )


def test_likeliest_paths_obey_the_scheme() -> None:
    tags = TAGS["BIOES"]
    torch.manual_seed(0)
    crf = CRF(len(tags), tags, "BIOES")
    emissions = torch.randn(4, len(tags))
    found = crf.likeliest_paths(emissions, 999)
    allowed = [
        path
        for path in itertools.product(range(len(tags)), repeat=4)
        if not violations([tags[tag] for tag in path], "BIOES")
    ]
    assert sorted(tuple(path.tags) for path in found) == sorted(allowed)
    assert found[0].tags == crf.decode(emissions[None])[0]
    forbidden = torch.isnan(crf.scores.transitions)
    assert torch.equal(forbidden, ~crf.allowed)
