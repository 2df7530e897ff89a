from __future__ import annotations

from collections.abc import Iterator

import pytest

from foretext.shards.in_order import map_in_order


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_order_and_few_blocks_are_held(workers: int) -> None:
    taken = 0

    def blocks() -> Iterator[int]:
        nonlocal taken
        while taken < 100:
            taken += 1
            yield taken

    for place, result in enumerate(map_in_order(lambda block: -block, blocks(), workers), 1):
        assert result == -place
        assert taken <= place + 2 * workers


def test_an_error_of_the_work_ends_the_pass() -> None:
    def work(block: int) -> int:
        raise MemoryError(block)

    with pytest.raises(MemoryError):
        list(map_in_order(work, range(100), 2))
