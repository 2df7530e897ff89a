"""A group of replicas ends where its cluster is gone: nothing hides why, and Ray is left."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from foretext.base.errors import ClusterError
from foretext.vectors.replicas.on_ray.group import RayReplicaGroup


class GoneError(Exception):
    """What Ray raises where a cluster does not answer."""


class Gone:
    """A cluster that has vanished."""

    def __init__(self, error: Exception) -> None:
        self.ray = SimpleNamespace(exceptions=SimpleNamespace(RayError=GoneError), kill=self._kill)
        self.error, self.killed, self.is_left = error, 0, False

    def _kill(self, actor: object) -> None:
        self.killed += 1
        raise self.error

    def __exit__(self, *_: object) -> None:
        self.is_left = True


@pytest.mark.parametrize("error", [GoneError(), ConnectionError()])
def test_it_is_left_without_a_word(error: Exception) -> None:
    cluster = ended(error)
    assert (cluster.is_left, cluster.killed) == (True, 2)


def test_it_is_left_after_a_defect_too() -> None:
    cluster = Gone(RuntimeError("a defect"))
    with pytest.raises(RuntimeError, match="a defect"):
        ended(cluster.error, cluster)
    assert cluster.is_left


def ended(error: Exception, cluster: Gone | None = None) -> Gone:
    """End a group of two replicas on a cluster that raises this."""
    group: Any = object.__new__(RayReplicaGroup)
    group._cluster = cluster = cluster or Gone(error)
    group._actors = {0: "one", 1: "other"}
    reason = ClusterError("The head is silent")
    group.__exit__(ClusterError, reason, None)
    return cluster
