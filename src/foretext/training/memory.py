"""Advice in one sentence when a batch does not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from foretext.errors import SettingError
from foretext.runtime import MEMORY_SIGNS
from foretext.training.settings import TrainingConfig

__all__ = ["advised_on_memory"]


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
