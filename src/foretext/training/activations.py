"""What the activations of a batch take of memory, said before the batch is computed.

Counted as by Korthikanti et al. 2022 ("Reducing Activation Recomputation in Large Transformer
Models", 4.1): 34 bytes a token, layer and unit of width in 16-bit numbers, twice that in 32-bit
ones; scores of attention are held by some networks alone, which say how much that is
(`pair_bytes`). A CRF of many tags has tables of its own (`table_bytes`).
"""

from __future__ import annotations

import torch

from foretext.backbones.base import Backbone
from foretext.base.runtime import free_memory_share
from foretext.data.batch import Batch
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

__all__ = ["ActivationForecast", "activation_bytes", "score_bytes"]

ACTIVATION_BYTES = 34  # of a token, in 16-bit numbers


def activation_bytes(num_layers: int, dim: int, tokens: int, dtype: torch.dtype) -> int:
    """Return the bytes that the activations of a network take, about."""
    # embeddings, their norm and the head count as a layer more
    return tokens * dim * (num_layers + 1) * ACTIVATION_BYTES * dtype.itemsize // 2


def score_bytes(network: Backbone, rows: int, length: int, dtype: torch.dtype) -> int:
    """Return the bytes that the scores of attention take while a network learns, about."""
    return network.pair_bytes(dtype.itemsize) * rows * length**2


class ActivationForecast:
    """Looks at each batch that is larger than all before it; warns once where it will hardly fit.

    It does not refuse: other networks than Transformers hold less, and the system can swap. On a
    GPU nothing is said, as its library ends such a batch with a sentence, and not the process.

    Args:
        model: that is trained, all or the upper part of it.
        config: of the training.
        dtype: that is computed in.
        device: that computes.
    """

    def __init__(
        self, model: Model, config: TrainingConfig, dtype: torch.dtype, device: torch.device
    ) -> None:
        self.model, self.config, self.dtype = model, config, dtype
        self._whole = config.freeze != "backbone" and not config.gradient_checkpointing
        self._looks = device.type == "cpu"
        self._most = 0  # bytes that were found to fit

    def add(self, batch: Batch) -> str | None:
        """Note a batch that is to be computed; return a warning, at most once."""
        is_of_tokens = batch.inputs.values is None  # not of an autoencoder
        if not self._looks or not is_of_tokens or len(batch) == 0:
            return None
        at_once = min(self.config.micro_batch_examples or len(batch), len(batch))
        num_rows, length = batch.inputs.ids.shape
        rows = num_rows * at_once // len(batch)
        tables = self.model.objective.table_bytes(rows * length)
        needed = tables + self._network_bytes(rows, length)
        if needed <= self._most:
            return None
        self._most = needed
        free = free_memory_share()
        if free is None or needed <= free:
            return None
        self._looks = False
        what = "activations and tables" if tables else "activations"
        return (
            f"a batch of {at_once:,} examples, {rows * length:,} tokens, needs about "
            f"{needed / 1e9:.1f} GB of memory for its {what}, and {free / 1e9:.1f} GB are free; "
            f"{self._remedy(at_once, are_tables=tables > needed / 2)}"
        )

    def _network_bytes(self, rows: int, length: int) -> int:
        """Bytes of the backbone, where what it computes is held for the backward pass."""
        if not self._whole:
            return 0
        backbone = self.model.backbone
        states = activation_bytes(backbone.num_layers, backbone.dim, rows * length, self.dtype)
        return states + score_bytes(backbone, rows, length, self.dtype)

    def _remedy(self, at_once: int, *, are_tables: bool) -> str:
        """Return what to set: most of the memory is that of tables of the objective, or not."""
        fewer = (
            f"set training.micro_batch_examples={max(at_once // 2, 1)} or less (the result stays "
            "the same)"
        )
        usual = "training.gradient_checkpointing=true"
        other = self.model.objective.lighter if are_tables else usual
        return ", or ".join([*([fewer] if at_once > 1 else []), f"set {other}"])
