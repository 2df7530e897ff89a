"""Devices by name."""

from __future__ import annotations

import pytest

from foretext.base.errors import SettingError
from foretext.pretraining.plan.devices import DEVICES, device_named


def test_a_device_is_found() -> None:
    assert device_named("h200").memory == 141e9
    assert all(device.near >= device.far > 0 for device in DEVICES.values())


def test_others_are_refused_with_those_that_there_are() -> None:
    with pytest.raises(SettingError, match=r"--device tpu: .*there are h200, h100,"):
        device_named("tpu")
