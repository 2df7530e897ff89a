"""What is said when the other end of a connection is gone."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch.distributed as dist

from foretext.base.errors import Interrupted
from foretext.training.lost_processes import told_of_lost_processes
from foretext.training.processes import Processes

GLOO = "[gloo/transport/tcp/pair.cc:537] Read error [127.0.0.1]:15499: Connection reset by peer."


@dataclass
class OneOf(Processes):
    rank: int
    size: int


@pytest.mark.parametrize("error", [RuntimeError(GLOO), dist.DistBackendError("NCCL error")])
def test_it_is_one_sentence(error: RuntimeError) -> None:
    with (
        pytest.raises(Interrupted, match=r"Process 1 of 4 lost the connection .* --resume"),
        told_of_lost_processes(OneOf(1, 4)),
    ):
        raise error


@pytest.mark.parametrize(("text", "size"), [("a shape does not fit", 4), (GLOO, 1)])
def test_other_errors_stay_what_they_are(text: str, size: int) -> None:
    with pytest.raises(RuntimeError, match=r"fit|reset"), told_of_lost_processes(OneOf(0, size)):
        raise RuntimeError(text)
