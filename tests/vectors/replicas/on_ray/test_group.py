"""Replicas on a Ray cluster: the bits of as many processes of one machine, whatever is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import ClusterError, CorpusError
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.shards import RayEngine
from foretext.shards.on_ray.address import RayAddress
from foretext.shards.on_ray.connection import connected
from foretext.vectors.replicas.on_ray import group, members
from foretext.vectors.replicas.on_ray.group import RayReplicaGroup, pieces_of
from tests.shards.on_ray.clusters import ENVIRONMENT
from tests.vectors.replicas.models import Text, learner, trained
from tests.vectors.replicas.on_ray.losses import lose, same

pytestmark = pytest.mark.slow

NUM_CPUS = 2


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray, connected to a cluster of this machine."""
    module = pytest.importorskip("ray", reason="Ray is not installed: pip install 'foretext[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        with connected(RayAddress("local"), NUM_CPUS):
            yield module


def on_ray(text: Text, folder: Path, name: str = "word2vec", **settings: Any) -> Any:
    """Train on the cluster that this process is connected to."""
    model = learner(text, name, **settings)
    model.train(RunContext(folder, engine=RayEngine()))
    return model


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("name", "settings"),
    [("word2vec", {}), ("word2vec", {"loss": "hs"}), ("fasttext", {"bucket": 500})],
)
def test_bits_are_those_of_local_processes(
    ray: Any, text: Text, tmp_path: Path, name: str, settings: dict[str, Any]
) -> None:
    expected = trained(text, tmp_path, name, epochs=1, **settings)
    same(on_ray(text, tmp_path, name, epochs=1, **settings), expected)


@pytest.mark.slow
def test_a_text_that_nodes_do_not_find_is_sent(
    ray: Any, text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "META", "ids.bin")  # so that no folder there has the right content
    sent: list[str] = []

    def counted(folder: Path) -> Iterator[tuple[str, bytes]]:
        for name, piece in pieces_of(folder):
            sent.append(name)
            yield name, piece

    monkeypatch.setattr(group, "pieces_of", counted)
    same(on_ray(text, tmp_path, epochs=1), trained(text, tmp_path, epochs=1))
    assert sorted(sent) == sorted(path.name for path in text[1].train.folder.iterdir())


@pytest.mark.slow
def test_a_replica_that_is_lost_changes_no_bit(
    ray: Any, text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    lose(monkeypatch, lambda group: ray.kill(group._actors[1]))
    model = learner(text, epochs=3)
    model.train(RunContext(tmp_path, engine=RayEngine(), note=notes.append))
    assert len(notes) == 1
    assert notes[0].startswith("a process of the training was lost: ")
    same(model, trained(text, tmp_path, epochs=3))


@pytest.mark.slow
def test_what_was_stopped_on_a_cluster_goes_on_here(
    ray: Any, text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(self: RayReplicaGroup) -> None:
        raise ClusterError("The head is silent")

    lose(monkeypatch, silent)
    context = RunContext(tmp_path, checkpoints=Checkpoints(tmp_path), engine=RayEngine())
    with pytest.raises(ClusterError):
        learner(text, epochs=3, checkpoint_seconds=0.0).train(context)
    model = learner(text, epochs=3)
    model.train(RunContext(tmp_path, checkpoints=Checkpoints(tmp_path), resume=True))
    same(model, trained(text, tmp_path / "unbroken", epochs=3))


def test_a_cluster_with_too_few_cpus(ray: Any, text: Text, tmp_path: Path) -> None:
    with pytest.raises(
        ClusterError, match=r"has 2 CPUs, and --processes 3 with 1 thread.* need 3;"
    ):
        on_ray(text, tmp_path, processes=3)


@pytest.mark.slow
def test_cpus_that_others_hold(
    ray: Any, text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "PLACING", 0.5)

    class Holder:
        def here(self) -> None:
            """Nothing else is done."""

    holder = ray.remote(num_cpus=1)(Holder).remote()
    ray.get(holder.here.remote())
    with pytest.raises(ClusterError, match=r"has had no free CPU .* add nodes, and go on with"):
        on_ray(text, tmp_path, epochs=1)
    ray.kill(holder)
    monkeypatch.undo()
    same(on_ray(text, tmp_path, epochs=1), trained(text, tmp_path, epochs=1))  # all were let go


@pytest.mark.slow
def test_a_damaged_text_is_a_sentence(ray: Any, text: Text, tmp_path: Path) -> None:
    model = learner(text, epochs=1)
    damaged = shutil.copytree(text[1].train.folder, tmp_path / "damaged")
    (damaged / "ids.bin").write_bytes(b"")
    model._text = replace(model._text, folder=damaged)
    with pytest.raises(CorpusError, match=r"ids\.bin is damaged"):
        model.train(RunContext(tmp_path, engine=RayEngine()))
