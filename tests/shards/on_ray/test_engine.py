"""Shards on a cluster of several nodes, of which one vanishes; the guide is quicker."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError, ForetextError, Interrupted, OutputError, SettingError
from foretext.cleaning import clean
from foretext.cleaning import job as cleaning_job
from foretext.corpus import Corpus
from foretext.corpus.text_shards import TextShards
from foretext.data.token_writer import write_tokens
from foretext.shards import LocalEngine, RayEngine, Shard, ShardWork
from foretext.shards.on_ray import cluster
from foretext.shards.on_ray.address import RayAddress
from foretext.shards.on_ray.connection import connected
from foretext.tokenizers.subwords import learn_subwords
from tests.cleaning.corpora import contents, write_corpus
from tests.cleaning.test_clean import RULES, SMALL
from tests.shards.on_ray.clusters import Nodes, ray_nodes
from tests.shards.test_local import files, shards, work

pytestmark = [
    pytest.mark.slow,
    pytest.mark.cluster,
    # Ray leaves a log open where it starts the server of Ray Client.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

NUM_NODES = 3


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with ray_nodes(NUM_NODES) as running:
        yield running


def own_work(name: str, settings: Path, folder: Path) -> ShardWork:
    """Return work of `tests.shards.on_ray.works`."""
    return ShardWork(f"tests.shards.on_ray.works:open_{name}", str(settings), folder)


def is_connected() -> bool:
    import ray

    return bool(ray.is_initialized())


def test_results_are_those_of_one_machine(
    nodes: Nodes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    texts = [f"text {number} ".encode() * 250_000 for number in range(48)]  # more than a store
    list(LocalEngine(1).run(work("upper", "!", tmp_path / "local"), shards(*texts)))
    engine, doing = RayEngine(nodes.address), work("upper", "!", tmp_path / "ray")
    taken = 0

    def counted() -> Iterator[Shard]:
        nonlocal taken
        for shard in shards(*texts):
            taken += 1
            yield shard

    before = signal.getsignal(signal.SIGTERM)
    for place, done in enumerate(engine.run(doing, counted())):
        assert done == (place, doing.result(place), len(texts[place]))
        assert taken <= place + 20  # four on their way, and those that wait for an earlier one
        assert signal.getsignal(signal.SIGTERM) == before
    assert engine.workers == NUM_NODES
    assert files(tmp_path / "ray") == files(tmp_path / "local")
    assert not is_connected()
    assert capfd.readouterr() == ("", "")

    shutil.rmtree(doing.result(1))  # vanished
    (doing.result(3) / "upper.txt").write_bytes(b"")
    times = {each: each.stat().st_mtime_ns for each in (tmp_path / "ray").iterdir()}
    list(engine.run(doing, shards(*texts)))
    assert files(tmp_path / "ray") == files(tmp_path / "local")
    again = {each.name for each, time in times.items() if each.stat().st_mtime_ns != time}
    assert again <= {"shard-00003"}


def test_the_shards_of_a_node_that_vanished_are_done_by_others(
    nodes: Nodes, tmp_path: Path
) -> None:
    marks, texts = tmp_path / "marks", [f"text-{number:04}".encode() for number in range(12)]
    marks.mkdir()
    (marks / "wait").touch()

    def vanishing() -> Iterator[Shard]:
        for shard in shards(*texts):
            if shard.number == NUM_NODES:
                while len(list(marks.glob("begun-*"))) < NUM_NODES:  # all nodes are at work
                    time.sleep(0.1)
                nodes.kill()
                (marks / "wait").unlink()
            yield shard

    doing = own_work("slow", marks, tmp_path / "work")
    done = list(RayEngine(nodes.address).run(doing, vanishing()))
    assert [(each.folder / "data.bin").read_bytes() for each in done] == texts
    assert len(list(marks.glob("begun-*"))) == len(texts) + 1  # that of the lost node twice
    nodes.add()


def test_a_refusal_names_the_node_and_leaves_the_other_shards(nodes: Nodes, tmp_path: Path) -> None:
    doing = work("refusing", "CorpusError", tmp_path)
    with pytest.raises(CorpusError, match=r"^Node [\d.]+ \(.*\): this shard will not do$"):
        list(RayEngine(nodes.address, workers=1).run(doing, shards(b"good", b"bad", b"good")))
    assert [path.name for path in tmp_path.iterdir()] == ["shard-00000"]
    assert not is_connected()


def test_a_full_disk_of_a_node(nodes: Nodes, tmp_path: Path) -> None:
    doing = own_work("full", tmp_path, tmp_path / "work")
    with pytest.raises(OutputError, match=r"^Node .* cannot be written: the disk is full; free"):
        list(RayEngine(nodes.address).run(doing, shards(b"a")))


def test_a_shard_that_no_process_survives(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "RETRIES", 1)
    doing = own_work("killing", tmp_path, tmp_path / "work")
    with pytest.raises(SettingError, match=r"gave up shard 0: .*go on with --resume"):
        list(RayEngine(nodes.address).run(doing, shards(b"a")))


def test_a_node_with_another_version(nodes: Nodes, tmp_path: Path) -> None:
    (tmp_path / "foretext").mkdir()
    (tmp_path / "foretext" / "__init__.py").touch()
    (tmp_path / "foretext" / "_version.py").write_text("__version__ = '0.0.1'\n")
    nodes.add(env_vars={"PYTHONPATH": str(tmp_path)})
    try:
        doing = work("upper", "", tmp_path / "work")
        with pytest.raises(SettingError, match=r"Node .* has other .*: foretext 0\.0\.1 \(here"):
            list(RayEngine(nodes.address).run(doing, shards(b"a")))
        assert not (tmp_path / "work").exists()
    finally:
        nodes.kill()


def test_a_connected_process_stays_connected(nodes: Nodes, tmp_path: Path) -> None:
    with connected(RayAddress.read(nodes.address)):
        list(RayEngine().run(work("upper", "", tmp_path), shards(b"a")))
        assert is_connected()
        with pytest.raises(SettingError, match="this process is connected to a Ray cluster"):
            RayEngine("local")
    assert (tmp_path / "shard-00000" / "upper.txt").read_bytes() == b"A"


def test_a_machine_outside_of_the_cluster(nodes: Nodes, tmp_path: Path) -> None:
    texts = [f"text {number} ".encode() * 50_000 for number in range(8)]
    doing = work("upper", "!", tmp_path / "client")
    list(RayEngine(nodes.client_address).run(doing, shards(*texts)))
    list(LocalEngine(1).run(work("upper", "!", tmp_path / "local"), shards(*texts)))
    assert files(tmp_path / "client") == files(tmp_path / "local")
    refusing = work("refusing", "CorpusError", tmp_path / "refusing")
    with pytest.raises(CorpusError, match=r"^Node .*: this shard will not do$"):
        list(RayEngine(nodes.client_address).run(refusing, shards(b"bad")))
    assert not is_connected()


def test_a_cluster_of_another_version(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    monkeypatch.setattr(ray, "__version__", "2.0.0")
    engine = RayEngine(nodes.address)
    with pytest.raises(SettingError, match=r"has other versions than this machine.*Ray: 2\.0\.0"):
        list(engine.run(work("upper", "", tmp_path), shards(b"a")))


def test_a_cleaning_is_stopped_goes_on_and_is_equal(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "corpus.txt"
    write_corpus(corpus)
    options: dict[str, Any] = {"settings": SMALL, "rules": RULES, "quiet": True}
    expected = contents(clean(str(corpus), tmp_path / "local", workers=1, **options).path)
    real = cleaning_job.shards

    def stopped(*arguments: Any) -> Iterator[Any]:
        for shard in real(*arguments):
            if shard.number == 6:
                signal.raise_signal(signal.SIGTERM)
            yield shard

    on_ray = options | {"engine": RayEngine(nodes.address)}
    monkeypatch.setattr(cleaning_job, "shards", stopped)
    with pytest.raises(Interrupted, match="Stopped by SIGTERM; go on with --resume"):
        clean(str(corpus), tmp_path / "ray", **on_ray)
    monkeypatch.undo()
    assert any((tmp_path / "ray").glob("replacement/work-*/shard-*"))
    assert contents(clean(str(corpus), tmp_path / "ray", resume=True, **on_ray).path) == expected


def test_words_and_ids_are_those_of_one_machine(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("corpus.text_shards", "corpus.blocks"):
        monkeypatch.setattr(f"foretext.{module}.BLOCK", 500)
    write_corpus(tmp_path / "corpus.txt")
    corpus = Corpus(tmp_path / "corpus.txt")
    some = TextShards(RayEngine(nodes.address), tmp_path / "work", 1)
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 300}, corpus)
    on_ray = learn_subwords("wordpiece", {"vocab_size": 300}, corpus, shards=some)
    assert on_ray.fingerprint == tokenizer.fingerprint
    write_tokens(corpus, tokenizer, tmp_path / "expected", valid_rate=0.2)
    write_tokens(corpus, tokenizer, tmp_path / "found", valid_rate=0.2, shards=some)
    assert files(tmp_path / "found") == files(tmp_path / "expected")
    assert len(list((tmp_path / "work").glob("*/shard-*"))) >= 4


def test_a_head_that_is_gone(nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last test of this cluster."""
    monkeypatch.setattr(cluster, "HEAD_PATIENCE", 1.0)
    marks, address = tmp_path / "marks", nodes.address
    marks.mkdir()
    (marks / "wait").touch()

    def heads() -> Iterator[Shard]:
        yield Shard(0, partial(bytes, b"a"))
        nodes.kill_head()

    with pytest.raises(ForetextError, match=r"The head of the Ray cluster, .* has been silent for"):
        list(RayEngine(address).run(own_work("slow", marks, tmp_path / "work"), heads()))
    with pytest.raises(SettingError, match="No Ray cluster answers at"):
        RayEngine(address)
