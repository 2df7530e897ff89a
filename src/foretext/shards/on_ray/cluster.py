"""A Ray cluster in use: functions on its nodes, its size, and whether it is still there.

What runs on the nodes of a cluster, and whether they have what this machine has. Equal results
need equal versions: of foretext, and of what decides about letters, words and texts.
"""

from __future__ import annotations

import importlib
import math
import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from importlib import metadata
from platform import python_version
from types import ModuleType, TracebackType
from typing import Any, Self

from foretext._version import __version__
from foretext.base.errors import ClusterError, SettingError
from foretext.shards.on_ray.address import RayAddress, answers
from foretext.shards.on_ray.connection import connected, imported_ray

__all__ = ["RayCluster", "expected"]

POLL = 2.0  # seconds between two looks whether it is still there
HEAD_PATIENCE = 30.0  # seconds without the head; Ray ends this process after 60
CPU_PATIENCE = 600.0  # seconds without any CPU: a cluster that grows by need may begin with none
COUNTED = 10.0  # seconds for which a count of CPUs is believed
VISIT = 60.0  # seconds in which nodes have to say what they have; busy ones may take longer
RETRIES = 3  # of a task whose process or node died

PACKAGES = (
    "ray",
    "numpy",
    "tokenizers",
    "jieba",
    "ftfy",
    "lingua-language-detector",
    "numba",
    "llvmlite",
)

Differences = dict[str, str]  # of a node: its versions where they are others
Expected = tuple[dict[str, str], str]  # versions, and the folder that relative names count from
Visited = tuple[str, Differences, Any]  # name of the node, what differs, what the call returned


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
            )(_sent())
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
        """Return a handle of what will stay on a node: an actor with the methods of `_sent_part`.

        It waits for a node that has CPUs, and is lost with its node.
        """
        kind = self.ray.remote(num_cpus=num_cpus, scheduling_strategy="SPREAD")(_sent_part())
        return kind.remote()

    def result(self, reference: Any) -> tuple[str, Any]:
        """Return the name of the node that did it, and what the function returned.

        Raises:
            SettingError: the node has other versions than this machine.
            RayError: of Ray.
        """
        node, differences, returned = self.ray.get(reference)
        _refuse_differences(node, differences, self.here)
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
        visits = _visits(self.ray, self._function, self.here)
        end = time.monotonic() + VISIT
        while visits and time.monotonic() < end:
            for reference in self.wait(visits):
                visits.remove(reference)
                with suppress(self.ray.exceptions.RayError):  # the node is gone
                    self.result(reference)

    def _find_head(self) -> tuple[str, int]:
        if self._address is not None and self._address.is_client:
            return self._address.host, self._address.port
        address = RayAddress.read(self.ray.get_runtime_context().gcs_address)
        return address.host, address.port


def _sent() -> Callable[..., Visited]:
    """Return the function that is sent to nodes, with its code, because they may lack foretext.

    It gets what is `expected`, ``"module:name"`` of a function of foretext, or None, and arguments
    of that. It calls the function where nothing differs.
    """

    def on_node(expected: Any, target: str | None, *arguments: Any) -> Any:
        import importlib
        import os
        import platform
        import socket
        from importlib import metadata

        import ray

        def version(name: str) -> str:
            try:
                if name == "Python":
                    return platform.python_version()
                if name == "foretext":
                    return str(importlib.import_module("foretext._version").__version__)
                return metadata.version(name)
            except (ImportError, metadata.PackageNotFoundError):
                return "none"

        versions, folder = expected
        found = {name: version(name) for name in versions}
        differing = {name: found[name] for name in versions if found[name] != versions[name]}
        node = f"{ray.util.get_node_ip_address()} ({socket.gethostname()})"
        if differing or target is None:
            return node, differing, None
        if os.path.isdir(folder):  # noqa: PTH112  a folder that all nodes share
            os.chdir(folder)
        module, _, name = target.partition(":")
        return node, {}, getattr(importlib.import_module(module), name)(*arguments)

    return on_node


def _sent_part() -> type:
    """Return the class of what stays on a node between calls, with its code as well.

    `open` does what the function of `_sent` does, but keeps what was returned; `do` calls a method
    of that.
    """
    called = _sent()

    class Part:
        def open(self, expected: Any, target: str, *arguments: Any) -> Any:
            node, differences, self.part = called(expected, target, *arguments)
            return node, differences, None

        def do(self, name: str, *arguments: Any) -> Any:
            return getattr(self.part, name)(*arguments)

    return Part


def expected() -> Expected:
    """Return what nodes have to have, as this machine has it."""

    def version(package: str) -> str:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return "none"

    packages = {package: version(package) for package in PACKAGES}
    return {"foretext": __version__, "Python": python_version(), **packages}, os.getcwd()  # noqa: PTH109


def _refuse_differences(node: str, differences: Differences, here: Expected) -> None:
    """Refuse a node with other versions than this machine.

    Raises:
        SettingError: naming the node and the versions.
    """
    if differences:
        named = ", ".join(
            f"{name} {version} (here {here[0][name]})" for name, version in differences.items()
        )
        raise SettingError(
            f"Node {node} of the Ray cluster has other versions than this machine: {named}; "
            "install the same ones on all nodes."
        )


def _visits(ray: ModuleType, function: Any, here: Expected) -> list[Any]:
    """Ask every node of a cluster for its versions, and return references to the answers."""
    strategies = importlib.import_module("ray.util.scheduling_strategies")
    return [
        function.options(
            num_cpus=0,
            scheduling_strategy=strategies.NodeAffinitySchedulingStrategy(
                node["NodeID"], soft=False
            ),
        ).remote(here, None)
        for node in ray.nodes()
        if node["Alive"]
    ]
