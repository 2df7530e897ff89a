"""How this process connects to a Ray cluster, and leaves it: without a word of Ray's own."""

from __future__ import annotations

import importlib
import logging
import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from foretext.base.errors import MissingExtraError, SettingError
from foretext.messages import message
from foretext.shards.on_ray.address import AUTO, RayAddress

__all__ = ["cluster_address", "connected", "first_line", "imported_ray", "is_connected"]

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # or Ray gives advice on accelerators
}


def imported_ray() -> ModuleType:
    """Import Ray.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        with _environment():
            module: ModuleType = importlib.import_module("ray")
    except ImportError as error:
        raise MissingExtraError("ray", "ray", message("errors.purpose.cluster")) from error
    return module


def is_connected(address: str) -> bool:
    """Whether an application has connected this process, which settles where the cluster is.

    Raises:
        SettingError: another address is given.
    """
    is_settled = bool(imported_ray().is_initialized())
    if is_settled and address != AUTO:
        raise SettingError(
            f"address = '{address}' has no effect, because this process is connected to a Ray "
            "cluster; leave it out, or call ray.shutdown() before."
        )
    return is_settled


def cluster_address(address: str) -> RayAddress | None:
    """Return where a cluster is that answers; None: an application has connected this process.

    Args:
        address: ``auto``, ``local``, ``HOST:PORT`` or ``ray://HOST:PORT``.

    Raises:
        SettingError: no cluster answers there.
        MissingExtraError: Ray is not installed.
    """
    if is_connected(address):
        return None
    found = RayAddress.read(address)
    found.refuse_silence()
    return found


@contextmanager
def connected(address: RayAddress, num_cpus: int | None = None) -> Iterator[None]:
    """Connect to a cluster for as long as a block lasts.

    Args:
        address: where it is.
        num_cpus: of a cluster that is started on this machine; None: all.

    Raises:
        SettingError: it cannot be used; the sentence says why.
    """
    ray = imported_ray()
    try:
        with _log_level():
            with _environment(), _signals_kept():
                _connect(ray, address, num_cpus)
            yield
    finally:
        ray.shutdown()


def first_line(error: BaseException) -> str:
    """Return what an error says first, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__


def _connect(ray: ModuleType, address: RayAddress, num_cpus: int | None) -> None:
    own: dict[str, Any] = {}
    if address.is_own:
        own = {"num_cpus": num_cpus, "include_dashboard": False}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ray.init(address.text, log_to_driver=False, logging_level=logging.CRITICAL, **own)
    except Exception as error:  # Ray raises whatever it met, Exception itself too
        raise _refusal(address, error) from error


def _refusal(address: RayAddress, error: Exception) -> SettingError:
    if "version mismatch" in str(error).lower():
        return SettingError(
            f"The Ray cluster at {address.name} has other versions than this machine; install the "
            f"same ones on all nodes. Ray says: {' '.join(str(error).split())}"
        )
    if address.is_own:
        return SettingError(
            f"Ray cannot be started on this machine: {first_line(error)}. Try again when it is "
            "less busy, or leave out --engine ray."
        )
    return SettingError(
        f"The Ray cluster at {address.name} cannot be used: {first_line(error)}. Run this on a "
        "node of the cluster, or give the address of Ray Client, ray://HOST:10001."
    )


@contextmanager
def _environment() -> Iterator[None]:
    """Set what keeps Ray quiet, where the user has not set it."""
    new = {name: value for name, value in QUIET.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Bring back what signals do: Ray lets SIGTERM end the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _log_level() -> Iterator[None]:
    logger = logging.getLogger("ray")
    before = logger.level
    try:
        yield
    finally:
        logger.setLevel(before)
