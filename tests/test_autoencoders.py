"""Autoencoders end to end: the estimator, the run folder, the verbs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import foretext as ft
from foretext.base.errors import ImageFileError, OutputError, SettingError, VectorFileError
from foretext.data.images import read_images

TINY = {"epochs": 3.0, "batch_examples": 16, "learning_rate": 0.01, "valid_rate": 0.2}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small lose time with more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    """Bars at four places, (80, 8, 8) uint8."""
    stack = np.zeros((80, 8, 8), np.uint8)
    for number, image in enumerate(stack):
        image[:, 2 * (number % 4)] = 200 + number % 50
    return stack


@pytest.fixture(scope="module")
def path(images: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("images") / "images.npy"
    np.save(path, images)
    return path


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", ["convolutional", "denoising", "linear"])
def test_the_estimator(kind: str, images: np.ndarray) -> None:
    examples = images.astype(np.float32) / 255
    estimator = ft.Autoencoder(kind, dim=4, **TINY | {"epochs": 40.0})
    assert estimator.fit(examples) is estimator
    codes = estimator.transform(examples)
    assert codes.shape == (80, 4)
    assert estimator.inverse_transform(codes).shape == examples.shape
    assert estimator.history[-1]["valid_loss"] < estimator.history[0]["loss"]
    assert estimator.score(examples) > 0.5
    back = estimator.inverse_transform(codes)
    kept = 1 - np.square(back - examples).mean() / examples.var(axis=0).mean()
    assert estimator.score(examples) == pytest.approx(kept, rel=1e-4)


def test_same_seed_same_network(images: np.ndarray) -> None:
    examples = images.astype(np.float32) / 255
    codes = [
        ft.Autoencoder("denoising", dim=3, seed=seed, **TINY).fit(examples).transform(examples)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(codes[0], codes[1])
    assert not np.array_equal(codes[0], codes[2])


def test_a_run_is_kept_and_opened(path: Path, images: np.ndarray, tmp_path: Path) -> None:
    estimator = ft.Autoencoder(dim=4, **TINY).fit(path, out=tmp_path / "run")
    again = ft.Autoencoder.load(tmp_path / "run")
    examples = images.astype(np.float32) / 255
    np.testing.assert_array_equal(again.transform(examples), estimator.transform(examples))
    facts = json.loads((tmp_path / "run" / "config.json").read_text())
    assert (facts["examples"], facts["held_out_examples"]) == (64, 16)
    assert facts["valid_loss"] == estimator.history[-1]["valid_loss"]
    assert (tmp_path / "run" / "reconstructions.png").read_bytes()[:4] == b"\x89PNG"
    card = (tmp_path / "run" / "README.md").read_text()
    assert "From examples of 8 × 8 numbers to codes of 4" in card
    with pytest.raises(OutputError, match="holds a finished run"):
        ft.Autoencoder(dim=4, **TINY).fit(path, out=tmp_path / "run")


def test_resuming_ends_as_an_unbroken_run_does(
    path: Path, images: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foretext.training.loop import Training

    settings = TINY | {"checkpoint_seconds": 0.0, "dim": 4}
    examples = images.astype(np.float32) / 255
    whole = ft.Autoencoder("denoising", **settings).fit(path).transform(examples)
    step = Training._step

    def killed(self: Training, batch: object) -> None:
        if self.state.step == 5:
            raise RuntimeError("killed")
        step(self, batch)

    monkeypatch.setattr(Training, "_step", killed)
    with pytest.raises(RuntimeError, match="killed"):
        ft.Autoencoder("denoising", **settings).fit(path, out=tmp_path / "run")
    monkeypatch.setattr(Training, "_step", step)
    resumed = ft.Autoencoder("denoising", **settings).fit(path, out=tmp_path / "run", resume=True)
    np.testing.assert_array_equal(resumed.transform(examples), whole)


def test_vectors_are_no_pictures(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).standard_normal((50, 12))
    ft.Autoencoder("linear", dim=20, **TINY).fit(rows, out=tmp_path / "run")
    assert not (tmp_path / "run" / "reconstructions.png").exists()
    assert not (tmp_path / "run" / "principal_components.safetensors").exists()


@pytest.mark.slow
@pytest.mark.shared_data
def test_on_mnist_a_code_keeps_more_than_principal_components(shared_data: Path) -> None:
    train, test = (
        shared_data / "mnist" / f"{name}-images-idx3-ubyte.gz" for name in ("train", "t10k")
    )
    codec = ft.Autoencoder(dim=32, epochs=1.0).fit(train).codec
    held_out = read_images(test)
    assert codec.components_error(held_out) == pytest.approx(0.01683, abs=1e-4)
    assert codec.squared_error(held_out) < 0.014


def test_what_cannot_be(path: Path, images: np.ndarray, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"kind = 'convolution': .* mean 'convolutional'\?"):
        ft.Autoencoder("convolution").fit(images)
    with pytest.raises(SettingError, match="hiden_dim: Autoencoder has no such setting"):
        ft.Autoencoder("denoising", hiden_dim=3)
    with pytest.raises(SettingError, match="has learned nothing yet; call fit first"):
        ft.Autoencoder().transform(images)
    with pytest.raises(SettingError, match=r"An array of shape \(3,\) is a single row or column"):
        ft.Autoencoder().fit(np.zeros(3))
    np.save(tmp_path / "other.npy", images[:, :4])
    with pytest.raises(ImageFileError, match=r"other\.npy has images of \(4, 8\), but .*images\.n"):
        ft.Autoencoder().fit([path, tmp_path / "other.npy"])
    with pytest.raises(VectorFileError, match=r"config\.json is missing"):
        ft.Autoencoder.load(tmp_path)
    with pytest.raises(SettingError, match="cannot be trained further"):
        ft.pretrain("autoencoder", path, tmp_path / "run", base=path)


def test_pixels_of_arrays_are_scaled_as_those_of_files(images: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "pixels.npy", images)
    of_file = ft.Autoencoder(dim=4, **TINY).fit(tmp_path / "pixels.npy")
    for given in (images, images.astype(np.int64), images.tolist()):
        of_array = ft.Autoencoder(dim=4, **TINY).fit(given)
        assert (of_array.transform(given) == of_file.transform(images / np.float32(255))).all()
        assert of_array.score(given) == of_file.score(images)


def test_numbers_that_no_network_can_learn(images: np.ndarray, tmp_path: Path) -> None:
    fractions = images / np.float32(255)
    broken = fractions.copy()
    broken[0, 0, 0] = np.nan
    with pytest.raises(SettingError, match="NaN or infinite"):
        ft.Autoencoder().fit(broken)
    with pytest.raises(SettingError, match="Whole numbers from 0 to 256 are no pixels"):
        ft.Autoencoder().fit(np.arange(0, 257).repeat(64).reshape(-1, 8, 8))
    with pytest.raises(SettingError, match="holds no numbers"):
        ft.Autoencoder().fit(np.array([["a", "b"]]))
    ft.Autoencoder(dim=4, **TINY).fit(fractions * 255, out=tmp_path / "run")
    assert "this network answers with 0 to 1 only" in (tmp_path / "run/train.log").read_text()
    ft.Autoencoder("linear", dim=4, **TINY).fit(fractions * 255, out=tmp_path / "linear")
    assert "scale them to about 0..1" in (tmp_path / "linear/train.log").read_text()
    with pytest.raises(SettingError, match="NaN or infinite"):
        ft.Autoencoder("linear", dim=4, **TINY).fit(fractions).transform(broken)


def test_settings_and_pipelines_of_scikit_learn(images: np.ndarray) -> None:
    rows = (images / 255).reshape(len(images), -1)
    pipeline = make_pipeline(ft.Autoencoder("linear", dim=4, **TINY), LogisticRegression())
    assert pipeline.fit(rows, np.arange(len(rows)) % 2).predict(rows).shape == (len(rows),)
    given = ft.Autoencoder("denoising", dim=3)
    assert clone(given).get_params() == given.get_params()
    assert given.set_params(kind="linear").recipe.name == "linear"
    with pytest.raises(SettingError, match="name the folder of a run as out='run'"):
        given.fit(rows, "run")
