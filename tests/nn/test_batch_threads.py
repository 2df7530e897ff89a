"""Batches that threads share, each with a single thread inside its operations."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import torch

from foretext.nn.batch_threads import over_batches

CPU = torch.device("cpu")


@pytest.fixture(params=[1, 2])
def num_threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_results_come_in_order(num_threads: int) -> None:
    assert list(over_batches(lambda batch: 2 * batch, range(9), CPU)) == [*range(0, 18, 2)]
    assert torch.get_num_threads() == num_threads


def test_no_gradient_is_kept(num_threads: int) -> None:
    weight = torch.ones(2, requires_grad=True)
    for found in over_batches(lambda batch: batch * weight, [torch.ones(2)] * 8, CPU):
        assert not found.requires_grad


@pytest.mark.parametrize("num_threads", [2], indirect=True)
def test_threads_work_at_once_and_operations_are_not_shared_out(num_threads: int) -> None:
    both = threading.Barrier(num_threads, timeout=20)

    def compute(batch: int) -> int:
        both.wait()  # breaks if one thread does all
        return torch.get_num_threads()

    assert set(over_batches(compute, range(8), CPU)) == {1}
    assert torch.get_num_threads() == num_threads


@pytest.mark.parametrize("num_threads", [2], indirect=True)
def test_few_batches_are_computed_by_all_threads_together(num_threads: int) -> None:
    found = over_batches(lambda batch: threading.current_thread(), range(3), CPU)
    assert set(found) == {threading.main_thread()}


def test_an_error_ends_it_and_threads_are_as_before(num_threads: int) -> None:
    def compute(batch: int) -> float:
        return 1 / (batch - 1)

    with pytest.raises(ZeroDivisionError):
        list(over_batches(compute, range(8), CPU))
    assert torch.get_num_threads() == num_threads
