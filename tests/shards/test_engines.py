"""Engines by name, and what is said where one cannot be used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from foretext.base.errors import ForetextError, MissingExtraError, SettingError
from foretext.shards import LocalEngine, chosen_engine
from tests.shards.on_ray.test_address import closed_port


def test_this_machine_is_usual() -> None:
    assert isinstance(chosen_engine(), LocalEngine)
    assert chosen_engine(workers=3).workers == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": "rai"}, "engine = 'rai': there is no such one. Did you mean 'ray'?"),
        ({"name": "spark"}, "There are: local, ray."),
        ({"address": "head:1"}, "address = 'head:1' has no effect without a cluster; add --engine"),
        ({"workers": 0}, "workers = 0: take one or more."),
    ],
)
def test_refused(options: dict[str, str], sentence: str) -> None:
    with pytest.raises(SettingError) as refused:
        chosen_engine(**options)
    assert sentence in str(refused.value)


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'foretext\[ray\]'"):
        chosen_engine("ray")


def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'foretext[ray]'")
    for address, sentence in (
        (f"127.0.0.1:{closed_port()}", "No Ray cluster answers at 127"),
        (f"ray://127.0.0.1:{closed_port()}", "No Ray cluster answers at ray://127"),
        ("head", "give auto, local, HOST:PORT or ray://HOST:PORT"),
    ):
        with pytest.raises(ForetextError, match=sentence):
            chosen_engine("ray", address)
    with pytest.raises(SettingError, match="workers = 0"):
        chosen_engine("ray", "local", 0)


def test_nothing_imports_ray_before_it_is_used() -> None:
    program = (
        "import sys, foretext.shards.on_ray, foretext.cli.app; assert 'ray' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
