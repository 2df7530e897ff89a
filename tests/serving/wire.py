"""Requests byte by byte, as no client library would send them."""

from __future__ import annotations

import socket
from contextlib import closing, suppress
from urllib.parse import urlsplit

__all__ = ["connected", "exchange", "read_all"]


def connected(url: str, seconds: float = 20.0) -> socket.socket:
    """A connection to a server."""
    address = urlsplit(url)
    return socket.create_connection((address.hostname or "", address.port or 0), seconds)


def read_all(connection: socket.socket) -> bytes:
    """What comes until the other side closes, or resets."""
    parts = []
    with suppress(ConnectionError):
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def exchange(url: str, sent: bytes, seconds: float = 20.0) -> bytes:
    """Send bytes, and return all that comes until the server closes."""
    with closing(connected(url, seconds)) as connection:
        with suppress(ConnectionError):
            connection.sendall(sent)
        return read_all(connection)
