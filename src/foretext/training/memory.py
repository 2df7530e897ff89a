"""Advice in one sentence when a batch does not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from foretext.base.errors import SettingError
from foretext.base.runtime import MEMORY_SIGNS, refuse_without_memory
from foretext.training.settings import TrainingConfig

__all__ = ["advised_on_memory", "refuse_large_weights"]

LEAST_BYTES = 12  # of a parameter that is learned, beside itself: a gradient and two moments


def refuse_large_weights(model: nn.Module, device: torch.device, num_processes: int) -> None:
    """Refuse a training whose gradients and moments alone are more than the memory.

    On a GPU the library says so at once; the system gives out memory that it does not have.

    Raises:
        SettingError: less is free.
    """
    if device.type != "cpu":
        return
    learned = sum(each.numel() for each in model.parameters() if each.requires_grad)
    refuse_without_memory(
        LEAST_BYTES * learned * num_processes,
        f"A training of {learned:,} parameters",
        "lower backbone.dim, backbone.num_layers or tokenizer.vocab_size",
    )


@contextmanager
def advised_on_memory(
    config: TrainingConfig, num_processes: int = 1, *, learned: bool = False
) -> Iterator[None]:
    """Turn "out of memory" of any device into a SettingError with advice.

    Args:
        config: of the training.
        num_processes: that share it.
        learned: whether there is something to resume.
    """
    advice = _advice(config, num_processes, learned)
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise SettingError(f"There is not enough memory; {advice}") from error
    except RuntimeError as error:
        if not any(sign in str(error) for sign in MEMORY_SIGNS):
            raise
        raise SettingError(f"There is not enough memory; {advice}") from error


def _advice(config: TrainingConfig, num_processes: int, learned: bool) -> str:
    """What to lower where the memory is too small."""
    usual = "all of a step" if config.batch_tokens else config.batch_examples
    now = config.micro_batch_examples or usual
    more = {"none": "'optimizer' or 'full'", "optimizer": "'full'"}.get(config.sharding)
    sharding = f" or training.sharding = {more}" if more and num_processes > 1 else ""
    return (
        f"lower training.micro_batch_examples, now {now} (the result stays the same), or set "
        f"training.gradient_checkpointing = true{sharding}"
        f"{' and go on with --resume from the last checkpoint' * learned}."
    )
