"""``foretext pretrain autoencoder`` and ``foretext evaluate`` on what it left."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.cli.conftest import Command
from tests.report.parsed_page import Page


def test_pretrain_and_evaluate(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "images.npy"
    stack = np.zeros((80, 8, 8), np.uint8)
    stack[np.arange(80), :, 2 * (np.arange(80) % 4)] = 220
    np.save(path, stack)
    run = tmp_path / "run"
    changed = ("training.epochs=3.0", "training.batch_examples=16", "data.valid_rate=0.2")
    settings = [part for setting in changed for part in ("--set", setting)]
    done = command("pretrain", "autoencoder", path, "-o", run, "-q", *settings)
    assert done.code == 0, done.err
    assert "32 code size" in done.out
    assert "mean squared error, held out: 0." in done.out
    assert "by principal components of the same size: 0." in done.out
    page = Page((run / "report.html").read_text(encoding="utf-8"))
    assert "Originals above reconstructions" in page.text
    assert "ConvTranspose2d" in page.text
    assert {"svg", "img"} <= set(page.tags)
    assert {"loss", "rate", "speed"} == set(page.charts)
    [figures] = json.loads(command("evaluate", run, path, "--json").out).values()
    assert figures["examples"] == 80
    assert figures["squared_error"] > 0
    assert figures["principal_components"] < 1e-3  # four patterns need three components
    assert "images.npy" in command("evaluate", run, path).out
    codes = tmp_path / "codes.npy"
    assert command("embed", run, path, "-o", codes).out == f"80 examples: {codes}\n"
    assert np.load(codes).shape == (80, 32)
    first = json.loads(command("embed", run, path).out.splitlines()[0])
    np.testing.assert_allclose(first["vector"], np.load(codes)[0], atol=1e-6)
    refused = command("embed", run, path, "--pooling", "cls")
    assert "--pooling has no effect" in refused.err
