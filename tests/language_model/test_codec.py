"""Codes and back, alone and from a folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from foretext.backbones.autoencoder import ConvolutionalAutoencoder, LinearAutoencoder
from foretext.base.errors import ModelFileError, SettingError, UntrustedError, VectorFileError
from foretext.language_model.codec import Codec
from foretext.vectors.principal_components import principal_components

EXAMPLES = np.random.default_rng(0).random((1_100, 4, 8), dtype=np.float32)


@pytest.fixture(params=["linear", "convolutional"])
def codec(request: pytest.FixtureRequest) -> Codec:
    torch.manual_seed(0)
    if request.param == "convolutional":
        return Codec(ConvolutionalAutoencoder(ConvolutionalAutoencoder.Config(), (4, 8)))
    components = principal_components(EXAMPLES.reshape(1_100, -1), 3, remove_mean=True)
    return Codec(LinearAutoencoder(LinearAutoencoder.Config(dim=3), (4, 8)), components)


def test_batches_do_not_matter(codec: Codec) -> None:
    codes = codec.encode(EXAMPLES)
    assert codes.dtype == np.float32
    with torch.no_grad():
        whole = codec.network.encode(torch.from_numpy(EXAMPLES)).numpy()
    np.testing.assert_allclose(codes, whole, atol=1e-6)
    np.testing.assert_allclose(codec.decode(codes), codec.reconstruct(EXAMPLES), atol=1e-6)


def test_errors_are_means_of_squares(codec: Codec) -> None:
    mean = np.square(codec.reconstruct(EXAMPLES) - EXAMPLES).mean()
    assert codec.squared_error(EXAMPLES) == pytest.approx(mean, rel=1e-5)
    if codec.components is None:
        assert codec.components_error(EXAMPLES) is None
    else:
        variance = EXAMPLES.var(axis=0).mean()
        kept = codec.components.variance_rate
        assert codec.components_error(EXAMPLES) == pytest.approx(variance * (1 - kept), rel=1e-4)


def test_kept_and_opened(codec: Codec, tmp_path: Path) -> None:
    facts = codec.save(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(facts))
    again = Codec.load(tmp_path)
    np.testing.assert_array_equal(again.encode(EXAMPLES), codec.encode(EXAMPLES))
    assert again.components_error(EXAMPLES) == codec.components_error(EXAMPLES)
    assert again.size == codec.size == {name: facts[name] for name in ("parameters", "code_size")}


def test_what_does_not_fit(codec: Codec) -> None:
    with pytest.raises(SettingError, match=r"examples of shape \(5, 8, 4\) .* \(N, 4, 8\), with"):
        codec.encode(np.zeros((5, 8, 4)))
    with pytest.raises(SettingError, match=r"examples of shape \(0, 4, 8\) do not fit"):
        codec.squared_error(np.zeros((0, 4, 8)))
    with pytest.raises(SettingError, match=rf"codes of shape .* \(N, {codec.size['code_size']}\)"):
        codec.decode(np.zeros((5, 2)))


def save(codec: Codec, folder: Path, **changes: object) -> None:
    (folder / "config.json").write_text(json.dumps(codec.save(folder) | changes))


def test_folders_that_hold_none(codec: Codec, tmp_path: Path) -> None:
    codec.save(tmp_path)
    with pytest.raises(VectorFileError, match=r"config\.json is missing"):
        Codec.load(tmp_path)
    save(codec, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(VectorFileError, match=r"model\.safetensors is damaged"):
        Codec.load(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [7, 9]},
        {"shape": []},
        {"shape": [0, 8]},
        {"shape": [4, 1 << 50]},
        {"shape": "ab"},
        {"settings": {"dim": 1 << 40}},
        {"settings": {"dims": 3}},
        {"settings": None},
        {"autoencoder": 5},
        {"autoencoder": "sideways"},
    ],
)
def test_facts_that_will_not_do(codec: Codec, changes: dict[str, object], tmp_path: Path) -> None:
    save(codec, tmp_path, **changes)
    with pytest.raises((VectorFileError, ModelFileError)):
        Codec.load(tmp_path)


def test_names_no_code(codec: Codec, tmp_path: Path) -> None:
    save(codec, tmp_path, autoencoder="sideways:Autoencoder")
    with pytest.raises(UntrustedError, match=r"config\.json: \[autoencoder\] is 'sideways:Autoenc"):
        Codec.load(tmp_path)


def test_weights_that_are_no_numbers(codec: Codec, tmp_path: Path) -> None:
    with torch.no_grad():
        next(codec.network.parameters()).fill_(torch.nan)
    save(codec, tmp_path)
    with pytest.raises(VectorFileError, match="does not hold finite numbers of type float32"):
        Codec.load(tmp_path)


def test_components_of_another_network(tmp_path: Path) -> None:
    network = LinearAutoencoder(LinearAutoencoder.Config(dim=3), (4, 8))
    components = principal_components(EXAMPLES.reshape(1_100, -1), 2, remove_mean=True)
    save(Codec(network, components), tmp_path)
    with pytest.raises(VectorFileError, match="does not fit the network in its folder"):
        Codec.load(tmp_path)


@pytest.mark.parametrize("value", [1e300, np.nan, -2.0])
def test_components_that_nothing_has(tmp_path: Path, value: float) -> None:
    network = LinearAutoencoder(LinearAutoencoder.Config(dim=3), (4, 8))
    components = principal_components(EXAMPLES.reshape(1_100, -1), 3, remove_mean=True)
    components.directions[0, 0] = value
    save(Codec(network, components), tmp_path)
    with pytest.raises(VectorFileError, match="numbers that no components have"):
        Codec.load(tmp_path)
