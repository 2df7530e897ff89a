"""How a server is reached, and what it takes on at once."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from foretext.config import Config

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

    # Limits

    max_requests: int = Field(default=512, ge=1)
    """Requests that are answered or wait at once; further ones are refused with 429."""

    max_tokens: int = Field(default=2_000_000, ge=1)
    """Tokens of all requests that are answered or wait at once; more are refused with 429."""

    max_batch_tokens: int = Field(default=16_384, ge=1)
    """Tokens that a model computes together, at most."""

    max_seconds: float = Field(default=60.0, gt=0)
    """Seconds that a request may take until its answer begins."""
