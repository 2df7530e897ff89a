"""The squared error, the noise, and that a linear autoencoder finds the principal components."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch
from scipy.linalg import subspace_angles
from sklearn.decomposition import PCA

from foretext.backbones.autoencoder import (
    Autoencoder,
    ConvolutionalAutoencoder,
    DenseAutoencoder,
    LinearAutoencoder,
)
from foretext.backbones.base import Backbone, States
from foretext.base.errors import SettingError
from foretext.objectives.reconstruction import (
    Reconstruction,
    ReconstructionConfig,
    Reconstructor,
    gaussian_noise,
    masking_noise,
)
from foretext.progress.run_context import RunContext
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

NUM_EXAMPLES, SIZE, DIM = 400, 10, 3


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small lose time with more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def spread_examples() -> np.ndarray:
    """Examples (N, D) whose principal components are far apart, around a mean that is not zero."""
    rng = np.random.default_rng(0)
    turned = np.linalg.qr(rng.standard_normal((SIZE, SIZE)))[0]
    values = rng.standard_normal((NUM_EXAMPLES, SIZE)) * np.geomspace(2, 0.05, SIZE)
    return (values @ turned + 0.5).astype(np.float32)


def trained(network: Autoencoder, examples: np.ndarray, **settings: Any) -> list[dict[str, Any]]:
    noise = settings.pop("noise", "none")
    objective = Reconstruction(ReconstructionConfig(noise=noise))
    fixed = {"precision": "fp32", "weight_decay": 0.0, "clip_norm": None, "schedule": "cosine"}
    return fit(
        Model(cast(Backbone, Reconstructor(network)), objective),
        objective.examples(examples),
        TrainingConfig(**fixed | settings),
        RunContext(Path()),
    )


def test_numbers_have_no_vectors_to_keep() -> None:
    network = LinearAutoencoder(LinearAutoencoder.Config(dim=DIM), (SIZE,))
    with pytest.raises(SettingError, match="freeze = 'vectors': Reconstructor has none"):
        trained(network, spread_examples(), steps=1, freeze="vectors")


def test_the_loss_by_hand() -> None:
    objective = Reconstruction(ReconstructionConfig())
    examples = objective.examples(np.array([[1, 2], [3, 4]], np.float32))
    batch = examples.batch(np.array([1, 0]), np.random.default_rng(0))
    assert batch.inputs.ids.tolist() == [[1], [0]]
    assert batch.targets["clean"].tolist() == [[3, 4], [1, 2]]
    score = objective.scores(States(torch.tensor([[3.0, 2.0], [0.0, 0.0]])), batch)[
        "reconstruction"
    ]
    assert score.loss == 4 + 1 + 4
    assert objective.counts(batch) == {"reconstruction": 4}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("bias", [True, False], ids=["PCA", "SVD"])
def test_the_linear_one_learns_the_principal_components(bias: bool) -> None:
    torch.manual_seed(0)
    examples = spread_examples()
    network = LinearAutoencoder(LinearAutoencoder.Config(dim=DIM, bias=bias), (SIZE,))
    trained(network, examples, steps=1_000, batch_examples=NUM_EXAMPLES, learning_rate=0.05)
    mean = examples.mean(0) if bias else 0.0
    singular, directions = np.linalg.svd(examples - mean, full_matrices=False)[1:]
    decoder = network.decoder[0].weight.detach().numpy()  # (D, K)
    assert np.rad2deg(subspace_angles(decoder, directions[:DIM].T)).max() < 0.5
    with torch.no_grad():
        error = np.square(network(torch.from_numpy(examples)).numpy() - examples).sum()
    assert error == pytest.approx(np.square(singular[DIM:]).sum(), rel=2e-4)
    if bias:
        theirs = PCA(DIM).fit(examples)
        back = theirs.inverse_transform(theirs.transform(examples))
        assert error == pytest.approx(np.square(back - examples).sum(), rel=2e-4)


def test_a_code_can_be_activated() -> None:
    """The code is a(W x + b), in one layer (Vincent et al. 2008, section 2.2)."""
    config = LinearAutoencoder.Config(dim=DIM, activation="sigmoid")
    network = LinearAutoencoder(config, (SIZE,))
    examples = torch.from_numpy(spread_examples())
    linear = network.encoder[1]
    with torch.no_grad():
        expected = 1 / (1 + torch.exp(-(examples @ linear.weight.T + linear.bias)))
        assert torch.allclose(network.encode(examples), expected, atol=1e-6)
    assert network.code_size == DIM
    before = float(np.square(network(examples).detach().numpy() - examples.numpy()).mean())
    trained(network, examples.numpy(), steps=200, batch_examples=NUM_EXAMPLES, learning_rate=0.05)
    after = float(np.square(network(examples).detach().numpy() - examples.numpy()).mean())
    assert after < before / 2


THEIR_ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


@pytest.mark.parametrize("name", THEIR_ACTIVATIONS)
def test_the_reconstruction_can_be_activated(name: str) -> None:
    """It is a(V z + c), of a code that stays linear."""
    config = LinearAutoencoder.Config.checked({"dim": DIM, "decoder_activation": name}, "section")
    network, examples = LinearAutoencoder(config, (SIZE,)), spread_examples()
    inner, outer = (
        [each.detach().numpy() for each in layer.parameters()]
        for layer in (network.encoder[1], network.decoder[0])
    )
    codes = examples @ inner[0].T + inner[1]
    expected = THEIR_ACTIVATIONS[name](codes @ outer[0].T + outer[1])
    with torch.no_grad():
        given = torch.from_numpy(examples)
        np.testing.assert_allclose(network.encode(given), codes, atol=1e-5)
        np.testing.assert_allclose(network(given), expected, atol=1e-5)
    assert network.code_size == DIM


def test_with_an_activation_in_the_decoder_it_is_no_longer_pca() -> None:
    """Tanh reaches no number above 1, however large the code: components keep more."""
    examples = spread_examples() * 2
    error = {}
    for activation in ("none", "tanh"):
        torch.manual_seed(0)
        config = LinearAutoencoder.Config(dim=DIM, decoder_activation=activation)
        network = LinearAutoencoder(config, (SIZE,))
        trained(network, examples, steps=300, batch_examples=NUM_EXAMPLES, learning_rate=0.05)
        with torch.no_grad():
            found = network(torch.from_numpy(examples)).numpy()
        error[activation] = float(np.square(found - examples).sum())
    components = PCA(DIM).fit(examples)
    back = components.inverse_transform(components.transform(examples))
    least = float(np.square(back - examples).sum())
    assert error["none"] == pytest.approx(least, rel=0.05)
    assert error["tanh"] > 2 * least


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("kind", "noise"), [("dense", "gaussian"), ("dense", "masking"), ("convolutional", "none")]
)
def test_each_learns(kind: str, noise: str) -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    patterns = rng.random((4, 8, 8)) > 0.5
    images = patterns[rng.integers(4, size=64)].astype(np.float32)
    network: Autoencoder = (
        DenseAutoencoder(DenseAutoencoder.Config(dim=4, hidden_dim=32), (8, 8))
        if kind == "dense"
        else ConvolutionalAutoencoder(ConvolutionalAutoencoder.Config(dim=4), (8, 8))
    )
    trained(network, images, steps=200, batch_examples=64, learning_rate=0.02, noise=noise)
    with torch.no_grad():
        reconstructed = network(torch.from_numpy(images)).numpy()
    variance = np.square(images - images.mean(0)).mean()
    assert np.square(reconstructed - images).mean() < variance / 10


def test_noise_is_on_what_is_seen_alone() -> None:
    examples = np.ones((50, 40), np.float32)
    objective = Reconstruction(ReconstructionConfig(noise="masking", mask_rate=0.25))
    keys = np.arange(50)
    batch = objective.examples(examples).batch(keys, np.random.default_rng(3))
    again = objective.examples(examples).batch(keys, np.random.default_rng(3))
    assert torch.equal(batch.inputs.values, again.inputs.values)
    assert batch.inputs.values.mean() == pytest.approx(0.75, abs=0.03)
    assert batch.targets["clean"].min() == 1
    held_out = objective.examples(examples, held_out=True).batch(keys, np.random.default_rng(3))
    assert held_out.inputs.values.min() == 1


def test_gaussian_noise_has_its_spread() -> None:
    noise = gaussian_noise(np.full((200, 50), 2, np.float32), np.random.default_rng(0), std=0.5)
    assert noise.dtype == np.float32
    assert noise.mean() == pytest.approx(2, abs=0.02)
    assert noise.std() == pytest.approx(0.5, abs=0.02)


def test_masking_noise_keeps_what_it_does_not_mask() -> None:
    values = np.arange(1, 1001, dtype=np.float32)
    masked = masking_noise(values, np.random.default_rng(0), rate=0.4)
    assert set(np.unique(masked / values)) == {0, 1}
    assert (masked == 0).mean() == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"noise_std": 0.5}, "noise_std would have no effect without gaussian noise"),
        ({"noise": "gaussian", "mask_rate": 0.5}, "mask_rate would have no effect without masking"),
        ({"noise": "white"}, r"noise = 'white'"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        ReconstructionConfig.checked(settings, "reconstruction")
