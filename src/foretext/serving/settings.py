"""How a server is reached, and what it takes on at once."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from foretext.base.config import Config, size_bytes

__all__ = ["ServingConfig"]


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

    @property
    def max_body_bytes(self) -> int:
        """`max_body` as a number."""
        return size_bytes(self.max_body)

    @property
    def max_bodies_bytes(self) -> int:
        """`max_bodies` as a number."""
        return size_bytes(self.max_bodies)
