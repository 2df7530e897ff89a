"""What libraries keep: in a process of its own, since they read their limits once."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from foretext.base.errors import SettingError
from foretext.serving import ServingConfig
from foretext.serving.running import (
    OTHER_FILES,
    fit_connections,
    limit_library_memory,
    listening_config,
    listening_warnings,
    process_seconds,
)
from foretext.serving.settings import Keys
from tests.serving.conftest import Server
from tests.serving.models import word_vectors

if sys.platform != "win32":
    import resource

GROWTH = """
import os
from pathlib import Path
os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})  # more is kept for more cores
{limit}
import torch

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

weight = torch.ones(64, 32)
packed = torch.ops.mkldnn._reorder_linear_weight(weight)
def multiply(num_rows):
    torch.ops.mkldnn._linear_pointwise(torch.ones(num_rows, 32), packed, None, "none", [], "")

for num_rows in range(1, 80):
    multiply(num_rows)
before = resident()
for num_rows in range(80, 200):
    multiply(num_rows)
print((resident() - before) >> 20)
"""

WAITING = """
import time
time.sleep(0.3)
from foretext.serving.running import process_seconds
print(process_seconds())
"""


def growth(limit: str) -> int:
    """Megabytes that 120 products of further shapes leave behind, after 79 shapes."""
    command = [sys.executable, "-c", GROWTH.format(limit=limit)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
def test_products_of_ever_new_shapes_leave_no_memory_behind() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("memory is read from /proc")
    limited = growth("from foretext.serving.running import limit_library_memory as limit; limit()")
    assert limited <= 20
    unlimited = growth("")
    if unlimited < 40:
        pytest.skip(f"this processor needs no limits: {unlimited} MB are kept without them")
    assert limited <= unlimited / 2


def test_what_the_user_has_chosen_stays() -> None:
    chosen = {"LRU_CACHE_CAPACITY": "7", "MALLOC_ARENA_MAX": "3"}
    limit_library_memory(environment := dict(chosen))
    assert chosen.items() <= environment.items()
    assert int(environment["ONEDNN_PRIMITIVE_CACHE_CAPACITY"]) >= 32


def test_loopback_without_a_key_is_no_risk() -> None:
    assert listening_warnings(ServingConfig(), Keys()) == []


def test_another_address_without_a_key_is_named() -> None:
    (warning,) = listening_warnings(ServingConfig(host="0.0.0.0"), Keys())
    assert "Everybody who reaches 0.0.0.0" in warning
    (warning,) = listening_warnings(ServingConfig(host="0.0.0.0"), Keys(["key"]))
    assert "unencrypted" in warning


@pytest.mark.skipif(sys.platform == "win32", reason="a mode says nothing there")
@pytest.mark.parametrize(("mode", "number"), [(0o600, 0), (0o640, 1), (0o604, 1)])
def test_a_file_of_keys_that_others_can_read_is_named(
    tmp_path: Path, mode: int, number: int
) -> None:
    file = tmp_path / "keys"
    file.write_text("key")
    file.chmod(mode)
    warnings = listening_warnings(ServingConfig(api_key_file=file), Keys(["key"]))
    assert len(warnings) == number
    assert all("can be read by other users" in warning for warning in warnings)


def test_half_of_tls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="both --tls-cert and --tls-key"):
        listening_config(None, ServingConfig(tls_cert=tmp_path / "cert.pem"))
    both = ServingConfig(tls_cert=tmp_path / "cert.pem", tls_key=tmp_path / "key.pem")
    with pytest.raises(SettingError, match=r"cert\.pem is missing"):
        listening_config(None, both)


@pytest.fixture
def restored_limit() -> Iterator[int]:
    """The hard limit of open files; the soft one is put back afterwards."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield before[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_the_limit_of_files_is_raised_as_far_as_the_system_lets(restored_limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, restored_limit))
    settings = ServingConfig(max_connections=400)
    assert fit_connections(settings) == (settings, None)
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 400 + OTHER_FILES


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(("hard", "fitting"), [(1024, 1024 - OTHER_FILES), (100, 50)])
def test_connections_are_fewer_than_files(
    monkeypatch: pytest.MonkeyPatch, hard: int, fitting: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (min(hard, 64), hard))
    raised = []
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: raised.append(limits))
    settings, sentence = fit_connections(ServingConfig(port=8001))
    assert raised == [(hard, hard)]
    assert settings == ServingConfig(port=8001, max_connections=fitting)
    assert sentence is not None
    assert f"takes {fitting:,} connections at once in place of 16,000" in sentence


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_https_is_answered_with_the_certificate(
    tmp_path: Path, serve: Callable[..., Server]
) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    names = "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", *names]
    subprocess.run([*made, "-out", cert, "-keyout", key], check=True, capture_output=True)
    server = serve({"words": word_vectors()}, tls_cert=cert, tls_key=key)
    url = server.url.replace("http://", "https://")
    trusted = ssl.create_default_context(cafile=cert)
    assert httpx.get(f"{url}/ping", verify=trusted).status_code == 200
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/ping")
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{server.url}/ping")


@pytest.mark.slow
def test_it_counts_from_the_start_of_the_process() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the system does not say")
    done = subprocess.run(
        [sys.executable, "-c", WAITING], capture_output=True, text=True, check=True
    )
    assert 0.29 < float(done.stdout) < 60


def test_another_system_does_not_say(tmp_path: Path) -> None:
    assert process_seconds(tmp_path) is None
