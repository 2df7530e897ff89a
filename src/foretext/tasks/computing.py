"""A network's outputs for many examples, in batches of similar length and number of tokens."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import nn

from foretext.backbones.base import Backbone, inference_batches
from foretext.data.padded_examples import PaddedExamples
from foretext.heads.base import Head
from foretext.nn.batch_threads import over_batches

__all__ = ["Outputs", "TaskNetwork", "compute_outputs"]

BATCH_TOKENS = {"cpu": 1 << 11, "cuda": 1 << 16}  # so that the states of a batch fit into a cache

Outputs = list[NDArray[np.float32]]  # of each example, without padding


class TaskNetwork(nn.Module):
    """A backbone and the head of a task."""

    backbone: Backbone
    head: Head

    def __init__(self, backbone: Backbone, head: Head) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = head


class _Batch(NamedTuple):
    keys: NDArray[np.int64]
    lengths: NDArray[np.int64]


def compute_outputs(network: TaskNetwork, examples: PaddedExamples) -> Outputs:
    """Return the task's outputs, (...) or (T, ...) of each example."""
    device = network.backbone.embedding.device
    outputs: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(examples)
    batches = _batches(examples, network.backbone)

    def computed(batch: _Batch) -> NDArray[np.float32]:
        inputs = examples.batch(batch.keys).inputs.to(device)
        states = network.backbone(inputs, keep_layers=network.head.needs_layers)
        return network.head.outputs(states, inputs).float().cpu().numpy()

    for batch, found in zip(batches, over_batches(computed, batches, device), strict=True):
        of_positions = found.ndim > 2
        for key, length, output in zip(
            batch.keys.tolist(), batch.lengths.tolist(), found, strict=True
        ):
            outputs[key] = output[:length] if of_positions else output
    return outputs


def _batches(examples: PaddedExamples, backbone: Backbone) -> list[_Batch]:
    """Return the longest rows first, so that a lack of memory shows at once."""
    lengths = examples.lengths(np.arange(len(examples)))
    widths = (lengths * examples.group).tolist()
    batches = map(np.asarray, inference_batches(backbone, widths, BATCH_TOKENS))
    return [_Batch(keys, lengths[keys]) for keys in batches]
