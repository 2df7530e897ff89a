"""What autoencoders show: layers with their weights, what is seen and what is compared with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.report.showing import Showing
from foretext.shown import Grid, Note, Table


def show(recipe: str, array: np.ndarray, path: Path, **settings: object) -> Showing:
    np.save(path / "examples.npy", array)
    given = [f"{name}={value}" for name, value in settings.items()]
    return ft.show(recipe, path / "examples.npy", examples=2, settings=given, lang="en")


@pytest.fixture
def pictures() -> np.ndarray:
    return np.random.default_rng(0).random((6, 8, 8), np.float32)


def test_layers_with_shapes_and_weights(tmp_path: Path, pictures: np.ndarray) -> None:
    shown = show("autoencoder", pictures, tmp_path).shown[0]
    (table,) = (part for part in shown.parts if isinstance(part, Table))
    rows = [row[1:] for row in table.rows]
    assert rows[0] == ("", "8 × 8", 0)
    assert ("Conv2d", "16 × 4 × 4", 16 * 9 + 16) in rows
    assert ("Linear", "32", 32 * 2 * 2 * 32 + 32) in rows
    assert rows[-1][1] == "8 × 8"
    assert sum(row[0] == "code" for row in table.rows) == 1


def test_a_clean_example_is_its_own_target(tmp_path: Path, pictures: np.ndarray) -> None:
    shown = show("linear-autoencoder", pictures, tmp_path).shown[1]
    grids = [part for part in shown.parts if isinstance(part, Grid)]
    assert len(grids) == 2  # the example, and its reconstruction
    row = int(shown.title.split("row ")[1].rstrip(")"))
    np.testing.assert_allclose(grids[0].values, pictures[row], atol=0.006)
    loss = float(np.square(np.array(grids[1].values) - pictures[row]).mean())
    (note,) = (part for part in shown.parts if isinstance(part, Note))
    said = float(note.text.split("here ")[1].split()[0])
    assert said == pytest.approx(loss, abs=0.02)


@pytest.mark.parametrize("shape", [(5, 40), (5, 9, 9)])
def test_what_a_denoising_autoencoder_sees(tmp_path: Path, shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(1).random(shape, np.float32) + 1
    shown = show("denoising-autoencoder", array / array.max(), tmp_path).shown[1]
    (note,) = (part for part in shown.parts if isinstance(part, Note))
    changed, size, _ = (int(word) for word in note.text.split() if word.isdecimal())
    assert size == np.prod(shape[1:])
    assert 0.1 * size < changed < 0.6 * size
    if len(shape) == 3:
        clean, seen, _ = (np.array(part.values) for part in shown.parts if isinstance(part, Grid))
        assert (seen != clean).sum() == changed
        assert not seen[seen != clean].any()
        return
    (table,) = (part for part in shown.parts if isinstance(part, Table))
    assert all(seen in (0, clean) for _, clean, seen, _ in table.rows)
