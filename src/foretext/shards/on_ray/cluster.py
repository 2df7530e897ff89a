"""A Ray cluster in use: functions on its nodes, its size, and whether it is still there."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any, Self

from foretext.base.errors import ClusterError
from foretext.shards.on_ray.address import RayAddress, answers
from foretext.shards.on_ray.connection import connected, imported_ray
from foretext.shards.on_ray.nodes import (
    expected,
    refuse_differences,
    sent,
    sent_part,
    visits,
)

__all__ = ["RayCluster"]

POLL = 2.0  # seconds between two looks whether it is still there
HEAD_PATIENCE = 30.0  # seconds without the head; Ray ends this process after 60
CPU_PATIENCE = 600.0  # seconds without any CPU: a cluster that grows by need may begin with none
COUNTED = 10.0  # seconds for which a count of CPUs is believed
VISIT = 60.0  # seconds in which nodes have to say what they have; busy ones may take longer
RETRIES = 3  # of a task whose process or node died


class RayCluster:
    """A cluster, for as long as a block lasts.

    Args:
        address: where it is; None: the one to which an application has connected this process.
        num_cpus: of a cluster that is started on this machine; None: all.

    Attributes:
        here: what nodes have to have.

    Raises:
        SettingError: it cannot be used; the sentence says why.
        MissingExtraError: Ray is not installed.
    """

    def __init__(self, address: RayAddress | None, num_cpus: int | None = None) -> None:
        self._address, self._own_cpus = address, num_cpus
        self._exits = ExitStack()
        self.here = expected()

    def __enter__(self) -> Self:
        self.ray = imported_ray()
        with self._exits:
            if self._address is not None:
                self._exits.enter_context(connected(self._address, self._own_cpus))
            self._function = self.ray.remote(
                max_retries=RETRIES, num_cpus=1, scheduling_strategy="SPREAD"
            )(sent())
            self._head = self._find_head()
            self._seen = self._had_cpus = time.monotonic()
            self._counted, self._num_cpus = self._seen - COUNTED, 0
            self._visit()
            self._exits = self._exits.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._exits.close()

    def start(self, target: str, *arguments: Any) -> Any:
        """Have a node call ``"module:name"`` of foretext, and return a reference for `result`.

        It is called again where the process or the node dies.
        """
        return self._function.remote(self.here, target, *arguments)

    def part(self, num_cpus: int) -> Any:
        """Return a handle of what will stay on a node: an actor with the methods of `sent_part`.

        It waits for a node that has CPUs, and is lost with its node.
        """
        kind = self.ray.remote(num_cpus=num_cpus, scheduling_strategy="SPREAD")(sent_part())
        return kind.remote()

    def result(self, reference: Any) -> tuple[str, Any]:
        """Return the name of the node that did it, and what the function returned.

        Raises:
            SettingError: the node has other versions than this machine.
            RayError: of Ray.
        """
        node, differences, returned = self.ray.get(reference)
        refuse_differences(node, differences, self.here)
        return node, returned

    def num_cpus(self) -> int:
        """Return how many CPUs it had lately, those at work too.

        Raises:
            ClusterError: its head has been silent for long.
        """
        now = time.monotonic()
        if now - self._counted >= COUNTED:
            self._counted = now
            if self._head_answers():  # or Ray would wait for it, and then end this process
                self._num_cpus = int(self.ray.cluster_resources().get("CPU", 0))
                self._had_cpus = now if self._num_cpus else self._had_cpus
        return self._num_cpus

    def wait(self, references: Sequence[Any], seconds: float = math.inf) -> list[Any]:
        """Wait for one of several results, and return those that are there; none after `seconds`.

        Raises:
            ClusterError: the head of the cluster has been silent, or it has had no CPU, for long.
        """
        end = time.monotonic() + seconds
        while True:
            left = max(end - time.monotonic(), 0.0)
            done, _ = self.ray.wait([*references], num_returns=1, timeout=min(POLL, left))
            if done or left == 0:
                return list(done)
            self._head_answers()
            if not self.num_cpus() and time.monotonic() - self._had_cpus > CPU_PATIENCE:
                raise ClusterError(
                    f"The Ray cluster has had no CPU for {CPU_PATIENCE:.0f} seconds; add nodes, "
                    "and go on with --resume."
                )

    def _head_answers(self) -> bool:
        problem = answers(*self._head)
        now = time.monotonic()
        if problem is None:
            self._seen = now
        elif now - self._seen > HEAD_PATIENCE:
            host, port = self._head
            raise ClusterError(
                f"The head of the Ray cluster, {host}:{port}, has been silent for "
                f"{HEAD_PATIENCE:.0f} seconds ({problem}); start it, and go on with --resume."
            )
        return problem is None

    def _visit(self) -> None:
        """Ask every node for its versions.

        Raises:
            SettingError: a node has others than this machine.
        """
        asked = visits(self.ray, self._function, self.here)
        end = time.monotonic() + VISIT
        while asked and time.monotonic() < end:
            for reference in self.wait(asked):
                asked.remove(reference)
                with suppress(self.ray.exceptions.RayError):  # the node is gone
                    self.result(reference)

    def _find_head(self) -> tuple[str, int]:
        if self._address is not None and self._address.is_client:
            return self._address.host, self._address.port
        address = RayAddress.read(self.ray.get_runtime_context().gcs_address)
        return address.host, address.port
