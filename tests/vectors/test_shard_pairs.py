"""Pairs counted by processes: the bytes of those that threads count."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from foretext.base.errors import OutputError
from foretext.data import TokenFile
from foretext.shards import LocalEngine
from foretext.shards.work import fill_shard
from foretext.vectors.pair_counts import ShardedPairs, count_cooccurrence
from tests.vectors.test_pair_counts import random_text, token_file

VOCAB_SIZE = 300


@contextmanager
def small_shards(num_tokens: int = 1_700) -> Iterator[None]:
    """Cut a small text into several shards, within sentences."""
    small = partial(ShardedPairs, num_tokens=num_tokens)
    with patch("foretext.vectors.pair_counts.ShardedPairs", small):
        yield


@pytest.fixture(autouse=True)
def _small_shards() -> Iterator[None]:
    with small_shards():
        yield


def text() -> TokenFile:
    """Short sentences, and one that several shards share."""
    long = (np.arange(5_000) % (VOCAB_SIZE - 1) + 1).tolist()
    return token_file([*random_text(200, VOCAB_SIZE), long], VOCAB_SIZE)


def counted(folder: Path, **options: Any) -> dict[str, bytes]:
    """Return the files of counts."""
    count_cooccurrence(text(), 15, folder / "counts", **options)
    assert not (folder / "pair-shards").exists()
    return {path.name: path.read_bytes() for path in (folder / "counts").iterdir()}


@pytest.mark.slow
def test_files_are_the_same_for_all_numbers_of_workers(tmp_path: Path) -> None:
    expected = counted(tmp_path / "threads")
    for workers in (1, 2, 8):
        assert counted(tmp_path / str(workers), engine=LocalEngine(workers)) == expected


@pytest.mark.parametrize("memory", [60_000, 10**9])
@pytest.mark.parametrize("by_distance", [True, False])
def test_memory_and_weights_are_as_without_shards(
    tmp_path: Path, memory: int, by_distance: bool
) -> None:
    options: dict[str, Any] = {"memory": memory, "by_distance": by_distance}
    expected = counted(tmp_path / "threads", **options)
    assert counted(tmp_path / "shards", engine=LocalEngine(1), **options) == expected


def test_the_words_done_are_those_of_the_text(tmp_path: Path) -> None:
    class Bar:
        told = 0.0

        def advance(self, amount: float) -> None:
            self.told += amount

        def stage(self, title: str) -> None:
            pass

    bar = Bar()
    count_cooccurrence(text(), 15, tmp_path / "a", progress=bar, engine=LocalEngine(1))
    assert bar.told == np.count_nonzero(text().ids)


KILLED = """
import signal, sys
from pathlib import Path
from foretext.shards import LocalEngine
from tests.vectors.test_shard_pairs import counted, small_shards
real, left = LocalEngine.run, iter(range(2))
def stopped(self, work, shards):
    for done in real(self, work, shards):
        if next(left, None) is None:
            print("now", flush=True)
            signal.pause()
        yield done
LocalEngine.run = stopped
with small_shards():
    counted(Path(sys.argv[1]), engine=LocalEngine(2))
"""


@pytest.mark.slow
def test_after_a_kill_it_goes_on(tmp_path: Path) -> None:
    with patch("foretext.shards.local.fill_shard", wraps=fill_shard) as filled:
        expected = counted(tmp_path / "whole", engine=LocalEngine(1))
    num_all = filled.call_count
    out = tmp_path / "killed"
    program = [sys.executable, "-c", KILLED, str(out)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.kill()
    there = list((out / "pair-shards").glob("*/shard-*"))
    assert len(there) > 2
    shutil.rmtree(there[0])  # vanished
    (there[1] / "columns.bin").write_bytes(b"")  # cut short
    with patch("foretext.shards.local.fill_shard", wraps=fill_shard) as filled:
        assert counted(out, engine=LocalEngine(1)) == expected
    assert 2 <= filled.call_count <= num_all - len(there) + 2


def test_threads_leave_no_shards_of_an_earlier_try(tmp_path: Path) -> None:
    (tmp_path / "pair-shards" / "digest" / "shard-00000").mkdir(parents=True)
    counted(tmp_path)


def test_rows_that_vanish_are_one_sentence(tmp_path: Path) -> None:
    real = ShardedPairs.run

    def vanishing(self: ShardedPairs, *arguments: Any) -> Any:
        runs = real(self, *arguments)
        (runs[1].folder / "totals.bin").unlink()
        return runs

    with (
        patch.object(ShardedPairs, "run", vanishing),
        pytest.raises(OutputError, match=r"totals\.bin"),
    ):
        counted(tmp_path, engine=LocalEngine(1))
