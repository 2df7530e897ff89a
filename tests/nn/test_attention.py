"""Attention: both roads give the same, and each part of a layout does what it says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import sdpa_kernel

from foretext.nn import attention as module
from foretext.nn.attention import Layout, SelfAttention, attend, cpu_attention
from foretext.nn.attention_mask import AttentionMask

B, H, T, S, D = 2, 2, 5, 7, 8
ALL = AttentionMask(None)

CPU_B, CPU_H = 3, 2


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float32)


def heads(queries: int = T, keys: int = S) -> list[Tensor]:
    """Queries, keys and values that want gradients."""
    lengths = (queries, keys, keys)
    return [drawn(B, H, n, D // H, seed=k).requires_grad_() for k, n in enumerate(lengths)]


def plain(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: AttentionMask,
    bias: Tensor | None,
    scale: float,
) -> Tensor:
    """Attention as the paper writes it."""
    scores = query @ key.mT * scale
    if bias is not None:
        scores = scores + bias
    if mask.visible is not None:
        scores = scores.masked_fill(~mask.visible, -torch.inf)
    if mask.causal:
        before = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~before, -torch.inf)
    return scores.softmax(-1) @ value


def some_mask(queries: int, keys: int) -> Tensor:
    visible = torch.rand(B, 1, queries, keys, generator=torch.Generator().manual_seed(4)) < 0.5
    visible[..., 0] = True
    return visible


CASES = {
    "all": (T, S, ALL),
    "matrix": (T, S, AttentionMask(some_mask(T, S))),
    "causal": (T, T, AttentionMask(None, causal=True)),
    "causal matrix": (T, T, AttentionMask(some_mask(T, T), causal=True)),
}


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("case", ["all", "matrix", "causal"])
def test_both_roads_are_the_formula(case: str, scale: float | None, biased: bool) -> None:
    queries, keys, mask = CASES[case]
    tensors = heads(queries, keys)
    bias = drawn(1, H, queries, keys, seed=6).requires_grad_() if biased else None
    right = plain(*tensors, mask, bias, scale or (D // H) ** -0.5)
    trained = attend(*tensors, mask, bias, scale)
    with torch.no_grad():
        inferred = attend(*tensors, mask, bias, scale)
    torch.testing.assert_close(trained, right, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(inferred, right, rtol=1e-5, atol=1e-6)
    parts = [*tensors, bias] if bias is not None else tensors
    ours, theirs = (torch.autograd.grad(y.square().sum(), parts) for y in (trained, right))
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)


def test_a_biased_causal_mask_with_holes() -> None:
    queries, keys, mask = CASES["causal matrix"]
    tensors, bias = heads(queries, keys), drawn(1, H, queries, keys, seed=6)
    right = plain(*tensors, mask, bias, 0.5)
    torch.testing.assert_close(attend(*tensors, mask, bias, 0.5), right, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        inferred = attend(*tensors, mask, bias, 0.5)
    torch.testing.assert_close(inferred, right, rtol=1e-5, atol=1e-6)


def test_dropout_leaves_the_mean_as_it_is() -> None:
    tensors, bias = heads(), drawn(1, H, T, S)
    torch.manual_seed(0)
    means = torch.stack([attend(*tensors, ALL, bias, dropout=0.5) for _ in range(400)]).mean(0)
    torch.testing.assert_close(means, attend(*tensors, ALL, bias), rtol=0.3, atol=0.3)


def attention(**settings: float) -> SelfAttention:
    torch.manual_seed(1)
    return SelfAttention(D, H, bias=True, dropout=0.0, **settings)


@pytest.mark.parametrize("scale", [None, 0.3])
def test_weights_are_those_that_mix_the_values(scale: float | None) -> None:
    module, x = attention(scale=scale), drawn(B, T, D)
    layout = Layout(AttentionMask(some_mask(T, T)), bias=drawn(1, H, T, T, seed=6))
    weights = module.weights(x, layout)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, T))
    values = module.query_key_value(x)[..., 2 * D :].view(B, T, H, -1).transpose(1, 2)
    mixed = module.output((weights @ values).transpose(1, 2).flatten(2))
    torch.testing.assert_close(module(x, layout), mixed, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("biased", [False, True])
def test_the_first_positions_are_what_they_are_among_all(biased: bool) -> None:
    module, x = attention(), drawn(B, T, D)
    bias = drawn(1, H, T, T, seed=6) if biased else None
    layout = Layout(AttentionMask(some_mask(T, T)), bias=bias)
    first = module(x, layout, num_needed=2)
    torch.testing.assert_close(first, module(x, layout)[:, :2], rtol=1e-5, atol=1e-6)


def test_nobody_looks_at_pure_queries() -> None:
    """Their states follow from the other positions, whose states do not depend on them."""
    module, x = attention(), drawn(B, T, D)
    states = module(x, Layout(AttentionMask(None, num_queries=2)))
    assert states.shape == (B, T, D)
    alone = module(x[:, :-2], Layout(ALL))
    torch.testing.assert_close(states[:, :-2], alone, rtol=1e-5, atol=1e-6)
    other = torch.cat((x[:, :-1], drawn(B, 1, D, seed=9)), 1)
    changed = module(other, Layout(AttentionMask(None, num_queries=2)))
    assert torch.equal(changed[:, :-1], states[:, :-1])
    assert not torch.allclose(changed[:, -1], states[:, -1])


def inputs(dtype: torch.dtype, queries: int, keys: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = [
        (CPU_B, CPU_H, queries, 8),
        (CPU_B, CPU_H, keys, 8),
        (CPU_B, CPU_H, keys, 8),
    ]
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


def masks(queries: int, keys: int) -> dict[str, Tensor | None]:
    generator = torch.Generator().manual_seed(1)
    rows = torch.arange(keys) < torch.tensor([keys, keys // 2 + 1, 1])[:, None]
    matrix = torch.rand(CPU_B, 1, queries, keys, generator=generator) < 0.5
    matrix[..., 0] = True
    return {"all": None, "tokens": rows[:, None, None], "matrix": matrix, "one": matrix[:1]}


def biases(queries: int, keys: int) -> dict[str, Tensor]:
    whole = torch.randn(
        CPU_B,
        CPU_H,
        queries,
        keys,
        generator=torch.Generator().manual_seed(2),
    )
    return {"shared": whole[:1], "of each text": whole}


def nearness(dtype: torch.dtype) -> dict[str, float]:
    return {"rtol": 1e-5, "atol": 1e-6} if dtype == torch.float32 else {"rtol": 0.02, "atol": 0.02}


@pytest.mark.parametrize("group_bytes", [1, 1 << 22])
@pytest.mark.parametrize("mask", ["all", "tokens", "matrix", "one"])
@pytest.mark.parametrize("shape", [(16, 16), (5, 37)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_equals_pytorchs(monkeypatch, dtype, shape, mask, group_bytes) -> None:
    monkeypatch.setattr(module, "GROUP_BYTES", group_bytes)
    tensors, visible = inputs(dtype, *shape), masks(*shape)[mask]
    ours = cpu_attention(*tensors, visible)
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    theirs = F.scaled_dot_product_attention(*exact, attn_mask=visible)
    scale = torch.linspace(-1, 1, 8)
    near = nearness(dtype)
    torch.testing.assert_close(ours.double(), theirs, **near)
    mine = torch.autograd.grad((ours * scale).sum(), tensors)
    other = torch.autograd.grad((theirs * scale).sum(), exact)
    for a, b in zip(mine, other, strict=True):
        torch.testing.assert_close(a.double(), b, **near)


@pytest.mark.parametrize("group_bytes", [1, 5 << 11, 1 << 22])  # one head, some, all at a time
@pytest.mark.parametrize("kind", ["shared", "of each text"])
@pytest.mark.parametrize("mask", ["all", "tokens", "matrix"])
@pytest.mark.parametrize("shape", [(16, 16), (5, 37)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_bias_and_its_gradient_equal_pytorchs(
    monkeypatch, dtype, shape, mask, kind, group_bytes
) -> None:
    monkeypatch.setattr(module, "GROUP_BYTES", group_bytes)
    visible, bias = masks(*shape)[mask], biases(*shape)[kind].to(dtype).requires_grad_()
    tensors = [*inputs(dtype, *shape), bias]
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    ours = cpu_attention(*tensors[:3], visible, bias, scale=0.7)
    added = exact[3] if visible is None else exact[3].masked_fill(~visible, -torch.inf)
    theirs = F.scaled_dot_product_attention(*exact[:3], attn_mask=added, scale=0.7)
    weights = torch.linspace(-1, 1, 8)
    near = nearness(dtype)
    torch.testing.assert_close(ours.double(), theirs, **near)
    mine = torch.autograd.grad((ours * weights).sum(), tensors)
    other = torch.autograd.grad((theirs * weights).sum(), exact)
    for a, b in zip(mine, other, strict=True):
        assert a.dtype == dtype
        torch.testing.assert_close(a.double(), b, **near)


def test_a_bias_without_gradient_is_added_all_the_same() -> None:
    tensors, bias = inputs(torch.float32, 6, 9), biases(6, 9)["shared"]
    ours = cpu_attention(*tensors, None, bias)
    theirs = F.scaled_dot_product_attention(*tensors, attn_mask=bias)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    ours.sum().backward()
    assert tensors[0].grad is not None


def test_a_bias_of_zeros_changes_nothing() -> None:
    tensors = inputs(torch.float32, 7, 7)
    plain = cpu_attention(*tensors, causal=True)
    biased = cpu_attention(*tensors, None, torch.zeros(1, CPU_H, 7, 7), causal=True)
    assert torch.equal(plain, biased)


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_scale(scale: float) -> None:
    tensors = inputs(torch.float32, 9, 9)
    ours = cpu_attention(*tensors, scale=scale)
    theirs = F.scaled_dot_product_attention(*tensors, scale=scale)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    mine, other = (torch.autograd.grad(y.square().sum(), tensors) for y in (ours, theirs))
    for a, b in zip(mine, other, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("length", [16, 21])
def test_a_causal_mask(length: int) -> None:
    tensors = inputs(torch.float32, length, length)
    ours = cpu_attention(*tensors, causal=True)
    theirs = F.scaled_dot_product_attention(*tensors, is_causal=True)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_what_is_hidden_has_no_gradient() -> None:
    query, key, value = inputs(torch.float32, 20, 20)
    bias = torch.zeros(1, CPU_H, 20, 20, requires_grad=True)
    cpu_attention(query, key, value, None, bias, causal=True)[:, :, :7].sum().backward()
    assert key.grad is not None
    assert value.grad is not None
    assert bias.grad is not None
    assert value.grad[:, :, :7].all()
    assert not value.grad[:, :, 7:].any()
    assert not key.grad[:, :, 7:].any()
    assert not bias.grad[:, :, 7:].any()
    assert not bias.grad.triu(1).any()


def test_a_query_that_may_look_at_nothing_gives_numbers() -> None:
    tensors = inputs(torch.float32, 4, 4)
    result = cpu_attention(*tensors, torch.zeros(1, 1, 4, 4, dtype=torch.bool))
    torch.testing.assert_close(result, tensors[2].mean(2, keepdim=True).expand_as(result))


def test_half_precision_is_as_near_to_the_truth_as_a_plain_softmax() -> None:
    tensors = [3 * tensor.detach() for tensor in inputs(torch.bfloat16, 64, 64)]
    tensors = [tensor.requires_grad_() for tensor in tensors]
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]

    def plain(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return (query @ key.mT * query.shape[-1] ** -0.5).softmax(-1) @ value

    truth = torch.autograd.grad(plain(*exact).square().sum(), exact)
    ours = torch.autograd.grad(cpu_attention(*tensors).square().sum(), tensors)
    theirs = torch.autograd.grad(plain(*tensors).square().sum(), tensors)
    for mine, other, true in zip(ours, theirs, truth, strict=True):
        assert (mine - true).norm() < 1.1 * (other - true).norm()


def test_cudnn_attends_in_rows_of_one_length_alone() -> None:
    """For each new shape it makes a plan, which takes far longer than the work itself."""
    on_gpu = type("OnGpu", (), {"is_cuda": True})()
    padded = torch.ones(B, 1, 1, S, dtype=torch.bool)
    before = torch.backends.cuda.cudnn_sdp_enabled()

    def allowed(query: Any, visible: Tensor | None) -> bool:
        with module._kernels_for(query, visible):
            return torch.backends.cuda.cudnn_sdp_enabled()

    assert allowed(on_gpu, None) == before
    assert not allowed(on_gpu, padded)
    with torch.no_grad():
        assert not allowed(on_gpu, None)
    assert allowed(drawn(B, H, T, D), padded) == before  # on a CPU nothing is switched
    assert torch.backends.cuda.cudnn_sdp_enabled() == before


@pytest.fixture(params=[True, False], ids=["on", "off"])
def cudnn(request: pytest.FixtureRequest) -> Iterator[bool]:
    """What the user has set."""
    before = torch.backends.cuda.cudnn_sdp_enabled()
    torch.backends.cuda.enable_cudnn_sdp(request.param)
    yield request.param
    torch.backends.cuda.enable_cudnn_sdp(before)


@pytest.mark.parametrize("leaves", [(0, 1), (1, 0)])
def test_threads_that_overlap_leave_cudnn_as_it_was(cudnn: bool, leaves: tuple[int, int]) -> None:
    on_gpu = type("OnGpu", (), {"is_cuda": True})()
    padded = torch.ones(B, 1, 1, S, dtype=torch.bool)
    held = [module._kernels_for(on_gpu, padded) for _ in range(2)]
    for each in held:
        each.__enter__()
    first, last = leaves
    held[first].__exit__(None, None, None)
    assert not torch.backends.cuda.cudnn_sdp_enabled()  # the other one still attends
    held[last].__exit__(None, None, None)
    assert torch.backends.cuda.cudnn_sdp_enabled() == cudnn


def test_many_threads_and_an_error_leave_cudnn_as_it_was(cudnn: bool) -> None:
    on_gpu = type("OnGpu", (), {"is_cuda": True})()
    padded = torch.ones(B, 1, 1, S, dtype=torch.bool)

    def attends(number: int) -> bool:
        with contextlib.suppress(KeyError), module._kernels_for(on_gpu, padded):
            return torch.backends.cuda.cudnn_sdp_enabled() or {}[number]  # an error within
        return False

    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(attends, range(400)))
    assert torch.backends.cuda.cudnn_sdp_enabled() == cudnn


@pytest.mark.parametrize("off", [(), ("flash",), ("flash", "mem_efficient"), ("math",)])
def test_compiled_attention_leaves_off_what_the_user_turned_off(off: tuple[str, ...]) -> None:
    names = ("flash", "mem_efficient", "math")
    cuda: Any = torch.backends.cuda
    before = {name: getattr(cuda, f"{name}_sdp_enabled")() for name in names}
    wanted = {name: name not in off for name in names}
    found: list[dict[str, bool]] = []

    def backend(graph: Any, _: Any) -> Any:
        first = next(node for node in graph.graph.nodes if "_sdpa_kernel" in str(node.target))
        kernels = {str(each.args[0]) for each in first.args[0]}
        found.append(
            {
                "flash": "FLASH_ATTENTION" in kernels,
                "mem_efficient": "EFFICIENT_ATTENTION" in kernels,
                "math": "MATH" in kernels,
            }
        )
        assert "CUDNN_ATTENTION" not in kernels
        return graph.forward

    def attended(x: Tensor) -> Tensor:
        with module._without_plans():
            return F.scaled_dot_product_attention(x, x, x)

    torch.compiler.reset()
    try:
        for name, is_on in wanted.items():
            getattr(cuda, f"enable_{name}_sdp")(is_on)
        torch.compile(attended, backend=backend, fullgraph=True)(torch.randn(1, 2, 4, 8))
        assert found == [wanted]
    finally:
        for name, is_on in before.items():
            getattr(cuda, f"enable_{name}_sdp")(is_on)
        torch.compiler.reset()


def test_where_all_but_cudnn_is_off_it_stays_so() -> None:
    with sdpa_kernel(module.SDPBackend.CUDNN_ATTENTION), module._without_plans():
        assert torch.backends.cuda.cudnn_sdp_enabled()
        assert not torch.backends.cuda.math_sdp_enabled()
