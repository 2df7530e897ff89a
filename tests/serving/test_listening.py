"""How a server listens, and which risks it names."""

from __future__ import annotations

import resource
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from foretext.base.errors import SettingError
from foretext.serving import ServingConfig
from foretext.serving.keys import Keys
from foretext.serving.listening import (
    OTHER_FILES,
    fit_connections,
    listening_config,
    listening_warnings,
)
from tests.serving.conftest import Server
from tests.serving.models import word_vectors


def test_loopback_without_a_key_is_no_risk() -> None:
    assert listening_warnings(ServingConfig(), Keys()) == []


def test_another_address_without_a_key_is_named() -> None:
    (warning,) = listening_warnings(ServingConfig(host="0.0.0.0"), Keys())
    assert "Everybody who reaches 0.0.0.0" in warning
    (warning,) = listening_warnings(ServingConfig(host="0.0.0.0"), Keys(["key"]))
    assert "unencrypted" in warning


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


def test_the_limit_of_files_is_raised_as_far_as_the_system_lets(restored_limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, restored_limit))
    settings = ServingConfig(max_connections=400)
    assert fit_connections(settings) == (settings, None)
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 400 + OTHER_FILES


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
