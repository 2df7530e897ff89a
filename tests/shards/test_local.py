"""Shards done on this machine: order, equal results, and what is left after a failure."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError, OutputError, SettingError
from foretext.shards import LocalEngine, Shard, ShardEngine, ShardWork

NUMBERS = (1, 2, 8)


@pytest.fixture(autouse=True)
def _found_by_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]), prepend=os.pathsep)


def work(name: str, settings: str, folder: Path) -> ShardWork:
    """Return work of `tests.shards.works`."""
    return ShardWork(f"tests.shards.works:open_{name}", settings, folder)


def shards(*texts: bytes) -> list[Shard]:
    """Return shards of these texts."""
    return [Shard(at, partial(bytes, text), len(text)) for at, text in enumerate(texts)]


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_results_are_the_same_for_all_numbers_of_workers(tmp_path: Path) -> None:
    texts = [f"text {number}".encode() * 999 for number in range(20)]
    for workers in NUMBERS:
        engine: ShardEngine = LocalEngine(workers)
        done = list(engine.run(work("upper", "!", tmp_path / str(workers)), shards(*texts)))
        assert [each.number for each in done] == list(range(20))
        assert [each.num_bytes for each in done] == [len(text) for text in texts]
        assert (done[7].folder / "upper.txt").read_bytes() == b"TEXT 7" * 999 + b"!"
    first = files(tmp_path / "1")
    assert len(first) == 40
    assert all(files(tmp_path / str(workers)) == first for workers in NUMBERS[1:])


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("workers", NUMBERS)
def test_a_result_that_is_there_is_not_made_again(tmp_path: Path, workers: int) -> None:
    log = tmp_path / "log"
    doing = work("noted", str(log), tmp_path / "work")
    texts = (b"a", b"b", b"c")
    done = list(LocalEngine(workers).run(doing, shards(*texts)))
    assert sorted(log.read_bytes().split()) == [b"a", b"b", b"c"]
    log.unlink()
    shutil.rmtree(done[1].folder)  # vanished
    (done[2].folder / "data.bin").write_bytes(b"")  # a disk that lost the end of a file
    again = list(LocalEngine(workers).run(doing, shards(*texts)))
    assert again == done
    assert sorted(log.read_bytes().split()) == [b"b", b"c"]
    assert (done[2].folder / "data.bin").read_bytes() == b"c"


def test_few_shards_are_taken_ahead(tmp_path: Path) -> None:
    taken = 0

    def counted() -> Iterator[Shard]:
        nonlocal taken
        for shard in shards(*[b"x"] * 30):
            taken += 1
            yield shard

    for place, _ in enumerate(LocalEngine(2).run(work("upper", "", tmp_path), counted()), 1):
        assert taken <= place + 4


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", [CorpusError, OutputError])
def test_a_refusal_keeps_its_class_and_leaves_nothing_of_its_shard(
    tmp_path: Path, workers: int, kind: type[Exception]
) -> None:
    doing = work("refusing", kind.__name__, tmp_path)
    with pytest.raises(kind, match=r"^this shard will not do"):
        list(LocalEngine(workers).run(doing, shards(b"good", b"bad")))
    assert [path.name for path in tmp_path.iterdir()] == ["shard-00000"]


def test_the_shard_of_a_process_that_died_is_done_by_another(tmp_path: Path) -> None:
    log = tmp_path / "log"
    doing = work("dying_once", str(log), tmp_path / "work")
    texts = (b"a", b"deadly", b"c", b"d")
    done = list(LocalEngine(2).run(doing, shards(*texts)))
    assert [(each.folder / "data.bin").read_bytes() for each in done] == list(texts)
    assert log.read_bytes().count(b"deadly") == 2


def test_a_shard_that_no_process_survives(tmp_path: Path) -> None:
    doing = work("dying", str(tmp_path / "log"), tmp_path / "work")
    with pytest.raises(SettingError, match=r"ended \(code -9\); free memory or take fewer"):
        list(LocalEngine(2).run(doing, shards(b"a")))
    assert (tmp_path / "log").read_bytes() == b"a\na\n"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for workers in (1, 2):
        with pytest.raises(OutputError, match="a file stands where a folder should be"):
            list(LocalEngine(workers).run(work("upper", "", tmp_path / "file"), shards(b"a")))


def children() -> set[str]:
    """Return the ids of the processes that this one has started."""
    lists = Path("/proc/self/task").glob("*/children")
    return {number for each in lists for number in each.read_text().split()}


@pytest.mark.skipif(sys.platform != "linux", reason="there is no list of a process's children")
def test_processes_end_with_the_engine(tmp_path: Path) -> None:
    before = children()  # of other tests
    doing = work("noted", str(tmp_path / "log"), tmp_path / "work")
    for _ in LocalEngine(2).run(doing, shards(*[b"a"] * 9)):
        assert children() - before
        break
    assert not children() - before


def test_no_workers() -> None:
    with pytest.raises(SettingError, match="workers = 0: take one or more"):
        LocalEngine(0)
