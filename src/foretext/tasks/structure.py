"""The layers of a task's network, from the tokens of one row to its answer, for a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch

from foretext.backbones.base import States
from foretext.data.batch import Batch

if TYPE_CHECKING:
    from foretext.tasks.model import TaskNetwork

__all__ = ["Layer", "network_structure"]


class Layer(NamedTuple):
    """One layer of a network."""

    name: str
    shape: tuple[int, ...]  # of what comes out for one row


@torch.inference_mode()
def network_structure(network: TaskNetwork, batch: Batch) -> list[Layer]:
    """Return the layers for the first row of a batch; a network that reads a source has none here.

    Args:
        network: that answers.
        batch: of at least one row.
    """
    backbone, head = network.backbone, network.head
    if backbone.reads_source or head.writes_texts:
        return []
    inputs = batch.inputs.to(backbone.embedding.device)
    states = backbone(inputs, keep_layers=True)
    layers = [Layer("tokens", tuple(inputs.ids.shape[1:])), *_of_backbone(states)]
    read = tuple(head.read(states, inputs).shape[1:])
    if head.word_vectors is not None:
        layers.append(Layer("states with word vectors", read))
    if head.pooling is not None:
        layers.append(Layer(f"pooled ({head.pooling})", read[-1:]))
    answer = tuple(head.outputs(states, inputs).shape[1:])
    return [*layers, Layer("answer", answer or (1,))]


def _of_backbone(states: States) -> list[Layer]:
    """Return the vectors of the tokens, and the states of each layer, if the backbone keeps any."""
    if not states.layers:
        return []
    vectors, *others = (tuple(layer.shape[1:]) for layer in states.layers)
    numbered = [Layer(f"layer {number}", shape) for number, shape in enumerate(others, 1)]
    return [Layer("vectors", vectors), *numbered]
