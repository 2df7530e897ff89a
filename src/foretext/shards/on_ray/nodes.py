"""What runs on the nodes of a cluster, and whether they have what this machine has.

Equal results need equal versions: of foretext, and of what decides about letters, words and texts.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from importlib import metadata
from platform import python_version
from types import ModuleType
from typing import Any

from foretext._version import __version__
from foretext.base.errors import SettingError

__all__ = [
    "Differences",
    "Expected",
    "expected",
    "refuse_differences",
    "sent",
    "sent_part",
    "visits",
]

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


def sent() -> Callable[..., Visited]:
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


def sent_part() -> type:
    """Return the class of what stays on a node between calls, with its code as well.

    `open` does what the function of `sent` does, but keeps what was returned; `do` calls a method
    of that.
    """
    called = sent()

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


def refuse_differences(node: str, differences: Differences, here: Expected) -> None:
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


def visits(ray: ModuleType, function: Any, here: Expected) -> list[Any]:
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
