"""How a server is reached, and what it takes on at once."""

from __future__ import annotations

import hashlib
import hmac
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from foretext.base.config import Config, size_bytes
from foretext.base.errors import SettingError
from foretext.base.parsing import read_text
from foretext.base.system import keeps_modes

__all__ = ["ENVIRONMENT", "Keys", "ServingConfig"]

ENVIRONMENT = "FORETEXT_API_KEY"
_KEY = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # what a header can carry as it is: b64token
LARGEST = 1 << 20  # bytes of a file of keys


class ServingConfig(Config):
    """The settings of a server; each is an option of ``foretext serve``."""

    host: str = "127.0.0.1"
    """Address to listen at; 0.0.0.0 lets other machines in."""

    port: int = Field(default=8000, ge=0, le=65535)
    """Port to listen at; 0 takes any free one."""

    api_key_file: Path | None = None
    """File with the keys that clients need, one a line."""

    cors: tuple[str, ...] = ()
    """Origins whose pages may ask, such as https://example.org; * allows every page."""

    tls_cert: Path | None = None
    """File of the certificate for HTTPS."""

    tls_key: Path | None = None
    """File of the certificate's private key."""

    log_texts: bool = False
    """Whether the log shows the texts of requests."""

    access_log: Literal["text", "json", "off"] = "text"
    """How each request is logged on standard error."""

    allowed_hosts: tuple[str, ...] = ()
    """Names that clients call the server by; at a loopback address it answers to localhost too."""

    # Limits

    max_requests: int = Field(default=512, ge=1)
    """Requests that are answered or wait at once; further ones are refused with 429."""

    max_tokens: int = Field(default=2_000_000, ge=1)
    """Tokens of all requests that are answered or wait at once; more are refused with 429."""

    max_batch_tokens: int = Field(default=16_384, ge=1)
    """Tokens that a model computes together, at most."""

    max_seconds: float = Field(default=60.0, gt=0)
    """Seconds that a request may take until its answer begins."""

    max_wait: float = Field(default=5.0, gt=0)
    """Seconds that a request may wait for others, as estimated; more is refused with 429."""

    max_inputs: int = Field(default=10_000, ge=1)
    """Texts and other inputs of one request; more are refused with 422."""

    max_request_tokens: int = Field(default=1_000_000, ge=1)
    """Tokens of one request, as estimated from its length; more are refused with 422."""

    max_body: str = "32MB"
    """Size of the body of one request; larger ones are refused with 413."""

    max_bodies: str = "512MB"
    """Size of the bodies of all requests that are answered, wait or arrive; 429 beyond it."""

    max_connections: int = Field(default=16_000, ge=1)
    """Open connections; a further one takes the place of an idle one, or gets 503."""

    header_seconds: float = Field(default=10.0, gt=0)
    """Seconds in which the headers of a request have to arrive, or the connection is closed."""

    body_seconds: float = Field(default=60.0, gt=0)
    """Seconds in which the body of a request has to arrive."""

    idle_seconds: float = Field(default=75.0, gt=0)
    """Seconds that a connection is kept open for the next request."""

    write_seconds: float = Field(default=30.0, gt=0)
    """Seconds that an answer waits for a client that does not read it."""

    @field_validator("max_body", "max_bodies")
    @classmethod
    def _size(cls, value: str) -> str:
        size_bytes(value)
        return value

    @model_validator(mode="after")
    def _holds_a_body(self) -> Self:
        if self.max_body_bytes > self.max_bodies_bytes:
            raise ValueError(
                f"max_body = {self.max_body} is more than max_bodies = {self.max_bodies}; lower "
                "max_body or raise max_bodies"
            )
        return self

    @property
    def max_body_bytes(self) -> int:
        """`max_body` as a number."""
        return size_bytes(self.max_body)

    @property
    def max_bodies_bytes(self) -> int:
        """`max_bodies` as a number."""
        return size_bytes(self.max_bodies)


class Keys:
    """Digests of the keys; the keys themselves are not kept, and nothing shows them."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        """Take the keys; without any, everybody may use the server.

        Raises:
            SettingError: a key that no header can carry.
        """
        self._digests = tuple(_digest(_checked(key, "key").encode("ascii")) for key in keys)

    @classmethod
    def read(cls, path: Path | None, environment: Mapping[str, str]) -> Keys:
        """Return the keys of a file, one a line, and of the environment, one a line as well.

        Empty lines and lines that begin with ``#`` are left out.

        Raises:
            SettingError: the file cannot be read or holds no key, or a line cannot be one.
        """
        keys = []
        if path is not None:
            keys = _lines(read_text(path, SettingError, largest=LARGEST), str(path))
            if not keys:
                raise SettingError(f"{path}: there is no key; write one a line.")
        return cls([*keys, *_lines(environment.get(ENVIRONMENT, ""), ENVIRONMENT)])

    def __bool__(self) -> bool:
        return bool(self._digests)

    def allow(self, authorization: bytes) -> bool:
        """Whether an Authorization header brings one of the keys.

        The time does not depend on the keys: digests of one length are compared, all of them.
        """
        scheme, _, given = authorization.partition(b" ")
        digest = _digest(given.strip(b" "))
        found = False
        for own in self._digests:
            found |= hmac.compare_digest(digest, own)
        return found and scheme.lower() == b"bearer"


def readable_by_others(path: Path) -> bool:
    """Whether users other than its owner may read a file."""
    return keeps_modes() and bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def _lines(text: str, where: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [
        _checked(line, f"{where}:{number}")
        for number, line in enumerate(lines, start=1)
        if line and not line.startswith("#")
    ]


def _checked(key: str, where: str) -> str:
    """Return a key as it is; the sentence does not repeat it, since logs keep sentences."""
    if not _KEY.fullmatch(key):
        raise SettingError(
            f"{where}: a key has letters, digits and ._~+/- only, so that a header can carry it; "
            "`openssl rand -hex 32` makes a good one."
        )
    return key


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
