"""Train small networks on GPUs in several ways; started by torchrun, in one process or more."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch.distributed as dist

from foretext.base.runtime import num_processes
from tests.training.two_processes import SHARDINGS, TIED, stop, train

KINDS = ("bert", "gpt")


def main(folder: Path, device: Any = "cuda") -> None:
    """Do all that the test compares; on another device to try this program."""
    for kind in KINDS:
        for sharding in SHARDINGS:
            settings = {**TIED, "device": device, "sharding": sharding}
            train(folder, f"{kind}-{sharding}", **settings)
    if num_processes() > 1:
        stop(folder, "bert-stopped", device=device, sharding="full", **TIED)
        dist.barrier()
        train(folder, "bert-stopped", resumes=True, device=device, sharding="full", **TIED)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
