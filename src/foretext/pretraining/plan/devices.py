"""Devices by name, so that a training can be planned for machines that are not here.

Memory, products of bfloat16 a second and the rate of links are the vendors' (data sheets of NVIDIA,
dense, without sparsity; rates in one direction).
"""

from __future__ import annotations

from typing import NamedTuple

from foretext.base.errors import SettingError
from foretext.messages import message

__all__ = ["DEVICES", "Device", "device_named"]


class Device(NamedTuple):
    """What one device has."""

    memory: float  # bytes
    flops: float  # a second, in bfloat16
    near: float  # bytes a second to a device of the same machine
    far: float  # bytes a second to one of another machine
    neighbours: int = 8  # devices of a machine


GB, TERA = 1e9, 1e12
GIGABIT = 1e9 / 8  # bytes
DEVICES = {
    "h200": Device(141 * GB, 989 * TERA, 450 * GB, 400 * GIGABIT),
    "h100": Device(80 * GB, 989 * TERA, 450 * GB, 400 * GIGABIT),
    "a100-80gb": Device(80 * GB, 312 * TERA, 300 * GB, 200 * GIGABIT),
    "a100-40gb": Device(40 * GB, 312 * TERA, 300 * GB, 200 * GIGABIT),
    "l40s": Device(48 * GB, 362 * TERA, 32 * GB, 100 * GIGABIT),
    "l4": Device(24 * GB, 121 * TERA, 32 * GB, 100 * GIGABIT),
    "rtx4090": Device(24 * GB, 165 * TERA, 32 * GB, 10 * GIGABIT),
}


def device_named(name: str) -> Device:
    """Return a device.

    Raises:
        SettingError: none has this name.
    """
    if name not in DEVICES:
        raise SettingError(message("options.plan.device", name=name, names=", ".join(DEVICES)))
    return DEVICES[name]
