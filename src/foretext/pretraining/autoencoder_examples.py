"""What an autoencoder learns from: an example, what is seen of it, and what is compared with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.backbones.autoencoder import Autoencoder
from foretext.backbones.base import States
from foretext.data.batch import Batch
from foretext.messages import MessageTable
from foretext.objectives.reconstruction import Reconstruction
from foretext.shown import Cell, Grid, Note, Part, Shown, Table

__all__ = ["autoencoder_shown"]

said = MessageTable("autoencoders", "column.")
MOST_NUMBERS = 12  # of an example that is no picture
LARGEST_PICTURE = 64  # rows or columns

Values = NDArray[np.float32]


def autoencoder_shown(
    network: Autoencoder, objective: Reconstruction, examples: Values, number: int, seed: int
) -> list[Shown]:
    """Show the layers of a network, and so many examples as the training reads them.

    Args:
        network: with its first weights.
        objective: what is scored; it may corrupt what is seen.
        examples: (N, ...).
        number: of examples.
        seed: of their draw, and of the noise.
    """
    rng = np.random.default_rng(seed)
    made = objective.examples(examples)
    shown = [Shown(said("network.title"), tuple(_structure(network)))]
    for at, key in enumerate(np.sort(made.keys(rng)[:number]), 1):
        parts = tuple(_example(network, objective, made.batch(np.array([key]), rng)))
        shown.append(Shown(said("example.title", number=at, row=int(key)), parts))
    return shown


def _structure(network: Autoencoder) -> Iterator[Part]:
    """Show each layer with the shape of what comes out of it, and its weights."""
    layers = network.structure()
    sizes = {"numbers": int(np.prod(network.shape)), "code": network.code_size}
    yield Note(said("network.note", **sizes))
    num_encoder = len(network.encoder)
    weights = [0, *map(_num_weights, (*network.encoder, *network.decoder))]
    rows: list[Sequence[Cell]] = []
    for at, (layer, number) in enumerate(zip(layers, weights, strict=True)):
        part = "input" if at == 0 else "encoder" if at <= num_encoder else "decoder"
        part = "code" if at == num_encoder else part
        shape = " × ".join(map(str, layer.shape))
        rows.append((said(f"part.{part}"), layer.name if at else "", shape, number))
    columns = said.columns("part", "layer", "shape", "weights")
    yield Table.of(said("network.table"), columns, rows)


def _num_weights(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@torch.inference_mode()
def _example(network: Autoencoder, objective: Reconstruction, batch: Batch) -> Iterator[Part]:
    """Show what is seen, what it is compared with, and the loss with the first weights."""
    clean = batch.targets["clean"][0].numpy()
    seen = batch.inputs.values
    assert seen is not None, "an autoencoder reads values"
    answer = network(seen)
    changed = int((seen[0].numpy() != clean).sum())
    score = objective.scores(States(answer), batch)[objective.part]
    loss = float(score.loss) / clean.size
    noise = objective.config.noise
    figures = {"changed": changed, "numbers": clean.size, "loss": f"{loss:.4f}"}
    yield Note(said(f"example.{noise}", **figures, std=objective.config.noise_std))
    parts = {"clean": clean, "seen": seen[0].numpy(), "answer": answer[0].numpy()}
    if noise == "none":
        del parts["seen"]
    if clean.ndim == 2 and max(clean.shape) <= LARGEST_PICTURE:
        yield from (_picture(said(f"part.{name}"), values) for name, values in parts.items())
        return
    columns = [said("column.number"), *(said(f"part.{name}") for name in parts)]
    flat = [values.ravel()[:MOST_NUMBERS].tolist() for values in parts.values()]
    rows = [(at, *numbers) for at, numbers in enumerate(zip(*flat, strict=True))]
    yield Table.of(said("example.table", shown=len(rows), numbers=clean.size), columns, rows)


def _picture(title: str, values: Values) -> Grid:
    rows, columns = values.shape
    is_mask = bool(np.isin(values, (0, 1)).all())  # black and white
    return Grid.of(title, range(rows), range(columns), values.round(2), is_mask=is_mask)
