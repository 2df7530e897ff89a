"""A node of a Ray cluster vanishes while word vectors are learned."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.progress.run_context import RunContext
from foretext.shards import RayEngine
from foretext.vectors.replicas.on_ray.group import RayReplicaGroup
from tests.shards.on_ray.clusters import ray_nodes
from tests.vectors.replicas.models import Text, learner, trained
from tests.vectors.replicas.on_ray.losses import lose, same

pytestmark = [
    pytest.mark.slow,
    pytest.mark.cluster,
    # Ray leaves a log open where it starts the server of Ray Client.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

NUM_NODES = 3


def test_a_node_that_vanishes_changes_no_bit(
    text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    with ray_nodes(NUM_NODES) as nodes:

        def loss(group: RayReplicaGroup) -> None:
            nodes.kill()
            nodes.add()

        lose(monkeypatch, loss)
        model = learner(text, epochs=3, processes=NUM_NODES)
        engine = RayEngine(nodes.address)
        model.train(RunContext(tmp_path, engine=engine, note=notes.append))
    assert len(notes) == 1
    same(model, trained(text, tmp_path, epochs=3, processes=NUM_NODES))
