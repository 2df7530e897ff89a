"""How probable right targets are, row by row."""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
import torch.nn.functional as F

from foretext.data.padded_examples import IGNORED, PaddedExamples
from foretext.heads.text_to_text import TextToTextHead
from foretext.tasks.model import TaskNetwork

__all__ = ["reference_losses"]

AT_ONCE = 1 << 24  # logits
SEED = 20_061_015  # of what is hidden, where tokens are predicted from masks


@torch.inference_mode()
def reference_losses(network: TaskNetwork, examples: PaddedExamples) -> list[tuple[float, int]]:
    """Return the summed -log P of each example's targets, and how many they are."""
    device, V = network.backbone.embedding.device, network.backbone.vocab_size
    lengths = examples.lengths(np.arange(len(examples)))
    order = np.argsort(-lengths, kind="stable")
    found = [(0.0, 0)] * len(examples)
    start = 0
    while start < len(order):
        size = max(1, AT_ONCE // (max(int(lengths[order[start]]), 1) * V))
        keys = order[start : start + size]
        batch = examples.batch(keys, np.random.default_rng(SEED + start)).to(device)
        states = network.backbone(batch.inputs)
        right = batch.targets["next"]  # (B, T)
        counts = right != IGNORED
        logits = cast(TextToTextHead, network.head).head(states.last[counts])
        losses = torch.zeros(right.shape, device=device)
        losses[counts] = F.cross_entropy(logits.float(), right[counts], reduction="none")
        sums = zip(losses.sum(1).tolist(), counts.sum(1).tolist(), strict=True)
        for key, own in zip(keys.tolist(), sums, strict=True):
            found[key] = own
        start += len(keys)
    return found
