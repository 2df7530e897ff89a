"""The learned mix of layers: by hand, against a plain formula, and by its gradient."""

from __future__ import annotations

import pytest
import torch

from foretext.nn.scalar_mix import ScalarMix


def layers_of(num_layers: int = 3, dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(2, 4, 6, generator=generator, dtype=dtype) for _ in range(num_layers)]


def test_it_begins_as_the_mean() -> None:
    layers = layers_of(dtype=torch.float32)
    assert torch.allclose(ScalarMix(3)(layers), torch.stack(layers).mean(0), atol=1e-6)


def test_an_example_by_hand() -> None:
    """Scores ln 1, ln 3 are weights 1/4 and 3/4; twice their sum of 4 and 8 is 14."""
    mix = ScalarMix(2)
    with torch.no_grad():
        mix.scores.copy_(torch.tensor([1.0, 3.0]).log())
        mix.scale.fill_(2.0)
    mixed = mix([torch.full((1, 1, 1), 4.0), torch.full((1, 1, 1), 8.0)])
    assert mixed.item() == pytest.approx(14.0)
    assert mix.weights.tolist() == pytest.approx([0.25, 0.75])


@pytest.mark.parametrize("normed", [False, True])
def test_its_gradients_are_right(normed: bool) -> None:
    mix = ScalarMix(3, normed=normed).double()
    layers = [layer.requires_grad_() for layer in layers_of()]

    def mixed(scores: torch.Tensor, scale: torch.Tensor, *given: torch.Tensor) -> torch.Tensor:
        parameters = {"scores": scores, "scale": scale}
        return torch.func.functional_call(mix, parameters, (list(given),))  # type: ignore[no-any-return]

    torch.manual_seed(1)
    scores = torch.randn(3, dtype=torch.float64, requires_grad=True)
    scale = torch.randn(1, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(mixed, (scores, scale, *layers), eps=1e-6, atol=1e-5)


def test_norms_make_layers_of_any_scale_count_alike() -> None:
    layers = layers_of(dtype=torch.float32)
    large = [layers[0] * 1000 + 5, *layers[1:]]
    mix = ScalarMix(3, normed=True)
    assert torch.allclose(mix(large), mix(layers), atol=1e-3)
    mean = mix(layers).mean(-1)
    assert torch.allclose(mean, torch.zeros_like(mean), atol=1e-6)


def test_it_keeps_the_precision_of_the_states() -> None:
    layers = layers_of(dtype=torch.bfloat16)
    assert ScalarMix(3).to(torch.bfloat16)(layers).dtype == torch.bfloat16
