"""What the activations of a batch take of memory, said before the batch is computed.

Counted as by Korthikanti et al. 2022 ("Reducing Activation Recomputation in Large Transformer
Models", 4.1): 34 bytes a token, layer and unit of width in 16-bit numbers, twice that in 32-bit
ones; scores of attention are never held.
"""

from __future__ import annotations

import torch

from foretext.base.runtime import free_memory_share
from foretext.data.batch import Batch
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

__all__ = ["ActivationForecast", "activation_bytes"]

ACTIVATION_BYTES = 34  # of a token, in 16-bit numbers


def activation_bytes(num_layers: int, dim: int, tokens: int, dtype: torch.dtype) -> int:
    """Return the bytes that the activations of a network take, about."""
    # embeddings, their norm and the head count as a layer more
    return tokens * dim * (num_layers + 1) * ACTIVATION_BYTES * dtype.itemsize // 2


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
        whole = config.freeze != "backbone" and not config.gradient_checkpointing
        self._looks = whole and device.type == "cpu"
        self._most = 0  # tokens that were found to fit

    def add(self, batch: Batch) -> str | None:
        """Note a batch that is to be computed; return a warning, at most once."""
        is_of_tokens = batch.inputs.values is None  # not of an autoencoder
        if not self._looks or not is_of_tokens or len(batch) == 0:
            return None
        at_once = min(self.config.micro_batch_examples or len(batch), len(batch))
        tokens = batch.inputs.ids.numel() * at_once // len(batch)
        if tokens <= self._most:
            return None
        self._most = tokens
        backbone = self.model.backbone
        needed = activation_bytes(backbone.num_layers, backbone.dim, tokens, self.dtype)
        free = free_memory_share()
        if free is None or needed <= free:
            return None
        self._looks = False
        smaller = max(at_once // 2, 1)
        micro = (
            f"set training.micro_batch_examples={smaller} or less (the result stays the same), or "
            if at_once > 1
            else ""
        )
        return (
            f"a batch of {at_once:,} examples, {tokens:,} tokens, needs about {needed / 1e9:.1f} "
            f"GB of memory for its activations, and {free / 1e9:.1f} GB are free; {micro}set "
            "training.gradient_checkpointing=true"
        )
