"""Time one CRF, ours or pytorch-crf's: ``python -m benchmarks.crf_program NAME TAGS SEED``."""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn

BATCH, LENGTH = 32, 50
SECONDS = 2.0  # for each kind of work


def main() -> None:
    """Print the median CPU milliseconds of a call on one thread, the loss and the tags."""
    program, num_tags, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    warnings.simplefilter("ignore")  # of the peer's uint8 masks
    emissions = torch.randn(BATCH, LENGTH, num_tags, requires_grad=True)
    tags = torch.randint(0, num_tags, (BATCH, LENGTH))
    crf, loss, decode = _ours(num_tags) if program == "foretext" else _peer(num_tags)

    def learn() -> Tensor:
        crf.zero_grad()
        emissions.grad = None
        value = loss(emissions, tags)
        value.backward()  # type: ignore[no-untyped-call]
        return value

    figures = {
        "loss": _milliseconds(learn),
        "decode": _milliseconds(lambda: decode(emissions)),
        "value": float(learn()),
        "path": decode(emissions),
    }
    print(json.dumps(figures))


def _ours(num_tags: int) -> tuple[nn.Module, Callable[..., Tensor], Callable[..., object]]:
    from foretext.nn.crf import CRF

    crf = CRF(num_tags)
    _fill(crf.transitions, crf.start, crf.end)
    return crf, crf.loss, crf.decode


def _peer(num_tags: int) -> tuple[nn.Module, Callable[..., Tensor], Callable[..., object]]:
    crf = importlib.import_module("torchcrf").CRF(num_tags, batch_first=True)
    _fill(crf.transitions, crf.start_transitions, crf.end_transitions)
    return crf, lambda *given: -crf(*given), crf.decode


@torch.no_grad()
def _fill(*parameters: Tensor) -> None:
    """Give both programs the same scores."""
    for seed, parameter in enumerate(parameters):
        parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed)))


def _milliseconds(work: Callable[[], object]) -> float:
    work()
    times, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times) * 1e3


if __name__ == "__main__":
    main()
