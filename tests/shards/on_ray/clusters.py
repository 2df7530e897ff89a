"""Clusters of Ray on this machine: several nodes, each with one CPU and a small store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.shards.on_ray.test_address import closed_port

__all__ = ["Nodes", "ray_nodes"]

STORE = 80 << 20  # bytes; Ray takes no fewer than 75 MB
STARTING = 300  # seconds
TRIES = 3  # Ray gives a node 30 seconds to start, which a busy machine may need
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # A busy machine may give no processor to a process for long. A node that is killed is seen
    # within seconds all the same, because it refuses connections.
    "RAY_health_check_timeout_ms": "120000",
    "RAY_health_check_initial_delay_ms": "60000",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "600",
    "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "300",
    "PYTHONPATH": str(Path(__file__).parents[3]),  # where workers find `tests`
}


class Nodes:
    """A head without CPUs, and nodes that come and go."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster = Cluster()
        self._client_port = closed_port()
        self._added(num_cpus=0, include_dashboard=False, ray_client_server_port=self._client_port)
        self._workers: list[Any] = []

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    @property
    def client_address(self) -> str:
        """Where Ray Client answers machines outside of the cluster."""
        return f"ray://127.0.0.1:{self._client_port}"

    def add(self, **options: Any) -> None:
        self._workers.append(self._added(num_cpus=1, **options))
        self._cluster.wait_for_nodes(STARTING)

    def kill(self) -> None:
        """Let the node that came last vanish, as by a power cut."""
        self._cluster.remove_node(self._workers.pop(), allow_graceful=False)

    def kill_head(self) -> None:
        self._cluster.head_node.kill_gcs_server()

    def end(self) -> None:
        self._cluster.shutdown()

    def _added(self, **options: Any) -> Any:
        for _ in range(TRIES - 1):
            try:
                return self._cluster.add_node(object_store_memory=STORE, **options)
            except Exception as error:
                if "timed out during startup" not in str(error):
                    raise
        return self._cluster.add_node(object_store_memory=STORE, **options)


@contextmanager
def ray_nodes(number: int) -> Iterator[Nodes]:
    """Run a cluster; tests are skipped where Ray is not installed."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'foretext[ray]'")
    before = dict(os.environ)
    os.environ.update(ENVIRONMENT)
    nodes = Nodes()
    try:
        for _ in range(number):
            nodes.add()
        yield nodes
    finally:
        nodes.end()
        os.environ.clear()
        os.environ.update(before)
